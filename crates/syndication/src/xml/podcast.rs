//! Podcasts: Apple's fields and Podlove's chapters.
//!
//! Durations, numbers and times stay as written: every publisher has its own format, and players know them. Other
//! podcast vocabularies (transcripts, persons, value) are kept as extensions.

use model::reading::{Chapter, Itunes};

use super::{Flow, Position, Reader};
use crate::markup::Tag;
use crate::names::Element;

impl<'a> Reader<'a> {
    pub(super) fn in_chapters(&mut self, element: Element, tag: &Tag<'a>) -> Flow {
        if element != Element::Chapter {
            return Flow::Inside(Position::Void);
        }
        let chapter = Chapter {
            start: self.attribute_string("start"),
            title: self.attribute_string("title"),
            href: self.attribute("href").map(|href| self.resolve(&href)),
            image: self.attribute("image").map(|image| self.resolve(&image)),
        };
        let limit = self.room();
        if let Some(chapters) = self.entry.as_mut().and_then(|(entry, _)| entry.chapters.as_mut())
            && chapters.chapters.len() < limit
        {
            chapters.chapters.push(chapter);
        }
        self.expect_end(tag);
        Flow::Done
    }

    pub(super) fn itunes(&mut self, element: Element, tag: &Tag<'a>) {
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
                // Apple: anything but Yes has no effect.
                itunes.block = Some(matches!(text.as_str(), "Yes" | "yes"));
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
