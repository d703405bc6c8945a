//! The meaning of elements, by position.
//!
//! One match arm per meaning. If a field is given twice, the later one counts, except for titles (the first):
//! publishers expect this from the most widely used parser.

use model::reading::{Chapters, Generator, Source};

use super::geo::Shape;
use super::{Flow, Position, Reader, Role};
use crate::markup::Tag;
use crate::names::{Element, Namespace, Vocabulary};

impl<'a> Reader<'a> {
    pub(super) fn element(&mut self, element: Element, namespace: Namespace<'a>, tag: &Tag<'a>) -> Flow {
        let in_unknown =
            self.position() == Position::Void || (self.position() == Position::Extension && self.entry.is_some());
        if element == Element::Entry && !in_unknown {
            if self.format.is_none() && !self.may_be_lone_entry(tag) {
                return Flow::Inside(Position::Root);
            }
            // An entry is an entry in any position: open elements around it were not closed.
            return self.begin_entry(tag);
        }
        if element == Element::Break && !in_unknown {
            // HTML that was meant for a text: its end cannot be relied on.
            return Flow::Done;
        }
        while self.was_left_open(element, namespace) {
            let Some(open) = self.open.pop() else { break };
            let name = open.name;
            self.problems.at(self.markup.start(), || format!("<{name}> is not closed"));
            self.close(open);
        }
        match self.position() {
            Position::Root => self.at_root(element, namespace),
            Position::Feed | Position::Entry | Position::Source => self.about_element(element, namespace, tag),
            Position::Image => self.in_image(element, tag),
            Position::TextInput => self.in_text_input(element, tag),
            Position::Person(_) => self.in_person(element, namespace, tag),
            Position::SkipHours | Position::SkipDays => self.in_skip(element, tag),
            Position::Where(shape) => self.in_where(element, shape, tag),
            Position::Chapters => self.in_chapters(element, tag),
            Position::Extension if namespace.vocabulary == Vocabulary::Core => {
                let text = self.text_of(tag);
                if let Some(open) = self.open.last_mut().filter(|open| open.text.is_empty()) {
                    open.text.push_str(&text);
                }
                Flow::Done
            }
            Position::Extension => self.in_extension(element, namespace, tag),
            Position::Void => Flow::Inside(Position::Void),
        }
    }

    /// Whether an element shows that its parent, which holds only certain children, was not closed.
    fn was_left_open(&self, element: Element, namespace: Namespace<'a>) -> bool {
        let own_part = match self.position() {
            // Some give the image an identifier of its own.
            Position::Image => {
                matches!(element, Element::Title | Element::Link | Element::Description | Element::Id)
            }
            Position::TextInput => matches!(element, Element::Title | Element::Link | Element::Description),
            Position::Person(_) => matches!(element, Element::Link),
            _ => return false,
        };
        namespace.vocabulary == Vocabulary::Core && element.stands_alone() && !own_part
    }

