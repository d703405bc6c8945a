//! What elements mean, by where they stand.
//!
//! One arm per meaning. Where a publisher says a thing twice, the later one counts, except for titles (the first);
//! that is what the most widely used parser has taught publishers to expect.

use model::reading::{Chapter, Chapters, Cloud, Dated, Format, Generator, Itunes, Person, ReadEntry, Source, Weekday};

use super::geo::Shape;
use super::{Flow, Place, Reader, Role};
use crate::date;
use crate::markup::Tag;
use crate::names::{Element, Namespace, Vocabulary};
use crate::person;

impl<'a> Reader<'a> {
    pub(super) fn element(
        &mut self,
        element: Element,
        namespace: Namespace<'a>,
        local: &'a str,
        tag: &Tag<'a>,
    ) -> Flow {
        // An entry is an entry wherever it stands: whatever is open around it was not closed.
        if element == Element::Entry && self.place() != Place::Void {
            return self.begin_entry();
        }
        match self.place() {
            Place::Root => self.at_root(element, namespace),
            Place::Feed | Place::Entry | Place::Source => self.about_element(element, namespace, tag),
            Place::Image => self.in_image(element, tag),
            Place::TextInput => self.in_text_input(element, tag),
            Place::Person(_) => self.in_person(element, namespace, tag),
            Place::SkipHours | Place::SkipDays => self.in_skip(element, tag),
            Place::Where(shape) => self.in_where(element, shape, tag),
            Place::Chapters => self.in_chapters(element, tag),
            Place::Extension if namespace.vocabulary == Vocabulary::Core => {
                let _ = local;
                let text = self.text_of(tag);
                if let Some(open) = self.open.last_mut().filter(|open| open.text.is_empty()) {
                    open.text.push_str(&text);
                }
                Flow::Done
            }
            Place::Extension => self.in_extension(element, namespace, tag),
            Place::Void => Flow::Inside(Place::Void),
        }
    }

    fn at_root(&mut self, element: Element, namespace: Namespace<'a>) -> Flow {
        match element {
            Element::Rss => {
                let version = self.attribute_string("version").unwrap_or_default();
                self.recognise(match version.as_str() {
                    "0.90" | "0.9" if self.netscape => Format::Rss090,
                    "0.91" if self.netscape => Format::Rss091Netscape,
                    "0.91" => Format::Rss091Userland,
                    "0.92" => Format::Rss092,
                    "0.93" => Format::Rss093,
                    "0.94" => Format::Rss094,
                    version if version == "2" || version.starts_with("2.") => Format::Rss20,
                    _ => Format::Rss,
                });
                Flow::Inside(Place::Feed)
            }
            Element::Rdf => {
                self.recognise(
                    self.declared_among(&[Format::Rss090, Format::Rss10, Format::Rss11]).unwrap_or(Format::Rss10),
                );
                Flow::Inside(Place::Feed)
            }
            Element::Feed => {
                let version = self.attribute_string("version").unwrap_or_default();
                let declared = self.declared_among(&[Format::Atom03, Format::Atom10]);
                self.recognise(match declared {
                    Some(format) => format,
                    None if version.starts_with("0.") => Format::Atom03,
                    None => Format::Atom10,
                });
                self.feed_begins();
                Flow::Inside(Place::Feed)
            }
            Element::Channel => {
                self.recognise(
                    self.declared_among(&[Format::Rss090, Format::Rss10, Format::Rss11]).unwrap_or(Format::Cdf),
                );
                self.feed_begins();
                self.feed.about.id = self.attribute_string("about");
                self.cdf_attributes();
                Flow::Inside(Place::Feed)
            }
            Element::Transparent if self.open.is_empty() => {
                self.recognise(Format::Rss);
                Flow::Inside(Place::Feed)
            }
            Element::Html if self.open.is_empty() || namespace.vocabulary == Vocabulary::Xhtml => {
                self.markup.skip_rest();
                Flow::Done
            }
            _ => Flow::Inside(Place::Root),
        }
    }

