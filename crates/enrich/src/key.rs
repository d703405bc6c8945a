//! Keys of results: a hash of all that a result depends on. The same key, the same result: nobody is asked twice.

use model::enrichment::{Scope, Source};
use model::entry::Hash;
use sha2::{Digest as _, Sha256};

/// The key of what is made from a source.
pub(crate) fn key(source: &Source) -> Hash {
    let scope = match source.scope {
        Scope::Everybody => 0,
        Scope::Feed(feed) => feed.0,
    };
    hashed(&[
        source.kind.as_str().as_bytes(),
        &source.text,
        source.language.as_bytes(),
        source.provider.as_bytes(),
        source.model.as_bytes(),
        source.prompt.as_bytes(),
        &scope.to_be_bytes(),
    ])
}

/// Half of SHA-256 over parts, each with its length, so that no two lists of parts are the same bytes.
pub(crate) fn hashed(parts: &[&[u8]]) -> Hash {
    let mut hasher = Sha256::new();
    for part in parts {
        hasher.update((part.len() as u64).to_be_bytes());
        hasher.update(part);
    }
    let digest: [u8; 32] = hasher.finalize().into();
    let mut short = [0; 16];
    short.copy_from_slice(&digest[..16]);
    short
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::FeedId;
    use model::enrichment::Kind;

    #[test]
    fn every_part_of_a_source_makes_another_key() {
        let source = Source {
            kind: Kind::Summary,
            text: [1; 16],
            language: "en".into(),
            provider: "openai".into(),
            model: "m".into(),
            prompt: "p".into(),
            scope: Scope::Everybody,
        };
        let others = [
            Source { kind: Kind::Tags, ..source.clone() },
            Source { text: [2; 16], ..source.clone() },
            Source { language: "de".into(), ..source.clone() },
            Source { provider: "mock".into(), ..source.clone() },
            Source { model: "mp".into(), prompt: String::new(), ..source.clone() },
            Source { prompt: "q".into(), ..source.clone() },
            Source { scope: Scope::Feed(FeedId(1)), ..source.clone() },
        ];
        assert_eq!(key(&source), key(&source.clone()));
        for other in others {
            assert_ne!(key(&source), key(&other), "{other:?}");
        }
    }
}
