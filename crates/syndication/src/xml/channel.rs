//! Elements that only a feed has (or the source of an entry): pictures, generator, scheduling hints.
//!
//! Hints are kept as given, within a valid range; the scheduler decides whether to follow them. Links with hints
//! (`hub`, `next`, …) are in `links`.

use model::reading::{Cloud, Dated, Generator, Weekday};

use super::{Flow, Position, Reader};
use crate::date;
use crate::markup::Tag;
use crate::names::Element;

impl<'a> Reader<'a> {
    pub(super) fn in_image(&mut self, element: Element, tag: &Tag<'a>) -> Flow {
        match element {
            Element::Title => self.image.title = self.string_of(tag),
            Element::Url | Element::Uri => self.image.url = self.url_of(tag),
            Element::Link => self.image.link = self.url_of(tag),
            Element::Description => self.image.description = self.string_of(tag),
            Element::Width => self.image.width = self.text_of(tag).parse().ok(),
            Element::Height => self.image.height = self.text_of(tag).parse().ok(),
            _ => return Flow::Inside(Position::Void),
        }
        Flow::Done
    }

    pub(super) fn in_text_input(&mut self, element: Element, tag: &Tag<'a>) -> Flow {
        match element {
            Element::Title => self.text_input.title = self.string_of(tag),
            Element::Description => self.text_input.description = self.string_of(tag),
            Element::Name => self.text_input.name = self.string_of(tag),
            Element::Link => self.text_input.link = self.url_of(tag),
            _ => return Flow::Inside(Position::Void),
        }
        Flow::Done
    }

    pub(super) fn in_skip(&mut self, element: Element, tag: &Tag<'a>) -> Flow {
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

    pub(super) fn generator(&mut self, tag: &Tag<'a>) {
        let uri = self.address();
        let version = self.attribute_string("version");
        let name = self.string_of(tag);
        self.set_generator(Generator { name, uri, version });
    }

    pub(super) fn set_generator(&mut self, generator: Generator) {
        if generator == Generator::default() {
            return;
        }
        match &mut self.source {
            Some(source) => source.generator = Some(generator),
            None if self.entry.is_none() => self.feed.generator = Some(generator),
            None => {}
        }
    }

    pub(super) fn picture(&mut self, tag: &Tag<'a>, icon: bool) {
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

    pub(super) fn feed_only(&mut self, element: Element, tag: &Tag<'a>) {
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