    /// The first of these dialects whose namespace was declared.
    fn declared_among(&self, formats: &[Format]) -> Option<Format> {
        self.declared.iter().copied().find(|declared| formats.contains(declared))
    }

    fn recognise(&mut self, format: Format) {
        if self.format.is_none() {
            self.format = Some(format);
            self.feed_begins();
        }
    }

    /// The language in force on the root is the feed's.
    fn feed_begins(&mut self) {
        if let Some(language) = &self.language {
            self.feed.about.language = Some(language.to_string());
        }
    }

    fn begin_entry(&mut self) -> Flow {
        while self.entry.is_some() {
            let Some(open) = self.open.pop() else { break };
            let name = open.name;
            self.problems.at(self.markup.start(), || format!("<{name}> is not closed before the next entry"));
            self.close(open);
        }
        if self.format.is_none() {
            // A lone entry, as Atom allows.
            self.recognise(self.declared_among(&[Format::Atom03, Format::Rss10]).unwrap_or(Format::Atom10));
        }
        if self.entries.len() >= self.limits.entries {
            let limit = self.limits.entries;
            self.problems
                .at(self.markup.start(), || format!("there are more than {limit} entries; the rest was left out"));
            self.markup.skip_rest();
            self.cut = true;
            return Flow::Done;
        }
        let mut entry = Box::new(ReadEntry::default());
        entry.about.id = self.attribute_string("about");
        entry.about.language = self.own_language();
        self.entry = Some((entry, self.markup.start()));
        self.cdf_attributes();
        Flow::Inside(Place::Entry)
    }

    /// The language that the element itself states.
    fn own_language(&self) -> Option<String> {
        let states = self.attributes.iter().any(|(name, _)| *name == "xml:lang");
        if states { self.language.as_ref().map(ToString::to_string) } else { None }
    }

    /// CDF says with attributes what others say with elements.
    fn cdf_attributes(&mut self) {
        if let Some(text) = self.attribute_string("lastmod") {
            self.about().updated = Some(Dated { at: date::parse(&text), text });
        }
        if self.attributes.iter().any(|(name, _)| name.eq_ignore_ascii_case("href"))
            && let Some(href) = self.attribute("href")
        {
            let href = self.resolve(&href);
            self.add_plain_link(href);
        }
    }