    fn about_element(&mut self, element: Element, namespace: Namespace<'a>, tag: &Tag<'a>) -> Flow {
        let position = self.position();
        match element {
            Element::Channel | Element::Rss | Element::Rdf | Element::Feed if position == Position::Feed => {
                if let Some(about) = self.attribute_string("about") {
                    self.feed.about.id = Some(about);
                }
                if self.own_language().is_some() {
                    self.feed_begins();
                }
                self.cdf_attributes();
                return Flow::Inside(Position::Feed);
            }
            Element::Transparent | Element::Redirect => return Flow::Inside(position),
            Element::Void => return Flow::Inside(Position::Void),

            Element::Title => self.title(tag),
            Element::Description
            | Element::Abstract
            | Element::Summary
            | Element::Subtitle
            | Element::Info
            | Element::Content
            | Element::Encoded
            | Element::Body
            | Element::Rights => self.prose(element, tag),

            Element::Link => self.link(tag),
            Element::Enclosure => self.enclosure(tag),
            Element::License => self.license(tag),
            Element::Guid | Element::Id => self.identifier(element, tag),
            Element::Comments => self.comments(tag),
            Element::OriginalLink => self.original_link(tag),
            Element::CommentsFeed => self.set_in_entry(tag, |entry, url| entry.comments_feed = Some(url)),
            Element::CommentsApi => self.comments_api(tag),
            Element::InReplyTo => self.in_reply_to(tag),

            Element::Author | Element::ItunesAuthor => return self.begin_person(Role::Author),
            Element::Contributor | Element::PlainContributor => return self.begin_person(Role::Contributor),
            Element::WebMaster => return self.begin_person(Role::Publisher),
            Element::ItunesOwner => return self.begin_person(Role::Owner),

            Element::Category => self.category(tag, None),
            Element::Categories => return self.categories(tag),
            Element::MediaCategory => self.category(tag, Some("http://search.yahoo.com/mrss/category_schema")),
            Element::ItunesCategory => {
                if let Some(term) = self.attribute_string("text") {
                    self.add_category(Some(term), Some("http://www.itunes.com/".into()), None);
                }
                // Subcategories are categories of their own.
                return Flow::Inside(position);
            }
            Element::Keywords | Element::MediaKeywords => self.keywords(tag, None),
            Element::ItunesKeywords => self.keywords(tag, Some("http://www.itunes.com/")),

            Element::Published | Element::Updated | Element::Created | Element::Expired | Element::Valid => {
                self.date(element, tag);
            }
            Element::Language => {
                if let Some(language) = self.string_of(tag) {
                    self.about().language = Some(language.replace('_', "-"));
                }
            }
            Element::Image => {
                self.image.url = self.attribute("resource").map(|url| self.resolve(&url)).or_else(|| self.address());
                return Flow::Inside(Position::Image);
            }
            Element::Source if position == Position::Entry => {
                let url = self.address();
                self.source = Some(Box::new(Source { url, ..Source::default() }));
                return Flow::Inside(Position::Source);
            }
            Element::Icon => self.picture(tag, true),
            Element::Logo => self.picture(tag, false),
            Element::Generator => self.generator(tag),
            Element::GeneratorAgent => {
                let uri = self.attribute_string("resource");
                self.set_generator(Generator { uri, ..Generator::default() });
                return Flow::Inside(Position::Extension);
            }
            Element::TextInput => return Flow::Inside(Position::TextInput),
            Element::SkipHours => return Flow::Inside(Position::SkipHours),
            Element::SkipDays => return Flow::Inside(Position::SkipDays),
            Element::Docs
            | Element::Cloud
            | Element::Ttl
            | Element::NewLocation
            | Element::UpdatePeriod
            | Element::UpdateFrequency
            | Element::UpdateBase
            | Element::Archive
            | Element::Complete => self.feed_only(element, tag),

            Element::ItunesBlock
            | Element::ItunesDuration
            | Element::ItunesEpisode
            | Element::ItunesEpisodeType
            | Element::ItunesExplicit
            | Element::ItunesImage
            | Element::ItunesSeason
            | Element::ItunesSubtitle
            | Element::ItunesSummary
            | Element::ItunesType => self.itunes(element, tag),

            Element::MediaContent => {
                self.media_content();
                return Flow::Inside(position);
            }
            Element::MediaCredit
            | Element::MediaDescription
            | Element::MediaLicense
            | Element::MediaPlayer
            | Element::MediaRating
            | Element::MediaRestriction
            | Element::MediaThumbnail
            | Element::MediaTitle => {
                self.media(element, tag);
            }

            Element::GeoPoint | Element::GeoLine | Element::GeoPolygon | Element::GeoBox => self.geo(element, tag),
            Element::Latitude | Element::Longitude => self.latitude_longitude(element, tag),
            Element::Where => return Flow::Inside(Position::Where(Shape::Point)),
            Element::GmlPoint | Element::GmlLine | Element::GmlPolygon | Element::GmlEnvelope => {
                return self.in_where(element, Shape::Point, tag);
            }

            Element::Chapters => {
                let version = self.attribute_string("version");
                if let Some((entry, _)) = &mut self.entry
                    && entry.chapters.is_none()
                {
                    entry.chapters = Some(Box::new(Chapters { version, chapters: Vec::new() }));
                    return Flow::Inside(Position::Chapters);
                }
                return Flow::Inside(Position::Void);
            }
            _ if namespace.vocabulary == Vocabulary::Xhtml => return Flow::Inside(Position::Void),
            _ => return Flow::Inside(Position::Extension),
        }
        Flow::Done
    }

    /// Inside an unknown element only unambiguous elements keep their meaning.
    fn in_extension(&mut self, element: Element, namespace: Namespace<'a>, tag: &Tag<'a>) -> Flow {
        match namespace.vocabulary {
            Vocabulary::Media | Vocabulary::Geo | Vocabulary::GeoRss => {
                let flow = self.about_element(element, namespace, tag);
                // The parent's position must not be passed on to children.
                match flow {
                    Flow::Inside(Position::Feed | Position::Entry | Position::Source) => Flow::Inside(Position::Void),
                    flow => flow,
                }
            }
            _ => Flow::Inside(Position::Extension),
        }
    }

    fn date(&mut self, element: Element, tag: &Tag<'a>) {
        let at = self.markup.start();
        let Some(mut text) = self.string_of(tag) else { return };
        if element == Element::Valid {
            let Some((_, end)) =
                text.split(';').filter_map(|part| part.split_once('=')).find(|(key, _)| key.trim() == "end")
            else {
                return;
            };
            let end = end.trim().to_owned();
            let (namespace, local) = self.expand(tag.name);
            let mut extension = self.extension(namespace, local);
            extension.said.text = Some(std::mem::replace(&mut text, end));
            self.push_extension(extension);
        }
        let dated = self.dated(text);
        if dated.at.is_none() {
            let text = dated.text.chars().take(60).collect::<String>();
            self.problems.at(at, || format!("“{text}” is not a date"));
        }
        let about = self.about();
        let slot = match element {
            Element::Published => &mut about.published,
            Element::Updated => &mut about.updated,
            Element::Created => &mut about.created,
            _ => &mut about.expired,
        };
        // A valid date is not replaced by an invalid one.
        if dated.at.is_some() || slot.as_ref().is_none_or(|known| known.at.is_none()) {
            *slot = Some(dated);
        }
    }
}
