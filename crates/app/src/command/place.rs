//! Places that commands read: files, standard input, and addresses, which are visited as with `courant visit`.

use std::io::Read as _;
use std::path::Path;

use engine::{Engine, VisitRequest};
use fetch::Egress;
use model::visit::Outcome;

/// Bytes, and what is known about their origin.
#[derive(Default)]
pub(super) struct Document {
    pub(super) bytes: Vec<u8>,
    pub(super) content_type: Option<String>,
    pub(super) url: Option<String>,
}

pub(super) fn is_address(place: &str) -> bool {
    place.starts_with("http://") || place.starts_with("https://")
}

pub(super) async fn visited(engine: &Engine, url: &str, egress: Egress) -> anyhow::Result<Document> {
    let visit = engine::visit(engine, &VisitRequest::to(url, egress)).await?;
    match visit.outcome {
        Outcome::Fresh(body) => {
            Ok(Document { bytes: body.decoded.to_vec(), content_type: body.content_type, url: Some(visit.url) })
        }
        outcome => anyhow::bail!("{outcome}"),
    }
}

pub(super) fn read(place: &str) -> anyhow::Result<Document> {
    let mut bytes = Vec::new();
    if place == "-" {
        std::io::stdin().lock().read_to_end(&mut bytes)?;
    } else {
        open(Path::new(place))?.read_to_end(&mut bytes)?;
    }
    Ok(Document { bytes, ..Document::default() })
}

pub(super) fn open(file: &Path) -> anyhow::Result<std::fs::File> {
    use anyhow::Context as _;
    std::fs::File::open(file).with_context(|| format!("cannot open {}", file.display()))
}
