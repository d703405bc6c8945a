//! The ends of elements, and of the document: stores the collected values.
//!
//! All fallbacks are here: a title that only Media RSS gave, a summary that only Apple's fields gave, a guid that is
//! the link. They are applied at the end, so that the order of elements does not matter.

use jiff::Timestamp;
use model::reading::{ByteRange, End, Extension, Image, Person, ReadEntry, Reading, TextInput};

use super::{Open, Position, Reader};

/// A complete entry, and what it used of the document's limits.
pub(super) struct Finished {
    entry: ReadEntry,
    values: usize,
    grown: usize,
}

impl Finished {
    fn date(&self) -> Option<Timestamp> {
        let about = &self.entry.about;
        [&about.published, &about.created, &about.updated].into_iter().flatten().find_map(|date| date.at)
    }
}

impl<'a> Reader<'a> {
    pub(super) fn close(&mut self, mut open: Open<'a>) {
        match open.position {
            Position::Entry if !self.open.iter().any(|open| open.position == Position::Entry) => self.end_entry(),
            Position::Source if !self.open.iter().any(|open| open.position == Position::Source) => {
                self.end_source(&open.text);
            }
            Position::Feed => self.channel_closed |= local_name(open.name).eq_ignore_ascii_case("channel"),
            Position::Image => self.end_image(&open.text),
            Position::TextInput => {
                let input = std::mem::take(&mut self.text_input);
                if input != TextInput::default() {
                    self.feed.text_input = Some(Box::new(input));
                }
            }
            Position::Person(role) => {
                let text = self.entities.clean(open.text.as_str().into(), self.quirks).into_owned();
                self.end_person(role, &text);
            }
            Position::Where(_) => (self.dimensions, self.projected) = (None, false),
            Position::Extension => {
                if let Some(mut extension) = open.extension.take() {
                    let text = self.own(open.text.as_str().into());
                    extension.said.text = (!text.is_empty()).then_some(text);
                    if extension.said.text.is_some() || !extension.said.pairs.is_empty() {
                        self.push_extension(*extension);
                    }
                }
            }
            _ => {}
        }
        self.bindings.truncate(open.bindings);
        self.leave(open.outside);
    }

    /// Closes open elements. A document that ends inside of its feed ended early, and the entry it ended in is not one
    /// of its entries.
    pub(super) fn end_of_document(&mut self) {
        let unclosed = self.open.last().filter(|open| open.position != Position::Root);
        if let Some(open) = unclosed.filter(|_| self.end == End::Complete) {
            let (name, end) = (open.name, self.markup.end());
            // All content of an `<rss>` is in its channel.
            let said_all = self.channel_closed && !self.ended_inside && local_name(name).eq_ignore_ascii_case("rss");
            if !said_all {
                self.end = End::Early;
            }
            if !self.ended_inside {
                self.problems.at(end, || ended_inside(name));
            }
        }
        let half = self.end == End::Early && self.entry.is_none();
        if half {
            // An incomplete picture or person is dropped.
            (self.image, self.text_input, self.person) = (Image::default(), TextInput::default(), Person::default());
        }
        while let Some(mut open) = self.open.pop() {
            if half {
                open.text.clear();
                open.extension = None;
            }
            self.close(open);
        }
    }

    pub(super) fn push_extension(&mut self, extension: Extension) {
        let limit = self.room();
        let extensions = &mut self.about().extensions;
        if extensions.len() < limit {
            extensions.push(extension);
        }
    }

    fn end_entry(&mut self) {
        self.halfway = None;
        let Some((mut entry, start)) = self.entry.take() else { return };
        entry.range = Some(ByteRange { start: start as u64, end: self.markup.end() as u64 });
        if let Some(original) = self.original_link.take() {
            entry.about.link = Some(original);
        }
        self.fall_back(&mut entry);
        if self.end != End::Complete {
            self.unfinished = Some(entry);
            return;
        }
        let (values, growth) = self.before_entry;
        let (values, grown) = (values.saturating_sub(self.values), growth.saturating_sub(self.growth.left()));
        for gone in self.entries.push(Finished { entry: *entry, values, grown }, Finished::date) {
            self.values += gone.values;
            self.growth.give_back(gone.grown);
        }
    }

