//! The problems of a document, counted in one line: for the visit, the log and `feed show`. The full list with
//! positions is stored with the raw document.

use crate::failure::shortened;
use model::reading::{End, Reading};

/// How many kinds of problems are listed.
const KINDS: usize = 6;

/// The problems of a document; `None` if there are none. `served` is what is odd about how it was served.
pub(crate) fn problems(reading: &Reading, served: Option<&str>) -> Option<String> {
    let mut kinds: Vec<(String, usize)> = Vec::new();
    for problem in &reading.problems {
        let kind = kind(&problem.message);
        // Implied by the early end of the document.
        if reading.end == End::Early && kind.contains("cut off") {
            continue;
        }
        match kinds.iter_mut().find(|(known, _)| *known == kind) {
            Some((_, count)) => *count += 1,
            None => kinds.push((kind, 1)),
        }
    }
    let cut_off = (reading.end == End::Early).then(|| cut_off(reading.entries.len()));
    let more = kinds.len().saturating_sub(KINDS);
    let kinds = kinds.into_iter().take(KINDS).map(counted);
    let more = (more > 0).then(|| format!("{more} more kinds of problems"));
    let all: Vec<String> = cut_off.into_iter().chain(served.map(str::to_owned)).chain(kinds).chain(more).collect();
    (!all.is_empty()).then(|| shortened(&all.join("; ")))
}

/// Where a document was cut off.
pub(crate) fn cut_off(entries: usize) -> String {
    match entries {
        0 => "cut off before its first entry".to_owned(),
        1 => "cut off after 1 entry".to_owned(),
        many => format!("cut off after {many} entries"),
    }
}

/// A problem without the details of one entry.
fn kind(message: &str) -> String {
    if message.ends_with("is not a date") { "date not understood".to_owned() } else { message.to_owned() }
}

fn counted((kind, count): (String, usize)) -> String {
    match (kind.as_str(), count) {
        ("date not understood", 1) => "1 date not understood".to_owned(),
        ("date not understood", many) => format!("{many} dates not understood"),
        (_, 1) => kind,
        (_, many) => format!("{kind} ({many} times)"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::reading::{Problem, ReadEntry};

    #[test]
    fn problems_are_counted() {
        let check = |what: &str, end: End, entries: usize, messages: &[&str], expected: &str| {
            let problem = |message: &&str| Problem { message: (*message).to_owned(), line: Some(1), column: Some(1) };
            let reading = Reading {
                end,
                entries: vec![ReadEntry::default(); entries],
                problems: messages.iter().map(problem).collect(),
                ..Reading::default()
            };
            assert_eq!(problems(&reading, None).as_deref().unwrap_or("none"), expected, "{what}");
        };
        check("all is well", End::Complete, 3, &[], "none");
        let dates = ["“soon” is not a date", "“later” is not a date", "“x” is not a date"];
        let inside = "the document ends inside <item>: it is cut off, or a tag is not closed";
        let cut = [&dates[..], &[inside]].concat();
        check("cut off", End::Early, 12, &cut, "cut off after 12 entries; 3 dates not understood");
        check("at once", End::Early, 0, &[], "cut off before its first entry");
        check("whole", End::Complete, 1, &["<b> is not closed", "<b> is not closed"], "<b> is not closed (2 times)");
        let reading = Reading { problems: vec![], ..Reading::default() };
        assert_eq!(problems(&reading, Some("it is served as text/html")).unwrap(), "it is served as text/html");
    }

    #[test]
    fn any_number_of_problems_is_one_line() {
        let problem = |n: usize| Problem { message: format!("<{n}>\n{}", "x".repeat(150)), line: None, column: None };
        let reading = Reading { problems: (0..1000).map(problem).collect(), ..Reading::default() };
        let told = problems(&reading, None).unwrap();
        assert!(told.chars().count() <= 300 && !told.contains('\n'), "{told}");
    }
}
