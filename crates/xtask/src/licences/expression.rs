//! SPDX licence expressions: `(MIT OR Apache-2.0) AND Unicode-3.0`, with the old `/` for OR.
//!
//! AND binds more tightly than OR. `X WITH Y` is one licence with that whole name, as in cargo-deny: an exception is
//! allowed by listing it.

use anyhow::{Result, bail};

/// A licence, or several combined.
#[derive(Debug, PartialEq)]
pub(super) enum Expression {
    Licence(String),
    All(Vec<Expression>),
    Any(Vec<Expression>),
}

impl Expression {
    pub(super) fn parse(text: &str) -> Result<Self> {
        let spaced = text.replace('(', " ( ").replace(')', " ) ").replace('/', " OR ");
        let words: Vec<&str> = spaced.split_whitespace().collect();
        let mut rest = &words[..];
        let expression = Self::any(&mut rest)?;
        if let Some(word) = rest.first() {
            bail!("`{word}` is not expected");
        }
        Ok(expression)
    }

    /// Whether the expression is satisfied by the allowed licences.
    pub(super) fn holds(&self, allowed: &dyn Fn(&str) -> bool) -> bool {
        match self {
            Self::Licence(id) => allowed(id),
            Self::All(parts) => parts.iter().all(|part| part.holds(allowed)),
            Self::Any(parts) => parts.iter().any(|part| part.holds(allowed)),
        }
    }

    fn any(rest: &mut &[&str]) -> Result<Self> {
        let mut parts = vec![Self::all(rest)?];
        while take(rest, "OR") {
            parts.push(Self::all(rest)?);
        }
        Ok(if parts.len() == 1 { parts.remove(0) } else { Self::Any(parts) })
    }

    fn all(rest: &mut &[&str]) -> Result<Self> {
        let mut parts = vec![Self::one(rest)?];
        while take(rest, "AND") {
            parts.push(Self::one(rest)?);
        }
        Ok(if parts.len() == 1 { parts.remove(0) } else { Self::All(parts) })
    }

    fn one(rest: &mut &[&str]) -> Result<Self> {
        if take(rest, "(") {
            let inside = Self::any(rest)?;
            if !take(rest, ")") {
                bail!("a bracket is not closed");
            }
            return Ok(inside);
        }
        let id = name(rest)?;
        Ok(Self::Licence(if take(rest, "WITH") { format!("{id} WITH {}", name(rest)?) } else { id.to_owned() }))
    }
}

fn take(rest: &mut &[&str], word: &str) -> bool {
    let is_next = rest.first() == Some(&word);
    if is_next {
        *rest = &rest[1..];
    }
    is_next
}

fn name<'a>(rest: &mut &[&'a str]) -> Result<&'a str> {
    match rest.split_first() {
        Some((word, after)) if !["AND", "OR", "WITH", "(", ")"].contains(word) => {
            *rest = after;
            Ok(word)
        }
        Some((word, _)) => bail!("`{word}` is not a licence"),
        None => bail!("a licence is missing at the end"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &str) {
        let allowed = |id: &str| ["MIT", "Apache-2.0", "ISC", "Apache-2.0 WITH LLVM-exception"].contains(&id);
        let actual = match Expression::parse(text) {
            Ok(expression) if expression.holds(&allowed) => "allowed".to_owned(),
            Ok(_) => "refused".to_owned(),
            Err(error) => error.to_string(),
        };
        assert_eq!(actual, expected, "{text}");
    }

    #[test]
    fn expressions() {
        check("MIT", "allowed");
        check("GPL-3.0", "refused");
        check("MIT OR GPL-3.0", "allowed");
        check("MIT AND GPL-3.0", "refused");
        check("MIT/Apache-2.0", "allowed");
        check("GPL-3.0 / MIT", "allowed");
        check("(MIT OR GPL-3.0) AND ISC", "allowed");
        check("MIT OR GPL-3.0 AND AGPL-3.0", "allowed");
        check("(MIT OR GPL-3.0) AND AGPL-3.0", "refused");
        check("GPL-3.0 AND (MIT OR ISC)", "refused");
        check("Apache-2.0 WITH LLVM-exception", "allowed");
        check("MIT WITH LLVM-exception", "refused");
        check("((MIT))", "allowed");
        check("MIT OR", "a licence is missing at the end");
        check("MIT Apache-2.0", "`Apache-2.0` is not expected");
        check("(MIT", "a bracket is not closed");
        check("AND MIT", "`AND` is not a licence");
        check("", "a licence is missing at the end");
    }
}
