//! Names to meanings: which namespaces and elements this crate understands.
//!
//! A namespace is known by its URI; where the URI is foreign, misspelt or missing, by the prefix everybody uses for it.
//! Several names share one meaning (`dc:creator`, `managingEditor` and `author` are all an author), so that the
//! reader has one arm per meaning. What is not in these tables is kept as an extension.

/// A vocabulary.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Vocabulary {
    Admin,
    Cc,
    Content,
    Core,
    CreativeCommons,
    Dc,
    DcTerms,
    Feedburner,
    Geo,
    GeoRss,
    Gml,
    History,
    Itunes,
    Media,
    Other,
    Psc,
    Rdf,
    Syndication,
    Threading,
    Wfw,
    Xhtml,
    Xml,
}

/// What an element means, wherever it stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Element {
    Abstract,
    Archive,
    Author,
    Body,
    Break,
    Category,
    Channel,
    Chapter,
    Chapters,
    Cloud,
    Comments,
    CommentsApi,
    CommentsFeed,
    Complete,
    Content,
    Contributor,
    Created,
    Day,
    Description,
    Docs,
    Email,
    Enclosure,
    Encoded,
    Entry,
    Expired,
    Feed,
    Generator,
    GeneratorAgent,
    GeoBox,
    GeoLine,
    GeoPoint,
    GeoPolygon,
    GmlCorner,
    GmlEnvelope,
    GmlLine,
    GmlPoint,
    GmlPolygon,
    GmlPosition,
    Guid,
    Height,
    Hour,
    Html,
    Icon,
    Id,
    Image,
    InReplyTo,
    Info,
    ItunesAuthor,
    ItunesBlock,
    ItunesCategory,
    ItunesDuration,
    ItunesEpisode,
    ItunesEpisodeType,
    ItunesExplicit,
    ItunesImage,
    ItunesKeywords,
    ItunesOwner,
    ItunesSeason,
    ItunesSubtitle,
    ItunesSummary,
    ItunesType,
    Keywords,
    Language,
    Latitude,
    License,
    Link,
    Logo,
    Longitude,
    MediaCategory,
    MediaContent,
    MediaCredit,
    MediaDescription,
    MediaKeywords,
    MediaLicense,
    MediaPlayer,
    MediaRating,
    MediaRestriction,
    MediaThumbnail,
    MediaTitle,
    Name,
    NewLocation,
    PlainContributor,
    Published,
    Rdf,
    Redirect,
    Rights,
    Rss,
    SkipDays,
    SkipHours,
    Source,
    Subtitle,
    Summary,
    TextInput,
    Title,
    Transparent,
    Ttl,
    Unknown,
    UpdateBase,
    UpdateFrequency,
    UpdatePeriod,
    Updated,
    Uri,
    Url,
    Valid,
    Void,
    WebMaster,
    Where,
    Width,
}

impl Element {
    /// Whether the element belongs directly into a feed or entry, so that whatever is open around it was not closed.
    pub(crate) fn stands_alone(self) -> bool {
        matches!(
            self,
            Element::Author
                | Element::Category
                | Element::Content
                | Element::Description
                | Element::Enclosure
                | Element::Encoded
                | Element::Generator
                | Element::Guid
                | Element::Id
                | Element::Image
                | Element::Language
                | Element::Link
                | Element::Published
                | Element::Source
                | Element::Summary
                | Element::Title
                | Element::Ttl
                | Element::Updated
        )
    }
}

/// A namespace in force: its vocabulary, and the prefix under which its extensions are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Namespace<'a> {
    pub vocabulary: Vocabulary,
    pub prefix: &'a str,
}

/// Neither prefixed nor foreign: RSS and Atom.
pub(crate) const CORE: Namespace<'static> = Namespace { vocabulary: Vocabulary::Core, prefix: "" };

/// The namespace of a URI, which publishers write in any case.
pub(crate) fn by_uri(uri: &str) -> Option<Namespace<'static>> {
    let known = NAMESPACES.iter().find(|(known, ..)| known.eq_ignore_ascii_case(uri));
    known.map(|(_, prefix, vocabulary)| Namespace { vocabulary: *vocabulary, prefix })
}

/// The namespace a prefix usually stands for; an unknown one is kept by its own name.
pub(crate) fn by_prefix(prefix: &str) -> Namespace<'_> {
    let usual = match prefix {
        "atom" | "atom10" | "a10" | "rss" => return CORE,
        "creativeCommons" => "creativecommons",
        "blogChannel" => "blogchannel",
        "syn" => "sy",
        "dct" => "dcterms",
        _ => prefix,
    };
    let known = NAMESPACES.iter().find(|(_, known, _)| *known == usual && !usual.is_empty());
    match known {
        Some((_, prefix, vocabulary)) => Namespace { vocabulary: *vocabulary, prefix },
        None => Namespace { vocabulary: Vocabulary::Other, prefix },
    }
}

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

