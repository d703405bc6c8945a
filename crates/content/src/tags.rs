//! The elements of HTML by name, and what happens to each: the allow-list.
//!
//! Listed elements are kept (A-149). Most others lose their tags and keep their text; blocks among them still separate
//! paragraphs; elements without text for a reader are removed with their content.

/// What happens to an element.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Kept; ends a paragraph.
    Block,
    /// Kept; a block that holds no other heading.
    Heading,
    /// Kept; ends the item before it.
    Item,
    /// Kept; inline, never nested in itself.
    Run,
    /// Kept; missing rows and cells are added.
    Table,
    /// Kept inside a table: `thead` and `tbody`.
    Rows,
    /// Kept inside a table.
    Row,
    /// Kept inside a row.
    Cell,
    /// Kept; void.
    Line,
    /// Kept, or turned into a link, or dropped; void.
    Image,
    /// Turned into a link: an embedded page, audio or video.
    Embedded,
    /// Tags removed; the content is a paragraph of its own.
    Break,
    /// Tags removed; the content stays.
    Through,
    /// Tag removed; void.
    Nothing,
    /// Removed with its content.
    Gone,
}

macro_rules! tags {
    ($($tag:ident $name:literal $kind:ident,)*) => {
        /// A known element of HTML.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub(crate) enum Tag { $($tag,)* Unknown }

        impl Tag {
            /// By its name in lower case.
            pub(crate) fn named(name: &[u8]) -> Self {
                // The compiler turns this into a search by length and bytes.
                $(const $tag: &[u8] = $name.as_bytes();)*
                match name { $($tag => Self::$tag,)* _ => Self::Unknown }
            }

            pub(crate) fn name(self) -> &'static str {
                match self { $(Self::$tag => $name,)* Self::Unknown => "" }
            }

            pub(crate) fn kind(self) -> Kind {
                match self { $(Self::$tag => Kind::$kind,)* Self::Unknown => Kind::Through }
            }

            #[cfg(test)]
            pub(crate) const ALL: &[Self] = &[$(Self::$tag,)*];
        }
    };
}

#[expect(non_upper_case_globals, reason = "the constants inside are patterns named after their variants")]
mod table {
    use super::Kind;