    fn about_element(&mut self, element: Element, namespace: Namespace<'a>, tag: &Tag<'a>) -> Flow {
        let place = self.place();
        match element {
            Element::Channel | Element::Rss | Element::Rdf | Element::Feed if place == Place::Feed => {
                if let Some(about) = self.attribute_string("about") {
                    self.feed.about.id = Some(about);
                }
                if self.own_language().is_some() {
                    self.feed_begins();
                }
                self.cdf_attributes();
                return Flow::Inside(Place::Feed);
            }
            Element::Transparent => return Flow::Inside(place),
            Element::Void => return Flow::Inside(Place::Void),

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
            Element::Comments => self.set_in_entry(tag, |entry, url| entry.comments = Some(url)),
            Element::CommentsFeed => self.set_in_entry(tag, |entry, url| entry.comments_feed = Some(url)),
            Element::InReplyTo => self.in_reply_to(tag),

            Element::Author | Element::ItunesAuthor => return self.begin_person(Role::Author),
            Element::Contributor | Element::PlainContributor => return self.begin_person(Role::Contributor),
            Element::WebMaster => return self.begin_person(Role::Publisher),
            Element::ItunesOwner => return self.begin_person(Role::Owner),

            Element::Category => self.category(tag, None),
            Element::MediaCategory => self.category(tag, Some("http://search.yahoo.com/mrss/category_schema")),
            Element::ItunesCategory => {
                if let Some(term) = self.attribute_string("text") {
                    self.add_category(Some(term), Some("http://www.itunes.com/".into()), None);
                }
                // Subcategories are categories of their own.
                return Flow::Inside(place);
            }
            Element::Keywords | Element::MediaKeywords => self.keywords(tag, None),
            Element::ItunesKeywords => self.keywords(tag, Some("http://www.itunes.com/")),

            Element::Published | Element::Updated | Element::Created | Element::Expired | Element::Valid => {
                self.date(element, tag)
            }
            Element::Language => {
                if let Some(language) = self.string_of(tag) {
                    self.about().language = Some(language.replace('_', "-"));
                }
            }
            Element::Image => {
                self.image.url = self.attribute("resource").map(|url| self.resolve(&url)).or_else(|| self.address());
                return Flow::Inside(Place::Image);
            }
            Element::Source if place == Place::Entry => {
                let url = self.address();
                self.source = Some(Box::new(Source { url, ..Source::default() }));
                return Flow::Inside(Place::Source);
            }
            Element::Icon => self.picture(tag, true),
            Element::Logo => self.picture(tag, false),
            Element::Generator => self.generator(tag),
            Element::GeneratorAgent => {
                let uri = self.attribute_string("resource");
                self.set_generator(Generator { uri, ..Generator::default() });
                return Flow::Inside(Place::Extension);
            }
            Element::TextInput => return Flow::Inside(Place::TextInput),
            Element::SkipHours => return Flow::Inside(Place::SkipHours),
            Element::SkipDays => return Flow::Inside(Place::SkipDays),
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
                return Flow::Inside(place);
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
            Element::Where => return Flow::Inside(Place::Where(Shape::Point)),
            Element::GmlPoint | Element::GmlLine | Element::GmlPolygon | Element::GmlEnvelope => {
                return self.in_where(element, Shape::Point, tag);
            }

            Element::Chapters => {
                let version = self.attribute_string("version");
                if let Some((entry, _)) = &mut self.entry
                    && entry.chapters.is_none()
                {
                    entry.chapters = Some(Box::new(Chapters { version, chapters: Vec::new() }));
                    return Flow::Inside(Place::Chapters);
                }
                return Flow::Inside(Place::Void);
            }
            _ if namespace.vocabulary == Vocabulary::Xhtml => return Flow::Inside(Place::Void),
            _ => return Flow::Inside(Place::Extension),
        }
        Flow::Done
    }

