//! Namespaces: their URIs in every spelling that feeds use, and their usual prefixes.
//!
//! The prefix is also used in the names of extensions: `slash:comments` is `slash_comments` whatever prefix the
//! document uses. The meanings of elements are in `elements`.

use super::Vocabulary;

/// A namespace: its vocabulary, and the prefix for its extensions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Namespace<'a> {
    pub vocabulary: Vocabulary,
    pub prefix: &'a str,
}

/// Neither prefixed nor foreign: RSS and Atom.
pub(crate) const CORE: Namespace<'static> = Namespace { vocabulary: Vocabulary::Core, prefix: "" };

/// The namespace of a URI, in any case.
pub(crate) fn by_uri(uri: &str) -> Option<Namespace<'static>> {
    let known = NAMESPACES.iter().find(|(known, ..)| known.eq_ignore_ascii_case(uri));
    known.map(|(_, prefix, vocabulary)| Namespace { vocabulary: *vocabulary, prefix })
}

/// The usual namespace of a prefix; an unknown one keeps its name.
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

/// All vocabularies that have a namespace.
#[cfg(test)]
pub(super) fn vocabularies() -> impl Iterator<Item = Vocabulary> {
    NAMESPACES.iter().map(|(_, _, vocabulary)| *vocabulary)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_by_uri_or_prefix() {
        assert_eq!(by_uri("HTTP://www.w3.org/2005/atom"), Some(CORE));
        assert_eq!(by_uri("http://example.org/"), None);
        assert_eq!(by_prefix("media").vocabulary, Vocabulary::Media);
        assert_eq!(by_prefix("acme"), Namespace { vocabulary: Vocabulary::Other, prefix: "acme" });
    }
}