    tags! {
        P "p" Block, Blockquote "blockquote" Block, Ul "ul" Block, Ol "ol" Block, Pre "pre" Block,
        Figure "figure" Block, Figcaption "figcaption" Block, Li "li" Item,
        H1 "h1" Heading, H2 "h2" Heading, H3 "h3" Heading, H4 "h4" Heading, H5 "h5" Heading, H6 "h6" Heading,
        A "a" Run, Strong "strong" Run, Em "em" Run, B "b" Run, I "i" Run, U "u" Run, Code "code" Run,
        Table "table" Table, Thead "thead" Rows, Tbody "tbody" Rows, Tfoot "tfoot" Rows, Tr "tr" Row,
        Th "th" Cell, Td "td" Cell, Br "br" Line, Img "img" Image,

        Iframe "iframe" Embedded, Video "video" Embedded, Audio "audio" Embedded, Source "source" Embedded,

        Div "div" Break, Section "section" Break, Article "article" Break, Aside "aside" Break,
        Header "header" Break, Footer "footer" Break, Main "main" Break, Nav "nav" Break, Address "address" Break,
        Center "center" Break, Details "details" Break, Summary "summary" Break, Fieldset "fieldset" Break,
        Legend "legend" Break, Hgroup "hgroup" Break, Dl "dl" Break, Dt "dt" Break, Dd "dd" Break, Dir "dir" Break,
        Menu "menu" Break, Form "form" Break, Caption "caption" Break, Hr "hr" Break, Xmp "xmp" Break,
        Listing "listing" Break, Plaintext "plaintext" Break, Dialog "dialog" Break, Search "search" Break,
        Marquee "marquee" Break, Html "html" Through, Body "body" Through,

        Span "span" Through, Abbr "abbr" Through, Acronym "acronym" Through, Cite "cite" Through, Q "q" Through,
        Sub "sub" Through, Sup "sup" Through, Del "del" Through, Ins "ins" Through, S "s" Through,
        Strike "strike" Through, Small "small" Through, Big "big" Through, Tt "tt" Through, Font "font" Through,
        Mark "mark" Through, Time "time" Through, Kbd "kbd" Through, Samp "samp" Through, Var "var" Through,
        Dfn "dfn" Through, Label "label" Through, Bdi "bdi" Through, Bdo "bdo" Through, Data "data" Through,
        Ruby "ruby" Through, Rb "rb" Through, Rt "rt" Through, Rp "rp" Through, Picture "picture" Through,
        Noscript "noscript" Through, Nobr "nobr" Through, Button "button" Through, Object "object" Through,
        Map "map" Through, Output "output" Through,

        Wbr "wbr" Nothing, Input "input" Nothing, Area "area" Nothing, Track "track" Nothing, Embed "embed" Nothing,
        Param "param" Nothing, Col "col" Nothing, Meta "meta" Nothing, Link "link" Nothing, Base "base" Nothing,

        Script "script" Gone, Style "style" Gone, Template "template" Gone, Svg "svg" Gone, Math "math" Gone,
        Title "title" Gone, Head "head" Gone, Textarea "textarea" Gone, Select "select" Gone,
        Datalist "datalist" Gone, Option "option" Gone, Optgroup "optgroup" Gone, Canvas "canvas" Gone,
        Noembed "noembed" Gone, Noframes "noframes" Gone, Frameset "frameset" Gone, Frame "frame" Gone,
        Applet "applet" Gone, Meter "meter" Gone, Progress "progress" Gone, Colgroup "colgroup" Gone,
    }
}

pub(crate) use table::Tag;

impl Tag {
    /// No end tag, nothing inside.
    pub(crate) fn is_void(self) -> bool {
        matches!(self.kind(), Kind::Line | Kind::Image | Kind::Nothing) || matches!(self, Self::Hr | Self::Source)
    }

    /// HTML reopens these in the next paragraph if they were not closed.
    pub(crate) fn is_formatting(self) -> bool {
        use Tag::{Big, Font, S, Small, Strike, Tt};
        self.kind() == Kind::Run || matches!(self, Font | Big | S | Small | Strike | Tt)
    }

    /// Whether its start tag ends an open paragraph.
    pub(crate) fn ends_paragraph(self) -> bool {
        use Tag::{Caption, Legend, Marquee};
        matches!(self.kind(), Kind::Block | Kind::Heading | Kind::Item | Kind::Table)
            || self.kind() == Kind::Break && !matches!(self, Legend | Caption | Marquee)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_allow_list_is_the_one_that_was_asked_for() {
        let kept = |tag: &&Tag| {
            use Kind::{Block, Cell, Heading, Image, Item, Line, Row, Rows, Run, Table};
            matches!(tag.kind(), Block | Heading | Item | Run | Table | Rows | Row | Cell | Line | Image)
        };
        let mut names: Vec<_> = Tag::ALL.iter().filter(kept).map(|tag| tag.name()).collect();
        names.sort_unstable();
        // tfoot is written as tbody.
        let mut asked: Vec<_> = "p br strong em b i u h1 h2 h3 h4 h5 h6 ul ol li blockquote pre code a img figure \
            figcaption table thead tbody tfoot tr th td"
            .split(' ')
            .collect();
        asked.sort_unstable();
        assert_eq!(names, asked);
    }

    #[test]
    fn every_tag_is_found_by_its_name() {
        for tag in Tag::ALL {
            assert_eq!(Tag::named(tag.name().as_bytes()), *tag);
        }
        assert_eq!(Tag::named(b"blink"), Tag::Unknown);
    }
}
