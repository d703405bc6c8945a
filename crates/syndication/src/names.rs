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
    Category,
    Channel,
    Chapter,
    Chapters,
    Cloud,
    Comments,
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
    let table = table(vocabulary);
    let mut lower = [0_u8; 16];
    let Some(lower) = lower.get_mut(..local.len()) else { return Element::Unknown };
    lower.copy_from_slice(local.as_bytes());
    lower.make_ascii_lowercase();
    let lower: &[u8] = lower;
    match table.binary_search_by(|(name, _)| name.as_bytes().cmp(lower)) {
        Ok(found) => table[found].1,
        Err(_) => Element::Unknown,
    }
}

fn table(vocabulary: Vocabulary) -> &'static [(&'static str, Element)] {
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

const ADMIN_NAMES: &[(&str, Element)] = &[("generatoragent", Element::GeneratorAgent)];

const CC_NAMES: &[(&str, Element)] = &[("license", Element::License)];

const CONTENT_NAMES: &[(&str, Element)] = &[("encoded", Element::Encoded)];

const CORE_NAMES: &[(&str, Element)] = &[
    ("abstract", Element::Abstract),
    ("author", Element::Author),
    ("body", Element::Body),
    ("category", Element::Category),
    ("channel", Element::Channel),
    ("cloud", Element::Cloud),
    ("comments", Element::Comments),
    ("content", Element::Content),
    ("contributor", Element::Contributor),
    ("copyright", Element::Rights),
    ("created", Element::Created),
    ("day", Element::Day),
    ("description", Element::Description),
    ("docs", Element::Docs),
    ("email", Element::Email),
    ("enclosure", Element::Enclosure),
    ("entry", Element::Entry),
    ("expirationdate", Element::Expired),
    ("feed", Element::Feed),
    ("fullitem", Element::Encoded),
    ("generator", Element::Generator),
    ("guid", Element::Guid),
    ("height", Element::Height),
    ("homepage", Element::Uri),
    ("hour", Element::Hour),
    ("html", Element::Html),
    ("icon", Element::Icon),
    ("id", Element::Id),
    ("image", Element::Image),
    ("info", Element::Info),
    ("issued", Element::Published),
    ("item", Element::Entry),
    ("items", Element::Transparent),
    ("keywords", Element::Category),
    ("language", Element::Language),
    ("lastbuilddate", Element::Updated),
    ("link", Element::Link),
    ("logo", Element::Logo),
    ("managingeditor", Element::Author),
    ("modified", Element::Updated),
    ("name", Element::Name),
    ("newlocation", Element::NewLocation),
    ("pubdate", Element::Published),
    ("published", Element::Published),
    ("rdf", Element::Rdf),
    ("redirect", Element::Transparent),
    ("rights", Element::Rights),
    ("rss", Element::Rss),
    ("skipdays", Element::SkipDays),
    ("skiphours", Element::SkipHours),
    ("source", Element::Source),
    ("subtitle", Element::Subtitle),
    ("summary", Element::Summary),
    ("tagline", Element::Subtitle),
    ("tags", Element::Keywords),
    ("textinput", Element::TextInput),
    ("title", Element::Title),
    ("ttl", Element::Ttl),
    ("updated", Element::Updated),
    ("uri", Element::Uri),
    ("url", Element::Url),
    ("webmaster", Element::WebMaster),
    ("where", Element::Where),
    ("width", Element::Width),
];

const CREATIVECOMMONS_NAMES: &[(&str, Element)] = &[("license", Element::License)];

const DC_NAMES: &[(&str, Element)] = &[
    ("author", Element::Author),
    ("contributor", Element::PlainContributor),
    ("creator", Element::Author),
    ("date", Element::Updated),
    ("description", Element::Description),
    ("language", Element::Language),
    ("publisher", Element::WebMaster),
    ("rights", Element::Rights),
    ("subject", Element::Category),
    ("title", Element::Title),
];

const DCTERMS_NAMES: &[(&str, Element)] = &[
    ("created", Element::Created),
    ("creator", Element::Author),
    ("date", Element::Updated),
    ("issued", Element::Published),
    ("modified", Element::Updated),
    ("publisher", Element::WebMaster),
    ("subject", Element::Category),
    ("title", Element::Title),
    ("valid", Element::Valid),
];

const FEEDBURNER_NAMES: &[(&str, Element)] = &[("browserfriendly", Element::Info)];

const GEO_NAMES: &[(&str, Element)] =
    &[("lat", Element::Latitude), ("long", Element::Longitude), ("point", Element::Transparent)];

const GEORSS_NAMES: &[(&str, Element)] = &[
    ("box", Element::GeoBox),
    ("line", Element::GeoLine),
    ("point", Element::GeoPoint),
    ("polygon", Element::GeoPolygon),
    ("where", Element::Where),
];

const GML_NAMES: &[(&str, Element)] = &[
    ("envelope", Element::GmlEnvelope),
    ("exterior", Element::Transparent),
    ("linearring", Element::Transparent),
    ("linestring", Element::GmlLine),
    ("lowercorner", Element::GmlCorner),
    ("point", Element::GmlPoint),
    ("polygon", Element::GmlPolygon),
    ("pos", Element::GmlPosition),
    ("poslist", Element::GmlPosition),
    ("uppercorner", Element::GmlCorner),
];

const HISTORY_NAMES: &[(&str, Element)] = &[("archive", Element::Archive), ("complete", Element::Complete)];

const ITUNES_NAMES: &[(&str, Element)] = &[
    ("author", Element::ItunesAuthor),
    ("block", Element::ItunesBlock),
    ("category", Element::ItunesCategory),
    ("duration", Element::ItunesDuration),
    ("email", Element::Email),
    ("episode", Element::ItunesEpisode),
    ("episodetype", Element::ItunesEpisodeType),
    ("explicit", Element::ItunesExplicit),
    ("image", Element::ItunesImage),
    ("keywords", Element::ItunesKeywords),
    ("link", Element::ItunesImage),
    ("name", Element::Name),
    ("new-feed-url", Element::NewLocation),
    ("owner", Element::ItunesOwner),
    ("season", Element::ItunesSeason),
    ("subtitle", Element::ItunesSubtitle),
    ("summary", Element::ItunesSummary),
    ("type", Element::ItunesType),
];

const MEDIA_NAMES: &[(&str, Element)] = &[
    ("category", Element::MediaCategory),
    ("content", Element::MediaContent),
    ("credit", Element::MediaCredit),
    ("description", Element::MediaDescription),
    ("group", Element::Transparent),
    ("keywords", Element::MediaKeywords),
    ("license", Element::MediaLicense),
    ("player", Element::MediaPlayer),
    ("rating", Element::MediaRating),
    ("restriction", Element::MediaRestriction),
    ("thumbnail", Element::MediaThumbnail),
    ("title", Element::MediaTitle),
];

const PSC_NAMES: &[(&str, Element)] = &[("chapter", Element::Chapter), ("chapters", Element::Chapters)];

const RDF_NAMES: &[(&str, Element)] = &[
    ("bag", Element::Void),
    ("description", Element::Void),
    ("li", Element::Void),
    ("rdf", Element::Rdf),
    ("seq", Element::Void),
];

const SYNDICATION_NAMES: &[(&str, Element)] = &[
    ("updatebase", Element::UpdateBase),
    ("updatefrequency", Element::UpdateFrequency),
    ("updateperiod", Element::UpdatePeriod),
];

const THREADING_NAMES: &[(&str, Element)] = &[("in-reply-to", Element::InReplyTo)];

const WFW_NAMES: &[(&str, Element)] = &[("commentrss", Element::CommentsFeed), ("commentsrss", Element::CommentsFeed)];

const XHTML_NAMES: &[(&str, Element)] = &[("body", Element::Body), ("html", Element::Html)];

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
    fn tables_are_sorted_and_short() {
        for vocabulary in NAMESPACES.iter().map(|(_, _, vocabulary)| *vocabulary) {
            let table = table(vocabulary);
            assert!(table.is_sorted_by_key(|(name, _)| name.as_bytes()), "{vocabulary:?}");
            assert!(table.iter().all(|(name, _)| name.len() <= 16), "{vocabulary:?}");
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