    /// Fills missing fields from alternatives.
    fn fall_back(&self, entry: &mut ReadEntry) {
        if let (None, Some(id)) = (&entry.about.link, &entry.about.id) {
            let is_address = id.starts_with("http://") || id.starts_with("https://");
            entry.about.link = match entry.guid_is_permalink {
                Some(true) => Some(self.resolve(id)).filter(|link| crate::urls::scheme(link).is_some()),
                // Atom's id and RDF's about are not links, but a URL there is the next best.
                None => is_address.then(|| id.clone()),
                Some(false) => None,
            };
        }
        if let Some(media) = &entry.about.media {
            if entry.about.title.is_none() {
                entry.about.title.clone_from(&media.title);
            }
            if entry.summary.is_none() {
                entry.summary.clone_from(&media.description);
            }
        }
        if let Some(itunes) = &entry.about.itunes {
            if entry.summary.is_none()
                && let Some(summary) = itunes.summary.as_ref().or(itunes.subtitle.as_ref())
            {
                entry.summary = Some(self.plain(summary));
            }
            if entry.about.image.is_none() && itunes.image.is_some() {
                entry.about.image = Some(Box::new(Image { url: itunes.image.clone(), ..Image::default() }));
            }
        }
    }

    fn end_source(&mut self, text: &str) {
        let text = self.own(text.into());
        let Some(mut source) = self.source.take() else { return };
        if source.about.title.is_none() && !text.is_empty() {
            source.about.title = Some(self.plain(&text));
        }
        if let Some((entry, _)) = &mut self.entry {
            entry.source = Some(source);
        }
    }

    fn end_image(&mut self, text: &str) {
        let mut image = std::mem::take(&mut self.image);
        let text = text.trim();
        if image.url.is_none() && !text.is_empty() && !text.contains(char::is_whitespace) {
            image.url = Some(self.resolve(text));
        }
        if image == Image::default() {
            return;
        }
        // RSS 1.0 refers to the image first and describes it later.
        let known = self.about().image.take().map(|image| *image).unwrap_or_default();
        let merged = Image {
            url: image.url.or(known.url),
            title: image.title.or(known.title),
            link: image.link.or(known.link),
            width: image.width.or(known.width),
            height: image.height.or(known.height),
            description: image.description.or(known.description),
        };
        self.about().image = Some(Box::new(merged));
    }

    pub(super) fn into_reading(mut self) -> Option<Reading> {
        let format = self.format?;
        self.report_counted_problems();
        if let Some(itunes) = &self.feed.about.itunes {
            if self.feed.about.image.is_none() && itunes.image.is_some() {
                let image = Image { url: itunes.image.clone(), ..Image::default() };
                self.feed.about.image = Some(Box::new(image));
            }
            if self.feed.subtitle.is_none()
                && let Some(subtitle) = itunes.subtitle.clone().or_else(|| itunes.summary.clone())
            {
                self.feed.subtitle = Some(self.plain(&subtitle));
            }
        }
        let hints = &mut self.feed.hints;
        if hints.ttl_minutes.is_none() && hints.update_period.is_some() {
            hints.ttl_minutes = minutes_between(hints.update_period.as_deref(), hints.update_frequency);
        }
        let (entries, left_out) = self.entries.finish(Finished::date);
        if let Some(said) = left_out {
            self.problems.whole(said);
        }
        Some(Reading {
            format,
            encoding: String::new(),
            feed: self.feed,
            entries: entries.into_iter().map(|finished| finished.entry).collect(),
            end: self.end,
            unfinished: self.unfinished,
            problems: self.problems.finish(),
        })
    }
}

impl Reader<'_> {
    /// Reports problems that are counted rather than listed.
    fn report_counted_problems(&mut self) {
        if let Some(at) = self.stray {
            self.problems.at(at, || "there is text before the feed begins".into());
        }
        let oddities: Vec<_> = self.markup.oddities().collect();
        for (at, what) in oddities {
            self.problems.at(at, || what.into());
        }
        match self.entities.unknown {
            0 => {}
            1 => self.problems.whole("an & is not escaped, or its entity is not known"),
            many => self.problems.whole(format!("{many} times an & is not escaped, or its entity is not known")),
        }
        if self.entities.overrun {
            self.problems.whole("the entities of the document type grow too large and were left as they are");
        }
        if self.points == 0 {
            self.problems.whole("its locations have too many points; further ones were left out");
        }
        if self.quirks.controls && self.markup.has_control_characters() {
            self.problems.whole("there are control characters in it, which were left out");
        }
    }
}

/// The message about a document that ends inside of an element.
pub(super) fn ended_inside(name: &str) -> String {
    format!("the document ends inside <{name}>: it is cut off, or a tag is not closed")
}

fn local_name(name: &str) -> &str {
    name.rsplit(':').next().unwrap_or(name)
}

/// The syndication module's period, and its frequency.
fn minutes_between(period: Option<&str>, frequency: Option<u32>) -> Option<u32> {
    let period = match period?.to_ascii_lowercase().as_str() {
        "hourly" => 60,
        "daily" => 24 * 60,
        "weekly" => 7 * 24 * 60,
        "monthly" => 30 * 24 * 60,
        "yearly" => 365 * 24 * 60,
        _ => return None,
    };
    Some((period / frequency.unwrap_or(1).max(1)).max(1))
}
