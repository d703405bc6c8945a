//! Names to meanings: the namespaces and elements that this crate understands.
//!
//! A namespace is known by its URI; if that is foreign, misspelt or missing, by its usual prefix (`namespaces`).
//! Several names share one meaning (`dc:creator`, `managingEditor` and `author` are all an author), so that the reader
//! has one match arm per meaning (`elements`). Names that are not in these tables are kept as extensions.

mod elements;
mod namespaces;

pub(crate) use elements::element;
pub(crate) use namespaces::{CORE, Namespace, by_prefix, by_uri};

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

/// The meaning of an element, in any position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Element {
    Abstract,
    Archive,
    Author,
    Body,
    Break,
    Categories,
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
    OriginalLink,
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
    /// Whether the element belongs directly into a feed or entry, so that an open element around it was not closed.
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
