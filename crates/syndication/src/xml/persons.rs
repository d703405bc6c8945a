//! Persons in feeds and entries: from child elements, or from one line of text.
//!
//! `crate::person` splits the line; this file knows which elements are persons and their roles. Repeated persons are
//! kept once.

use std::borrow::Cow;

use model::reading::Person;

use super::{Flow, Position, Reader, Role};
use crate::html_guess::{is_html_element, looks_like_html, text_of_html};
use crate::limits::FEW;
use crate::markup::Tag;
use crate::names::{Element, Namespace, Vocabulary};
use crate::person;

impl<'a> Reader<'a> {
    pub(super) fn begin_person(&mut self, role: Role) -> Flow {
        self.person = Person::default();
        Flow::Inside(Position::Person(role))
    }

    pub(super) fn in_person(&mut self, element: Element, namespace: Namespace<'a>, tag: &Tag<'a>) -> Flow {
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
            Element::Unknown if namespace.vocabulary == Vocabulary::Other => return Flow::Inside(Position::Extension),
            // Markup in a name: its text is part of the name, its link is the person's.
            _ if is_markup(namespace, tag.name) => {
                let uri = self.attribute("href").map(|href| self.resolve(&href));
                let text = self.text_of(tag);
                self.person.uri = self.person.uri.take().or(uri);
                if let Some(open) = self.open.last_mut() {
                    open.text.push_str(&text);
                }
            }
            _ => return Flow::Inside(Position::Void),
        }
        Flow::Done
    }

    /// Ends a person: from its parts, or from its text.
    pub(super) fn end_person(&mut self, role: Role, text: &str) {
        let mut person = std::mem::take(&mut self.person);
        let text = if looks_like_html(text) { Cow::Owned(text_of_html(text)) } else { Cow::Borrowed(text) };
        if person.name.is_none()
            && let Some(split) = person::split(&text)
        {
            person.name = split.name;
            person.email = person.email.or(split.email);
            person.uri = person.uri.or(split.uri);
        }
        if person == Person::default() {
            return;
        }
        let limit = self.room();
        let about = self.about();
        match role {
            Role::Author => {
                let known = about.authors.len() < FEW && about.authors.contains(&person);
                if !known && about.authors.len() < limit {
                    about.authors.push(person);
                }
            }
            Role::Contributor if about.contributors.len() < limit => about.contributors.push(person),
            Role::Publisher => about.publisher = Some(person),
            Role::Owner => {
                about.publisher = Some(person.clone());
                about.itunes.get_or_insert_default().owner = Some(person);
            }
            Role::Contributor => {}
        }
    }
}

/// Whether an element marks up text.
fn is_markup(namespace: Namespace<'_>, name: &str) -> bool {
    matches!(namespace.vocabulary, Vocabulary::Core | Vocabulary::Xhtml)
        && is_html_element(name.rsplit(':').next().unwrap_or(name).as_bytes())
}
