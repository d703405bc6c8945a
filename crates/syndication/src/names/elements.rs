//! Local names to meanings, one sorted table per vocabulary.
//!
//! Names are looked up for every tag of every document, hence numbers instead of strings and a binary search. Prefixes
//! are mapped to vocabularies in `namespaces`.

use super::{Element, Vocabulary};

/// The meaning of a local name in a vocabulary; names are compared without regard to case.
pub(crate) fn element(vocabulary: Vocabulary, local: &str) -> Element {
    let mut lower = [0_u8; 16];
    let Some(start) = lower.get_mut(..local.len()) else { return Element::Unknown };
    start.copy_from_slice(local.as_bytes());
    lower.make_ascii_lowercase();
    let (key, table) = (u128::from_be_bytes(lower), table(vocabulary));
    match table.binary_search_by_key(&key, |(name, _)| *name) {
        Ok(found) => table[found].1,
        Err(_) => Element::Unknown,
    }
}

/// A name as a number, which compares in one step.
const fn key(name: &str) -> u128 {
    let bytes = name.as_bytes();
    let mut padded = [0_u8; 16];
    let mut at = 0;
    while at < bytes.len() {
        padded[at] = bytes[at];
        at += 1;
    }
    u128::from_be_bytes(padded)
}

fn table(vocabulary: Vocabulary) -> &'static [(u128, Element)] {
    match vocabulary {
        Vocabulary::Admin => ADMIN_NAMES,
        Vocabulary::Cc => CC_NAMES,
        Vocabulary::Content => CONTENT_NAMES,
        Vocabulary::Core => CORE_NAMES,
        Vocabulary::CreativeCommons => CREATIVECOMMONS_NAMES,
        Vocabulary::Dc => DC_NAMES,
        Vocabulary::DcTerms => DCTERMS_NAMES,
        Vocabulary::Feedburner => FEEDBURNER_NAMES,
        Vocabulary::Geo => GEO_NAMES,
        Vocabulary::GeoRss => GEORSS_NAMES,
        Vocabulary::Gml => GML_NAMES,
        Vocabulary::History => HISTORY_NAMES,
        Vocabulary::Itunes => ITUNES_NAMES,
        Vocabulary::Media => MEDIA_NAMES,
        Vocabulary::Psc => PSC_NAMES,
        Vocabulary::Rdf => RDF_NAMES,
        Vocabulary::Syndication => SYNDICATION_NAMES,
        Vocabulary::Threading => THREADING_NAMES,
        Vocabulary::Wfw => WFW_NAMES,
        Vocabulary::Xhtml => XHTML_NAMES,
        Vocabulary::Other | Vocabulary::Xml => &[],
    }
}

const ADMIN_NAMES: &[(u128, Element)] = &[(key("generatoragent"), Element::GeneratorAgent)];

const CC_NAMES: &[(u128, Element)] = &[(key("license"), Element::License)];

const CONTENT_NAMES: &[(u128, Element)] = &[(key("encoded"), Element::Encoded)];

const CORE_NAMES: &[(u128, Element)] = &[
    (key("abstract"), Element::Abstract),
    (key("author"), Element::Author),
    (key("body"), Element::Body),
    (key("br"), Element::Break),
    (key("categories"), Element::Categories),
    (key("category"), Element::Category),
    (key("channel"), Element::Channel),
    (key("cloud"), Element::Cloud),
    (key("comments"), Element::Comments),
    (key("content"), Element::Content),
    (key("contributor"), Element::Contributor),
    (key("copyright"), Element::Rights),
    (key("created"), Element::Created),
    (key("day"), Element::Day),
    (key("description"), Element::Description),
    (key("docs"), Element::Docs),
    (key("email"), Element::Email),
    (key("enclosure"), Element::Enclosure),
    (key("entry"), Element::Entry),
    (key("expirationdate"), Element::Expired),
    (key("feed"), Element::Feed),
    (key("fullitem"), Element::Encoded),
    (key("generator"), Element::Generator),
    (key("guid"), Element::Guid),
    (key("height"), Element::Height),
    (key("homepage"), Element::Uri),
    (key("hour"), Element::Hour),
    (key("hr"), Element::Break),
    (key("html"), Element::Html),
    (key("icon"), Element::Icon),
    (key("id"), Element::Id),
    (key("image"), Element::Image),
    (key("info"), Element::Info),
    (key("issued"), Element::Published),
    (key("item"), Element::Entry),
    (key("items"), Element::Transparent),
    (key("keywords"), Element::Category),
    (key("language"), Element::Language),
    (key("lastbuilddate"), Element::Updated),
    (key("link"), Element::Link),
    (key("logo"), Element::Logo),
    (key("managingeditor"), Element::Author),
    (key("modified"), Element::Updated),
    (key("name"), Element::Name),
    (key("newlocation"), Element::NewLocation),
    (key("pubdate"), Element::Published),
    (key("published"), Element::Published),
    (key("rdf"), Element::Rdf),
    (key("redirect"), Element::Redirect),
    (key("rights"), Element::Rights),
    (key("rss"), Element::Rss),
    (key("skipdays"), Element::SkipDays),
    (key("skiphours"), Element::SkipHours),
    (key("source"), Element::Source),
    (key("subtitle"), Element::Subtitle),
    (key("summary"), Element::Summary),
    (key("tagline"), Element::Subtitle),
    (key("tags"), Element::Keywords),
    (key("textinput"), Element::TextInput),
    (key("title"), Element::Title),
    (key("ttl"), Element::Ttl),
    (key("updated"), Element::Updated),
    (key("uri"), Element::Uri),
    (key("url"), Element::Url),
    (key("webmaster"), Element::WebMaster),
    (key("where"), Element::Where),
    (key("width"), Element::Width),
];

