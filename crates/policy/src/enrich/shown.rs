//! What a reader is told about the enrichment of an entry: whether it is there, and if not, why.

use model::enrichment::{Body, Enrichment, Switch, Why};

/// What a reader is told, in one word. The words are part of the API.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status {
    /// It is there.
    Ready,
    /// It will be.
    Pending,
    /// It could not be made.
    Failed,
    /// Nobody wants it: nothing is said about it at all.
    Off,
}

impl Status {
    /// The word.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Ready => "ready",
            Self::Pending => "pending",
            Self::Failed => "failed",
            Self::Off => "off",
        }
    }
}

/// What is known.
#[derive(Debug, Clone, Copy)]
pub struct Known<'a> {
    /// Whether the instance makes enrichments of this kind at all.
    pub instance: bool,
    /// Whether the user wants to see them.
    pub user: bool,
    /// What the user chose for the feed.
    pub switch: Option<Switch>,
    /// What the entry has.
    pub enrichment: Option<&'a Enrichment>,
    /// Whether a job for it waits or runs.
    pub asked_for: bool,
}

/// The status, and the reason where there is one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shown {
    /// In one word.
    pub status: Status,
    /// Why it is not there.
    pub why: Option<Why>,
    /// The same in words.
    pub detail: Option<String>,
}

/// What a reader is told.
pub fn shown(known: &Known<'_>) -> Shown {
    let told = |status, why| Shown { status, why, detail: None };
    if !known.instance || !known.user || known.switch == Some(Switch::Off) {
        return told(Status::Off, None);
    }
    let Some(enrichment) = known.enrichment else {
        // What nobody has asked for yet is asked for when it is opened.
        return told(Status::Pending, Some(Why::Waiting));
    };
    let detail = enrichment.detail.clone();
    match (&enrichment.made, enrichment.why) {
        (Some(made), _) if !matches!(made.body, Body::Failed(_)) => told(Status::Ready, None),
        (_, Some(Why::Off)) => told(Status::Off, None),
        (_, Some(Why::Waiting) | None) if known.asked_for => told(Status::Pending, Some(Why::Waiting)),
        (_, why) => Shown { status: Status::Failed, why: Some(why.unwrap_or(Why::Provider)), detail },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use jiff::{SignedDuration, Timestamp};
    use model::enrichment::{Kind, Made, Scope, Source, Summary};

    #[test]
    fn what_a_reader_is_told() {
        let at = Timestamp::UNIX_EPOCH;
        let source = Source {
            kind: Kind::Summary,
            text: [0; 16],
            language: String::new(),
            provider: "local".into(),
            model: "prose".into(),
            prompt: "1".into(),
            scope: Scope::Everybody,
        };
        let made = |body| Some(Made { key: [0; 16], source: source.clone(), body, at, took: SignedDuration::ZERO });
        let with = |made, why| Enrichment { kind: Kind::Summary, made, why, detail: None, at };
        let check = |known: Known<'_>, expected: &str| {
            let told = shown(&known);
            let why = told.why.map_or("-", |why| why.as_str());
            assert_eq!(format!("{} {why}", told.status.as_str()), expected, "{known:?}");
        };
        let known = Known { instance: true, user: true, switch: None, enrichment: None, asked_for: false };
        check(known, "pending waiting");
        check(Known { instance: false, ..known }, "off -");
        check(Known { user: false, ..known }, "off -");
        check(Known { switch: Some(Switch::Off), ..known }, "off -");
        let ready = with(made(Body::Summary(Summary::default())), Some(Why::Budget));
        check(Known { enrichment: Some(&ready), ..known }, "ready -");
        check(Known { enrichment: Some(&ready), user: false, ..known }, "off -");
        let failed = with(made(Body::Failed("no use".into())), None);
        check(Known { enrichment: Some(&failed), ..known }, "failed provider");
        for (why, asked_for, expected) in [
            (Why::TooShort, false, "failed too_short"),
            (Why::TooShort, true, "failed too_short"),
            (Why::Budget, true, "failed budget"),
            (Why::Waiting, true, "pending waiting"),
            (Why::Off, false, "off -"),
        ] {
            let none = with(None, Some(why));
            check(Known { enrichment: Some(&none), asked_for, ..known }, expected);
        }
    }
}
