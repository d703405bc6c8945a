//! "Did you mean": the known name most similar to a mistyped one. Pure; used for keys, variables and words.

/// The candidate that was most likely meant, if any is similar enough to be useful.
pub(super) fn nearest<'a>(given: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    // A third of the letters may be wrong: `databse.url` has one typo, `foo.bar` is another word.
    let allowed = (given.chars().count() / 3).max(1);
    candidates
        .into_iter()
        .map(|candidate| (distance(given, candidate), candidate))
        .filter(|(distance, _)| *distance <= allowed)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

/// The end of a sentence: a suggestion, or nothing.
pub(super) fn did_you_mean(suggestion: Option<&str>) -> String {
    suggestion.map(|name| format!(": did you mean `{name}`?")).unwrap_or_default()
}

/// The edit distance. A missing section (`listen` for `web.listen`) counts as one edit.
fn distance(given: &str, candidate: &str) -> usize {
    let given = given.to_lowercase();
    let whole = strsim::damerau_levenshtein(&given, &candidate.to_lowercase());
    match candidate.rsplit_once('.') {
        Some((_, last)) if last == given => 1,
        _ => whole,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_finds_its_word_and_nonsense_finds_none() {
        let check = |given, expected| {
            let known = ["database.url", "database.password", "web.listen", "log.file", "fetch.timeout"];
            assert_eq!(nearest(given, known), expected, "{given}");
        };
        check("databse.url", Some("database.url"));
        check("database.pasword", Some("database.password"));
        check("listen", Some("web.listen"));
        check("Web.Listen", Some("web.listen"));
        check("fetch.time_out", Some("fetch.timeout"));
        check("colour", None);
        check("x", None);
    }
}