/// A name as a number: names are looked up for every tag, and numbers compare in one step.
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

const FEEDBURNER_NAMES: &[(u128, Element)] = &[(key("browserfriendly"), Element::Info)];

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

const NAMESPACES: &[(&str, &str, Vocabulary)] = &[
    ("http://purl.org/rss/1.0/", "", Vocabulary::Core),
    ("http://my.netscape.com/rdf/simple/0.9/", "", Vocabulary::Core),
    ("http://channel.netscape.com/rdf/simple/0.9/", "", Vocabulary::Core),
    ("http://purl.org/net/rss1.1#", "", Vocabulary::Core),
    ("http://backend.userland.com/rss", "", Vocabulary::Core),
    ("http://backend.userland.com/rss2", "", Vocabulary::Core),
    ("http://backend.userland.com/rss091", "", Vocabulary::Core),
    ("http://backend.userland.com/rss092", "", Vocabulary::Core),
    ("http://blogs.law.harvard.edu/tech/rss", "", Vocabulary::Core),
    ("http://cyber.law.harvard.edu/rss/rss.html", "", Vocabulary::Core),
    ("http://purl.org/rss/1.0/modules/rss091#", "", Vocabulary::Core),
    ("http://purl.org/rss/2.0/", "", Vocabulary::Core),
    ("http://www.w3.org/2005/Atom", "", Vocabulary::Core),
    ("http://purl.org/atom/ns#", "", Vocabulary::Core),
    ("http://www.w3.org/2005/Atom/", "", Vocabulary::Core),
    ("https://www.w3.org/2005/Atom", "", Vocabulary::Core),
    ("http://example.com/newformat#", "", Vocabulary::Core),
    ("http://example.com/necho", "", Vocabulary::Core),
    ("http://purl.org/echo/", "", Vocabulary::Core),
    ("uri/of/echo/namespace#", "", Vocabulary::Core),
    ("http://purl.org/pie/", "", Vocabulary::Core),
    ("http://webns.net/mvcb/", "admin", Vocabulary::Admin),
    ("http://purl.org/rss/1.0/modules/aggregation/", "ag", Vocabulary::Other),
    ("http://purl.org/rss/1.0/modules/annotate/", "annotate", Vocabulary::Other),
    ("http://media.tangent.org/rss/1.0/", "audio", Vocabulary::Other),
    ("http://backend.userland.com/blogChannelModule", "blogchannel", Vocabulary::Other),
    ("http://creativecommons.org/ns#license", "cc", Vocabulary::Cc),
    ("http://creativecommons.org/ns#", "cc", Vocabulary::Cc),
    ("http://web.resource.org/cc/", "cc", Vocabulary::Cc),
    ("http://cyber.law.harvard.edu/rss/creativeCommonsRssModule.html", "creativecommons", Vocabulary::CreativeCommons),
    ("http://backend.userland.com/creativeCommonsRssModule", "creativecommons", Vocabulary::CreativeCommons),
    ("http://purl.org/rss/1.0/modules/company", "co", Vocabulary::Other),
    ("http://purl.org/rss/1.0/modules/content/", "content", Vocabulary::Content),
    ("http://my.theinfo.org/changed/1.0/rss/", "cp", Vocabulary::Other),
    ("http://purl.org/dc/elements/1.1/", "dc", Vocabulary::Dc),
    ("http://purl.org/dc/elements/1.0/", "dc", Vocabulary::Dc),
    ("http://purl.org/dc/terms/", "dcterms", Vocabulary::DcTerms),
    ("http://purl.org/rss/1.0/modules/dcterms/", "dcterms", Vocabulary::DcTerms),
    ("http://purl.org/rss/1.0/modules/email/", "email", Vocabulary::Other),
    ("http://purl.org/rss/1.0/modules/event/", "ev", Vocabulary::Other),
    ("http://rssnamespace.org/feedburner/ext/1.0", "feedburner", Vocabulary::Feedburner),
    ("http://purl.org/syndication/history/1.0", "fh", Vocabulary::History),
    ("http://freshmeat.net/rss/fm/", "fm", Vocabulary::Other),
    ("http://xmlns.com/foaf/0.1/", "foaf", Vocabulary::Other),
    ("http://www.w3.org/2003/01/geo/wgs84_pos#", "geo", Vocabulary::Geo),
    ("http://www.georss.org/georss", "georss", Vocabulary::GeoRss),
    ("http://www.georss.org/georss/10", "georss", Vocabulary::GeoRss),
    ("http://www.opengis.net/gml", "gml", Vocabulary::Gml),
    ("http://postneo.com/icbm/", "icbm", Vocabulary::Other),
    ("http://purl.org/rss/1.0/modules/image/", "image", Vocabulary::Other),
    ("http://www.itunes.com/DTDs/PodCast-1.0.dtd", "itunes", Vocabulary::Itunes),
    ("http://www.itunes.com/dtds/podcast-1.0.dtd", "itunes", Vocabulary::Itunes),
    ("http://example.com/DTDs/PodCast-1.0.dtd", "itunes", Vocabulary::Itunes),
    ("http://purl.org/rss/1.0/modules/link/", "l", Vocabulary::Other),
    ("http://search.yahoo.com/mrss", "media", Vocabulary::Media),
    ("http://search.yahoo.com/mrss/", "media", Vocabulary::Media),
    ("https://search.yahoo.com/mrss/", "media", Vocabulary::Media),
    ("http://tools.search.yahoo.com/mrss/", "media", Vocabulary::Media),
    ("http://madskills.com/public/xml/rss/module/pingback/", "pingback", Vocabulary::Other),
    ("https://podcastindex.org/namespace/1.0", "podcast", Vocabulary::Other),
    ("https://github.com/Podcastindex-org/podcast-namespace/blob/main/docs/1.0.md", "podcast", Vocabulary::Other),
    ("http://prismstandard.org/namespaces/1.2/basic/", "prism", Vocabulary::Other),
    ("http://podlove.org/simple-chapters", "psc", Vocabulary::Psc),
    ("http://podlove.org/simple-chapters/", "psc", Vocabulary::Psc),
    ("http://www.w3.org/1999/02/22-rdf-syntax-ns#", "rdf", Vocabulary::Rdf),
    ("http://www.w3.org/2000/01/rdf-schema#", "rdfs", Vocabulary::Other),
    ("http://purl.org/rss/1.0/modules/reference/", "ref", Vocabulary::Other),
    ("http://purl.org/rss/1.0/modules/richequiv/", "reqv", Vocabulary::Other),
    ("http://purl.org/rss/1.0/modules/search/", "search", Vocabulary::Other),
    ("http://purl.org/rss/1.0/modules/slash/", "slash", Vocabulary::Other),
    ("http://schemas.xmlsoap.org/soap/envelope/", "soap", Vocabulary::Other),
    ("http://purl.org/rss/1.0/modules/servicestatus/", "ss", Vocabulary::Other),
    ("http://hacks.benhammersley.com/rss/streaming/", "str", Vocabulary::Other),
    ("http://purl.org/rss/1.0/modules/subscription/", "sub", Vocabulary::Other),
    ("http://purl.org/rss/1.0/modules/syndication/", "sy", Vocabulary::Syndication),
    ("http://schemas.pocketsoap.com/rss/myDescModule/", "szf", Vocabulary::Other),
    ("http://purl.org/rss/1.0/modules/taxonomy/", "taxo", Vocabulary::Other),
    ("http://purl.org/syndication/thread/1.0", "thr", Vocabulary::Threading),
    ("http://purl.org/rss/1.0/modules/threading/", "thr", Vocabulary::Threading),
    ("http://purl.org/rss/1.0/modules/textinput/", "ti", Vocabulary::Other),
    ("http://madskills.com/public/xml/rss/module/trackback/", "trackback", Vocabulary::Other),
    ("http://wellformedweb.org/commentAPI/", "wfw", Vocabulary::Wfw),
    ("http://wellformedweb.org/CommentAPI/", "wfw", Vocabulary::Wfw),
    ("http://purl.org/rss/1.0/modules/wiki/", "wiki", Vocabulary::Other),
    ("http://www.w3.org/1999/xhtml", "xhtml", Vocabulary::Xhtml),
    ("http://www.w3.org/1999/xlink", "xlink", Vocabulary::Other),
    ("http://www.w3.org/XML/1998/namespace", "xml", Vocabulary::Xml),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_sorted() {
        for vocabulary in NAMESPACES.iter().map(|(_, _, vocabulary)| *vocabulary) {
            let table = table(vocabulary);
            assert!(table.is_sorted_by_key(|(name, _)| *name), "{vocabulary:?}");
        }
    }

    #[test]
    fn names() {
        assert_eq!(element(Vocabulary::Core, "pubDate"), Element::Published);
        assert_eq!(element(Vocabulary::Dc, "creator"), Element::Author);
        assert_eq!(element(Vocabulary::Core, "a name that is longer than any"), Element::Unknown);
        assert_eq!(by_uri("HTTP://www.w3.org/2005/atom"), Some(CORE));
        assert_eq!(by_prefix("media").vocabulary, Vocabulary::Media);
        assert_eq!(by_prefix("acme"), Namespace { vocabulary: Vocabulary::Other, prefix: "acme" });
    }
}
