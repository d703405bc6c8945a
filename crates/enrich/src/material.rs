//! What is looked at: the title and the text of an entry, its full text if there is one, and hashes of both.

use crate::key::hashed;
use content::Limits;
use model::enrichment::Kind;
use model::entry::Hash;
use policy::Rules;
use policy::enrich::{Audience, Text};
use prose::Language;
use store::Material;

/// An entry, ready to be looked at.
pub(crate) struct Prepared {
    pub(crate) material: Material,
    /// The resolved rules of its feed.
    pub(crate) rules: Rules,
    pub(crate) title: String,
    /// Lines of plain text.
    pub(crate) text: String,
    /// Of the text.
    pub(crate) hash: Hash,
    /// What it is written in, if that is clear.
    pub(crate) language: Option<Language>,
}

/// A text that says less about its language than it misleads.
const ENOUGH_BYTES: usize = 40;

impl Prepared {
    /// Reads HTML: not on a thread that serves others.
    pub(crate) fn of(material: Material, global: &Rules) -> Self {
        let (rules, _) = Rules::resolve(global, &material.rules);
        let html = material.full_text.as_deref().or(material.content.as_deref()).unwrap_or_default();
        let cleaned = content::clean(html, None, &Limits::ENTRY);
        let hash = cleaned.hash();
        let title = material.title.clone().unwrap_or_default();
        let text = cleaned.text;
        let spoken = (text.len() >= ENOUGH_BYTES).then(|| prose::language(&text)).flatten();
        let claimed = material.language.as_deref().and_then(|tag| Language::from_code(primary(tag)));
        let language = spoken.or(claimed).or_else(|| prose::language(&title));
        Self { material, rules, title, text, hash, language }
    }

    /// How much there is.
    pub(crate) fn extent(&self) -> Text {
        Text { chars: self.text.chars().count(), has_title: !self.title.trim().is_empty() }
    }

    /// Who would see it.
    pub(crate) fn audience(&self) -> Audience {
        let Material { private, takers, owner, .. } = self.material;
        Audience { private, takers, owner }
    }

    /// The hash of what a kind is made from. Titles are rewritten, so they count there.
    pub(crate) fn hash_for(&self, kind: Kind) -> Hash {
        match kind {
            Kind::Summary | Kind::Tags => self.hash,
            Kind::Deframe => hashed(&[&self.hash, self.title.as_bytes()]),
        }
    }
}

/// `pt` of `pt-BR`.
fn primary(tag: &str) -> &str {
    tag.split(['-', '_']).next().unwrap_or(tag)
}
