//! `courant analyse`: what the language toolkit says about an article, for people or as JSON. Only reads and prints; `prose`
//! does the work. A bad job or file does not stop the rest. Nothing is stored and no model is asked.

use std::io::BufRead as _;
use std::path::{Path, PathBuf};

use fetch::Egress;
use prose::{Analysis, Language, Score, Scores, analyse, faithful};
use serde_json::{Map, Value, json};

use super::Context;
use super::place::{Document, is_address, open, read, visited};
use crate::output::{Layout, Output};

/// What to analyse.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Files (text or HTML) or addresses; `-` is standard input
    #[arg(value_name = "FILE|URL", required_unless_present = "jobs")]
    places: Vec<String>,
    /// The headline; else that of the page
    #[arg(long, value_name = "TEXT", conflicts_with = "jobs")]
    title: Option<String>,
    /// The language, such as `de`; else it is found out
    #[arg(long, value_name = "CODE", conflicts_with = "jobs")]
    language: Option<String>,
    /// Read one job per line from this file (`-` is standard input) and answer one line per job: {"id", "title", "text"?,
    /// "language"?}, or {"id", "source", "rewrite", "language"?} to check a rewrite
    #[arg(long, value_name = "FILE", conflicts_with = "places")]
    jobs: Option<PathBuf>,
}

pub(super) fn run(context: &Context, args: &Args) -> anyhow::Result<()> {
    match &args.jobs {
        Some(list) => answer_jobs(context, list),
        None => analyse_places(context, args),
    }
}

fn answer_jobs(context: &Context, list: &Path) -> anyhow::Result<()> {
    let mut bad = 0;
    let answer = |line: std::io::Result<String>| -> anyhow::Result<()> {
        let line = line?;
        if line.trim().is_empty() {
            return Ok(());
        }
        let (id, answered) = answer_job(&line);
        let reply = answered.unwrap_or_else(|why| {
            bad += 1;
            json!({ "error": why })
        });
        let Value::Object(mut fields) = reply else { unreachable!("answers are objects") };
        fields.insert("id".to_owned(), id);
        context.output.print(Value::Object(fields))
    };
    if list == Path::new("-") {
        std::io::stdin().lock().lines().try_for_each(answer)?;
    } else {
        std::io::BufReader::new(open(list)?).lines().try_for_each(answer)?;
    }
    anyhow::ensure!(bad == 0, "{bad} jobs could not be done");
    Ok(())
}

/// The id of a job and the answer to it, or what is wrong with the job.
fn answer_job(line: &str) -> (Value, Result<Value, String>) {
    let job: Map<String, Value> = match serde_json::from_str(line) {
        Ok(job) => job,
        Err(error) => return (Value::Null, Err(format!("this is no JSON object: {error}"))),
    };
    let id = job.get("id").cloned().unwrap_or(Value::Null);
    (id, answered(&job))
}

fn answered(job: &Map<String, Value>) -> Result<Value, String> {
    let text = |name: &str| match job.get(name) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text.as_str())),
        Some(_) => Err(format!("`{name}` must be a text")),
    };
    let told = text("language")?.map(language).transpose()?;
    if let (Some(source), Some(rewrite)) = (text("source")?, text("rewrite")?) {
        let verdict = faithful(source, rewrite, told);
        let why = verdict.as_ref().err().map(ToString::to_string);
        return Ok(json!({ "faithful": verdict.is_ok(), "why": why }));
    }
    let title = text("title")?.ok_or("a job needs `title`, or `source` and `rewrite`")?;
    Ok(as_json(&analyse(title, text("text")?.unwrap_or_default(), told)))
}

fn language(code: &str) -> Result<Language, String> {
    Language::from_code(code).ok_or_else(|| format!("`{code}` is no language that is known here"))
}

fn analyse_places(context: &Context, args: &Args) -> anyhow::Result<()> {
    let told = args.language.as_deref().map(language).transpose().map_err(anyhow::Error::msg)?;
    let mut rows = Vec::new();
    let mut refused = 0;
    let mut tell = |place: &str, document: anyhow::Result<Document>| -> anyhow::Result<()> {
        match document {
            Ok(document) => {
                let article = Article::of(&document);
                let title = args.title.clone().or(article.title).unwrap_or_default();
                let said = analyse(&title, &article.text, told);
                if context.output.is_json() {
                    rows.push(with_place(place, as_json(&said)));
                    Ok(())
                } else {
                    let heading = if args.places.len() > 1 { format!("== {place}\n") } else { String::new() };
                    context.output.print(format!("{heading}{}", in_words(&title, &said)))
                }
            }
            Err(error) => {
                refused += 1;
                crate::report::complain(&format!("{place}: {error:#}"));
                rows.push(json!({ "place": place, "error": format!("{error:#}") }));
                Ok(())
            }
        }
    };
    if args.places.iter().any(|place| is_address(place)) {
        context.with_visitor(async |engine| {
            for place in &args.places {
                let document =
                    if is_address(place) { visited(&engine, place, Egress::Article).await } else { read(place) };
                tell(place, document)?;
            }
            Ok(())
        })?;
    } else {
        args.places.iter().try_for_each(|place| tell(place, read(place)))?;
    }
    match context.output {
        Output::Json(Layout::Document) if args.places.len() > 1 => context.output.json(&Value::Array(rows))?,
        output if output.is_json() => rows.iter().try_for_each(|row| output.json(row))?,
        _ => {}
    }
    anyhow::ensure!(refused == 0, "{refused} of {} places could not be read", args.places.len());
    Ok(())
}