const CREATIVECOMMONS_NAMES: &[(u128, Element)] = &[(key("license"), Element::License)];

const DC_NAMES: &[(u128, Element)] = &[
    (key("author"), Element::Author),
    (key("contributor"), Element::PlainContributor),
    (key("creator"), Element::Author),
    (key("date"), Element::Updated),
    (key("description"), Element::Description),
    (key("language"), Element::Language),
    (key("publisher"), Element::WebMaster),
    (key("rights"), Element::Rights),
    (key("subject"), Element::Category),
    (key("title"), Element::Title),
];

const DCTERMS_NAMES: &[(u128, Element)] = &[
    (key("created"), Element::Created),
    (key("creator"), Element::Author),
    (key("date"), Element::Updated),
    (key("issued"), Element::Published),
    (key("modified"), Element::Updated),
    (key("publisher"), Element::WebMaster),
    (key("subject"), Element::Category),
    (key("title"), Element::Title),
    (key("valid"), Element::Valid),
];

const FEEDBURNER_NAMES: &[(u128, Element)] =
    &[(key("browserfriendly"), Element::Info), (key("origlink"), Element::OriginalLink)];

const GEO_NAMES: &[(u128, Element)] =
    &[(key("lat"), Element::Latitude), (key("long"), Element::Longitude), (key("point"), Element::Transparent)];

const GEORSS_NAMES: &[(u128, Element)] = &[
    (key("box"), Element::GeoBox),
    (key("line"), Element::GeoLine),
    (key("point"), Element::GeoPoint),
    (key("polygon"), Element::GeoPolygon),
    (key("where"), Element::Where),
];

const GML_NAMES: &[(u128, Element)] = &[
    (key("envelope"), Element::GmlEnvelope),
    (key("exterior"), Element::Transparent),
    (key("linearring"), Element::Transparent),
    (key("linestring"), Element::GmlLine),
    (key("lowercorner"), Element::GmlCorner),
    (key("point"), Element::GmlPoint),
    (key("polygon"), Element::GmlPolygon),
    (key("pos"), Element::GmlPosition),
    (key("poslist"), Element::GmlPosition),
    (key("uppercorner"), Element::GmlCorner),
];

const HISTORY_NAMES: &[(u128, Element)] = &[(key("archive"), Element::Archive), (key("complete"), Element::Complete)];

const ITUNES_NAMES: &[(u128, Element)] = &[
    (key("author"), Element::ItunesAuthor),
    (key("block"), Element::ItunesBlock),
    (key("category"), Element::ItunesCategory),
    (key("duration"), Element::ItunesDuration),
    (key("email"), Element::Email),
    (key("episode"), Element::ItunesEpisode),
    (key("episodetype"), Element::ItunesEpisodeType),
    (key("explicit"), Element::ItunesExplicit),
    (key("image"), Element::ItunesImage),
    (key("keywords"), Element::ItunesKeywords),
    (key("link"), Element::ItunesImage),
    (key("name"), Element::Name),
    (key("new-feed-url"), Element::NewLocation),
    (key("owner"), Element::ItunesOwner),
    (key("season"), Element::ItunesSeason),
    (key("subtitle"), Element::ItunesSubtitle),
    (key("summary"), Element::ItunesSummary),
    (key("type"), Element::ItunesType),
];

const MEDIA_NAMES: &[(u128, Element)] = &[
    (key("category"), Element::MediaCategory),
    (key("content"), Element::MediaContent),
    (key("credit"), Element::MediaCredit),
    (key("description"), Element::MediaDescription),
    (key("group"), Element::Transparent),
    (key("keywords"), Element::MediaKeywords),
    (key("license"), Element::MediaLicense),
    (key("player"), Element::MediaPlayer),
    (key("rating"), Element::MediaRating),
    (key("restriction"), Element::MediaRestriction),
    (key("thumbnail"), Element::MediaThumbnail),
    (key("title"), Element::MediaTitle),
];

const PSC_NAMES: &[(u128, Element)] = &[(key("chapter"), Element::Chapter), (key("chapters"), Element::Chapters)];

const RDF_NAMES: &[(u128, Element)] = &[
    (key("bag"), Element::Void),
    (key("description"), Element::Void),
    (key("li"), Element::Void),
    (key("rdf"), Element::Rdf),
    (key("seq"), Element::Void),
];

const SYNDICATION_NAMES: &[(u128, Element)] = &[
    (key("updatebase"), Element::UpdateBase),
    (key("updatefrequency"), Element::UpdateFrequency),
    (key("updateperiod"), Element::UpdatePeriod),
];

const THREADING_NAMES: &[(u128, Element)] = &[(key("in-reply-to"), Element::InReplyTo)];

const WFW_NAMES: &[(u128, Element)] = &[
    (key("comment"), Element::CommentsApi),
    (key("commentrss"), Element::CommentsFeed),
    (key("commentsrss"), Element::CommentsFeed),
];

const XHTML_NAMES: &[(u128, Element)] = &[
    (key("body"), Element::Body),
    (key("br"), Element::Break),
    (key("hr"), Element::Break),
    (key("html"), Element::Html),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_sorted() {
        for vocabulary in crate::names::namespaces::vocabularies() {
            let table = table(vocabulary);
            assert!(table.is_sorted_by_key(|(name, _)| *name), "{vocabulary:?}");
        }
    }

    #[test]
    fn names() {
        assert_eq!(element(Vocabulary::Core, "pubDate"), Element::Published);
        assert_eq!(element(Vocabulary::Dc, "creator"), Element::Author);
        assert_eq!(element(Vocabulary::Core, "a name that is longer than any"), Element::Unknown);
    }
}
