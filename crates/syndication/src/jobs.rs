//! Jobs and replies of `courant parse --json --jobs -`: one reply line per job line, errors included.
//!
//! The caller reads the file that a job names; everything else is here.

use serde_json::{Value, json};

use crate::limits::Limits;
use crate::read::{Hints, read};
use crate::{normalised, urls};

/// One job.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Job {
    /// The file to read.
    pub path: String,
    /// Where its bytes came from.
    pub url: Option<String>,
    /// HTTP headers that came with them.
    pub headers: Vec<(String, String)>,
    /// The base of relative URLs, if not `url`.
    pub base_url: Option<String>,
    /// The language if the document declares none.
    pub content_language: Option<String>,
}

impl Job {
    /// Parses a line; the error says what is wrong with it.
    pub fn parse(line: &str) -> Result<Job, String> {
        let value: Value = serde_json::from_str(line).map_err(|error| format!("not a job: {error}"))?;
        let text = |key: &str| value.get(key).and_then(Value::as_str).map(str::to_owned);
        let path = text("path").ok_or("not a job: it has no path")?;
        let headers = value.get("headers").and_then(Value::as_object).into_iter().flatten();
        let headers = headers.filter_map(|(name, value)| Some((name.clone(), value.as_str()?.to_owned())));
        Ok(Job {
            path,
            url: text("url"),
            headers: headers.collect(),
            base_url: text("base_url"),
            content_language: text("content_language"),
        })
    }

    fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str())
    }

    /// The reply to this job, given the bytes of its file or why there are none.
    pub fn answer(&self, bytes: Result<&[u8], String>) -> String {
        let reply = match bytes.and_then(|bytes| self.document(bytes)) {
            Ok(doc) => json!({"path": self.path, "ok": true, "dialect": "normalised", "doc": doc}),
            Err(error) => json!({"path": self.path, "ok": false, "error": error}),
        };
        reply.to_string()
    }

    fn document(&self, bytes: &[u8]) -> Result<Value, String> {
        let url = self.base_url.as_deref().or(self.url.as_deref());
        // Content-Location is the real location of the document; it may be relative.
        let location = self.header("content-location").map(|location| urls::resolve(url, location));
        let base_url = location.as_deref().filter(|location| urls::may_be_base(location)).or(url);
        let hints = Hints {
            content_type: self.header("content-type"),
            base_url,
            language: self.content_language.as_deref().or_else(|| self.header("content-language")),
        };
        match read(bytes, &hints, &Limits::default()) {
            Ok(reading) => Ok(normalised::document(&reading)),
            Err(refusal) => Err(refusal.to_string()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_reply_per_job() {
        let job = Job::parse(r#"{"path":"a","headers":{"Content-type":"text/xml"},"base_url":"http://e/"}"#).unwrap();
        let reply: Value =
            serde_json::from_str(&job.answer(Ok(b"<rss><channel><link>x</link></channel></rss>"))).unwrap();
        assert_eq!(reply["ok"], true);
        assert_eq!(reply["doc"]["feed"]["link"], "http://e/x");
        assert_eq!(reply["doc"]["encoding"], "us-ascii");
        let reply: Value = serde_json::from_str(&job.answer(Ok(b""))).unwrap();
        assert_eq!(reply["ok"], false);
        assert_eq!(reply["error"], "the document is empty");
    }

    #[test]
    fn invalid_jobs() {
        assert!(Job::parse("{}").unwrap_err().contains("no path"));
        assert!(Job::parse("nonsense").is_err());
    }
}
