//! Media RSS: kept element by element, attributes as written.
//!
//! A group is transparent, because its content is about the entry. Titles and descriptions of media are fallbacks for
//! the entry's own (`finish`); categories and keywords are categories (`links`).

use model::reading::TextKind;

use super::Reader;
use crate::html_guess::looks_like_html;
use crate::markup::Tag;
use crate::names::Element;

impl<'a> Reader<'a> {
    /// Its children (thumbnails, credits) belong to the entry, so it is not read to its end here.
    pub(super) fn media_content(&mut self) {
        let said = self.all_attributes();
        let limit = self.room();
        let media = self.about().media.get_or_insert_default();
        if media.content.len() < limit {
            media.content.push(said);
        }
    }

    pub(super) fn media(&mut self, element: Element, tag: &Tag<'a>) {
        match element {
            Element::MediaTitle => {
                let (text, _) = self.rich(tag, TextKind::Plain);
                let media = self.about().media.get_or_insert_default();
                if media.title.is_none() && !text.value.is_empty() {
                    media.title = Some(text);
                }
                return;
            }
            Element::MediaDescription => {
                // Plain by default according to the specification, but publishers put HTML there.
                let (mut text, _) = self.rich(tag, TextKind::Plain);
                if text.kind == TextKind::Plain && looks_like_html(&text.value) {
                    text.kind = TextKind::Html;
                }
                let media = self.about().media.get_or_insert_default();
                if media.description.is_none() && !text.value.is_empty() {
                    media.description = Some(text);
                }
                return;
            }
            _ => {}
        }
        let mut said = self.all_attributes();
        said.text = self.string_of(tag);
        let limit = self.room();
        let media = self.about().media.get_or_insert_default();
        match element {
            Element::MediaThumbnail => {
                if !said.pairs.iter().any(|(name, _)| name == "url")
                    && let Some(url) = said.text.take()
                {
                    said.pairs.push(("url".into(), url));
                }
                if media.thumbnail.len() < limit {
                    media.thumbnail.push(said);
                }
            }
            Element::MediaCredit if media.credit.len() < limit => media.credit.push(said),
            Element::MediaPlayer => media.player = Some(said),
            Element::MediaRating => {
                media.rating.get_or_insert(said);
            }
            Element::MediaLicense => {
                media.license.get_or_insert(said);
            }
            Element::MediaRestriction => {
                media.restriction.get_or_insert(said);
            }
            _ => {}
        }
    }
}