/// What of a document is analysed.
struct Article {
    title: Option<String>,
    text: String,
}

impl Article {
    fn of(document: &Document) -> Self {
        let text = String::from_utf8_lossy(&document.bytes);
        let is_html = document.content_type.as_deref().is_some_and(|kind| kind.contains("html"))
            || text.trim_start().starts_with("<!")
            || text.contains("</p>")
            || text.contains("</html>");
        if !is_html {
            return Self { title: None, text: text.into_owned() };
        }
        let url = document.url.as_deref().unwrap_or("http://localhost/");
        match content::article(&text, url) {
            Some(article) => Self { title: article.title, text: article.text },
            None => Self { title: None, text: content::plain_text(&text) },
        }
    }
}

fn with_place(place: &str, mut row: Value) -> Value {
    row["place"] = place.into();
    row
}

/// Three decimals are more than these figures are worth.
fn rounded(value: f64) -> f64 {
    (value * 1000.0).round() / 1000.0
}

fn parts(scores: &Scores) -> [(&'static str, &Score); 6] {
    [
        ("framing", &scores.framing),
        ("clickbait", &scores.clickbait),
        ("persuasive", &scores.persuasive),
        ("hyper_stimulus", &scores.hyper_stimulus),
        ("speculative", &scores.speculative),
        ("overall", &scores.overall),
    ]
}

fn as_json(said: &Analysis<'_>) -> Value {
    let scores = |value: fn(&Score) -> Value| -> Value {
        said.scores.as_ref().map_or(Value::Null, |scores| {
            Value::Object(parts(scores).into_iter().map(|(name, score)| (name.to_owned(), value(score))).collect())
        })
    };
    let mut row = json!({
        "language": said.language.map(Language::as_str),
        "summary": said.summary.join(" "),
        "one_line": said.one_line,
        "topics": said.topics,
        "category": said.category.map(|found| found.category.as_str()),
        "confidence": said.category.map(|found| rounded(found.confidence)),
        "sentiment": said.sentiment.as_ref().map(|felt| json!({ "label": felt.label.as_str(), "score": rounded(felt.score) })),
        "scores": scores(|score| rounded(score.value).into()),
        "reasons": scores(|score| score.reason.clone().into()),
        "calm_title": said.calm_title,
    });
    if let Some(answer) = &said.answer {
        row["answer"] =
            json!({ "text": answer.text, "sentence": answer.sentence, "confidence": rounded(answer.confidence) });
    }
    row
}

fn in_words(title: &str, said: &Analysis<'_>) -> String {
    let mut lines = Vec::new();
    let mut line = |name: &str, text: String| {
        if !text.is_empty() {
            lines.push(format!("{name:<16}{text}"));
        }
    };
    line("title", title.to_owned());
    if said.calm_title != title {
        line("calm title", said.calm_title.clone());
    }
    line("language", said.language.map_or("not clear", Language::as_str).to_owned());
    line("in a line", said.one_line.clone().unwrap_or_default());
    line("summary", said.summary.join(" "));
    line("topics", said.topics.join(", "));
    if let Some(found) = said.category {
        line("category", format!("{} ({:.0} % sure)", found.category, found.confidence * 100.0));
    }
    if let Some(felt) = &said.sentiment {
        line("sentiment", format!("{} ({:+.2})", felt.label.as_str(), felt.score));
    }
    match &said.scores {
        Some(scores) => {
            for (name, score) in parts(scores) {
                line(&name.replace('_', "-"), format!("{:.2}  {}", score.value, score.reason));
            }
        }
        None => line("scores", "not scored in this language".to_owned()),
    }
    if let Some(answer) = &said.answer {
        line("answer", format!("“{}” ({:.0} % sure)", answer.text, answer.confidence * 100.0));
    }
    lines.join("\n")
}