    /// Inside an element nobody knows, only what cannot be mistaken keeps its meaning.
    fn in_extension(&mut self, element: Element, namespace: Namespace<'a>, tag: &Tag<'a>) -> Flow {
        match namespace.vocabulary {
            Vocabulary::Media | Vocabulary::Geo | Vocabulary::GeoRss => {
                let flow = self.about_element(element, namespace, tag);
                // The place outside is not ours to give to children.
                match flow {
                    Flow::Inside(Place::Feed | Place::Entry | Place::Source) => Flow::Inside(Place::Void),
                    flow => flow,
                }
            }
            _ => Flow::Inside(Place::Extension),
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
        let dated = Dated { at: date::parse(&text), text };
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
        // A date that can be understood is not replaced by one that cannot.
        if dated.at.is_some() || slot.as_ref().is_none_or(|known| known.at.is_none()) {
            *slot = Some(dated);
        }
    }

    fn begin_person(&mut self, role: Role) -> Flow {
        self.person = Person::default();
        Flow::Inside(Place::Person(role))
    }

    fn in_person(&mut self, element: Element, namespace: Namespace<'a>, tag: &Tag<'a>) -> Flow {
        match element {
            Element::Name => self.person.name = self.string_of(tag),
            Element::Email => self.person.email = self.string_of(tag),
            Element::Uri | Element::Url => self.person.uri = self.url_of(tag),
            Element::Link => {
                if let Some(href) = self.address() {
                    self.person.uri = Some(href);
                    self.expect_end(tag);
                } else {
                    self.person.uri = self.url_of(tag);
                }
            }
            Element::Unknown if namespace.vocabulary == Vocabulary::Other => return Flow::Inside(Place::Extension),
            _ => return Flow::Inside(Place::Void),
        }
        Flow::Done
    }

    /// A person has been read: from its parts, or out of its text.
    pub(super) fn end_person(&mut self, role: Role, text: &str) {
        let mut person = std::mem::take(&mut self.person);
        if person == Person::default() {
            let Some(split) = person::split(text) else { return };
            person = split;
        }
        let limit = self.limits.list;
        let about = self.about();
        match role {
            Role::Author if about.authors.len() < limit && !about.authors.contains(&person) => {
                about.authors.push(person)
            }
            Role::Contributor if about.contributors.len() < limit => about.contributors.push(person),
            Role::Publisher => about.publisher = Some(person),
            Role::Owner => {
                about.publisher = Some(person.clone());
                about.itunes.get_or_insert_default().owner = Some(person);
            }
            Role::Author | Role::Contributor => {}
        }
    }

    fn in_image(&mut self, element: Element, tag: &Tag<'a>) -> Flow {
        match element {
            Element::Title => self.image.title = self.string_of(tag),
            Element::Url | Element::Uri => self.image.url = self.url_of(tag),
            Element::Link => self.image.link = self.url_of(tag),
            Element::Description => self.image.description = self.string_of(tag),
            Element::Width => self.image.width = self.text_of(tag).parse().ok(),
            Element::Height => self.image.height = self.text_of(tag).parse().ok(),
            _ => return Flow::Inside(Place::Void),
        }
        Flow::Done
    }

    fn in_text_input(&mut self, element: Element, tag: &Tag<'a>) -> Flow {
        match element {
            Element::Title => self.text_input.title = self.string_of(tag),
            Element::Description => self.text_input.description = self.string_of(tag),
            Element::Name => self.text_input.name = self.string_of(tag),
            Element::Link => self.text_input.link = self.url_of(tag),
            _ => return Flow::Inside(Place::Void),
        }
        Flow::Done
    }

    fn in_skip(&mut self, element: Element, tag: &Tag<'a>) -> Flow {
        let text = self.text_of(tag);
        let hints = &mut self.feed.hints;
        match element {
            Element::Hour => {
                // The specification says 0 to 23; many write 1 to 24.
                if let Ok(hour @ 0..=24) = text.parse::<u8>()
                    && !hints.skip_hours.contains(&(hour % 24))
                {
                    hints.skip_hours.push(hour % 24);
                }
            }
            Element::Day => {
                if let Some(day) = weekday(&text).filter(|day| !hints.skip_days.contains(day)) {
                    hints.skip_days.push(day);
                }
            }
            _ => {}
        }
        Flow::Done
    }

    fn in_chapters(&mut self, element: Element, tag: &Tag<'a>) -> Flow {
        if element != Element::Chapter {
            return Flow::Inside(Place::Void);
        }
        let chapter = Chapter {
            start: self.attribute_string("start"),
            title: self.attribute_string("title"),
            href: self.attribute("href").map(|href| self.resolve(&href)),
            image: self.attribute("image").map(|image| self.resolve(&image)),
        };
        let limit = self.limits.list;
        if let Some(chapters) = self.entry.as_mut().and_then(|(entry, _)| entry.chapters.as_mut())
            && chapters.chapters.len() < limit
        {
            chapters.chapters.push(chapter);
        }
        self.expect_end(tag);
        Flow::Done
    }

    fn generator(&mut self, tag: &Tag<'a>) {
        let uri = self.address();
        let version = self.attribute_string("version");
        let name = self.string_of(tag);
        self.set_generator(Generator { name, uri, version });
    }

    fn set_generator(&mut self, generator: Generator) {
        if generator == Generator::default() {
            return;
        }
        match &mut self.source {
            Some(source) => source.generator = Some(generator),
            None if self.entry.is_none() => self.feed.generator = Some(generator),
            None => {}
        }
    }

    fn picture(&mut self, tag: &Tag<'a>, icon: bool) {
        let url = match self.address() {
            Some(url) => {
                self.expect_end(tag);
                Some(url)
            }
            None => self.url_of(tag),
        };
        match &mut self.source {
            Some(source) if icon => source.icon = url,
            Some(source) => source.logo = url,
            None if self.entry.is_some() => {}
            None if icon => self.feed.icon = url,
            None => self.feed.logo = url,
        }
    }

    fn feed_only(&mut self, element: Element, tag: &Tag<'a>) {
        let text = self.text_of(tag);
        if self.entry.is_some() {
            return;
        }
        let hints = &mut self.feed.hints;
        match element {
            Element::Ttl => hints.ttl_minutes = text.parse().ok().or(hints.ttl_minutes),
            Element::UpdatePeriod => hints.update_period = (!text.is_empty()).then(|| text.into_owned()),
            Element::UpdateFrequency => hints.update_frequency = text.parse().ok(),
            Element::UpdateBase => hints.update_base = Some(Dated { at: date::parse(&text), text: text.into_owned() }),
            Element::Archive => hints.archive = true,
            Element::Complete => hints.complete = true,
            Element::Docs if !text.is_empty() => self.feed.docs = Some(self.resolve(&text)),
            Element::NewLocation if !text.is_empty() => self.feed.new_location = Some(self.resolve(&text)),
            Element::Cloud => {
                let cloud = Cloud {
                    domain: self.attribute_string("domain"),
                    port: self.attribute("port").and_then(|port| port.parse().ok()),
                    path: self.attribute_string("path"),
                    register_procedure: self.attribute_string("registerProcedure"),
                    protocol: self.attribute_string("protocol"),
                };
                self.feed.hints.cloud = Some(Box::new(cloud));
            }
            _ => {}
        }
    }

    fn itunes(&mut self, element: Element, tag: &Tag<'a>) {
        if element == Element::ItunesImage {
            let image = match self.address() {
                Some(url) => {
                    self.expect_end(tag);
                    Some(url)
                }
                None => self.url_of(tag),
            };
            if image.is_some() {
                self.about().itunes.get_or_insert_default().image = image;
            }
            return;
        }
        let Some(text) = self.string_of(tag) else { return };
        let itunes: &mut Itunes = self.about().itunes.get_or_insert_default();
        match element {
            Element::ItunesBlock => {
                itunes.block = Some(text.eq_ignore_ascii_case("yes") || text.eq_ignore_ascii_case("true"))
            }
            Element::ItunesExplicit => {
                itunes.explicit = match text.to_ascii_lowercase().as_str() {
                    "yes" | "true" | "explicit" => Some(true),
                    "no" | "false" | "clean" => Some(false),
                    _ => None,
                };
            }
            Element::ItunesDuration => itunes.duration = Some(text),
            Element::ItunesEpisode => itunes.episode = Some(text),
            Element::ItunesSeason => itunes.season = Some(text),
            Element::ItunesEpisodeType => itunes.episode_type = Some(text),
            Element::ItunesType => itunes.kind = Some(text),
            Element::ItunesSubtitle => itunes.subtitle = Some(text),
            _ => itunes.summary = Some(text),
        }
    }
}

fn weekday(text: &str) -> Option<Weekday> {
    Some(match text.get(..3)?.to_ascii_lowercase().as_str() {
        "mon" => Weekday::Monday,
        "tue" => Weekday::Tuesday,
        "wed" => Weekday::Wednesday,
        "thu" => Weekday::Thursday,
        "fri" => Weekday::Friday,
        "sat" => Weekday::Saturday,
        "sun" => Weekday::Sunday,
        _ => return None,
    })
}
