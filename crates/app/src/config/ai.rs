//! Kinds of values about models and money. Pure; what they mean is decided by `enrich` and `policy`.

use model::enrichment::{Kind, Kinds};
use model::money::Money;
use policy::enrich::Price;
use std::collections::BTreeMap;

use super::value::Value;

/// An amount in dollars.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Dollars(pub Money);

impl Value for Dollars {
    fn expected() -> String {
        "an amount in US dollars such as `20` or `0.50`".into()
    }

    fn read(text: &str) -> Result<Self, String> {
        let amount = text.trim_start_matches('$').parse().ok().and_then(Money::from_dollars);
        amount.map(Self).ok_or_else(Self::expected)
    }

    fn show(&self) -> String {
        self.0.to_string().trim_start_matches('$').to_owned()
    }
}

/// What models cost: dollars for a million tokens of prompts and of answers, by the name of the model.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Prices(BTreeMap<String, Price>);

impl Prices {
    /// The price of a model; `*` is that of all others.
    pub fn of(&self, model: &str) -> Option<Price> {
        self.0.get(model).or_else(|| self.0.get("*")).copied()
    }
}

impl Value for Prices {
    const LIST: bool = true;

    fn expected() -> String {
        "prices such as `gpt-4o-mini=0.15/0.60`: dollars for a million tokens in and out, separated by commas".into()
    }

    fn read(text: &str) -> Result<Self, String> {
        let price = |part: &str| {
            let (model, costs) = part.rsplit_once('=')?;
            let (input, output) = costs.split_once('/')?;
            let dollars = |text: &str| text.trim().parse().ok().and_then(Money::from_dollars);
            Some((model.trim().to_owned(), Price { input: dollars(input)?, output: dollars(output)? }))
        };
        let parts = text.split(',').map(str::trim).filter(|part| !part.is_empty());
        parts.map(price).collect::<Option<_>>().map(Self).ok_or_else(Self::expected)
    }

    fn show(&self) -> String {
        let dollars = |money: Money| Dollars(money).show();
        let one =
            |(model, price): (&String, &Price)| format!("{model}={}/{}", dollars(price.input), dollars(price.output));
        self.0.iter().map(one).collect::<Vec<_>>().join(", ")
    }
}

/// What is made by a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KindList(pub Kinds);

impl Value for KindList {
    const LIST: bool = true;

    fn expected() -> String {
        format!("some of {}, separated by commas", Kind::WORDS.join(", "))
    }

    fn read(text: &str) -> Result<Self, String> {
        let parts = text.split(',').map(str::trim).filter(|part| !part.is_empty());
        let kinds: Option<Vec<Kind>> = parts.map(Kind::named).collect();
        kinds.map(|kinds| Self(Kinds::of(&kinds))).ok_or_else(Self::expected)
    }

    fn show(&self) -> String {
        self.0.iter().map(|kind| kind.as_str()).collect::<Vec<_>>().join(", ")
    }
}

/// A share, such as `75%`.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd)]
pub struct Share(pub f64);

impl Value for Share {
    fn expected() -> String {
        "a percentage from `0%` to `100%`".into()
    }

    fn read(text: &str) -> Result<Self, String> {
        let number = text.strip_suffix('%').and_then(|number| number.trim().parse::<f64>().ok());
        number
            .filter(|number| (0.0..=100.0).contains(number))
            .map(|number| Self(number / 100.0))
            .ok_or_else(Self::expected)
    }

    fn show(&self) -> String {
        format!("{}%", (self.0 * 10_000.0).round() / 100.0)
    }
}

/// Words that stand for a script of the mock model.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Script(pub String);

impl Value for Script {
    fn expected() -> String {
        "steps such as `429 500*3 timeout garbage`".into()
    }

    fn read(text: &str) -> Result<Self, String> {
        llm::Mock::read(std::time::Duration::ZERO, text).map(|_| Self(text.to_owned())).map_err(|_| Self::expected())
    }

    fn show(&self) -> String {
        self.0.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_people_write() {
        fn check<T: Value>(text: &str, expected: &str) {
            let told = T::read(text).map_or_else(|why| format!("expected {why}"), |value| value.show());
            assert!(told.starts_with(expected), "{text}: {told}");
        }
        check::<Dollars>("20", "20.00");
        check::<Dollars>("$0.5", "0.50");
        check::<Dollars>("-1", "expected an amount");
        check::<Dollars>("NaN", "expected an amount");
        check::<Prices>("a=0.15/0.6, *=1/2", "*=1.00/2.00, a=0.15/0.60");
        check::<Prices>("llama3.2:3b=0/0", "llama3.2:3b=0.00/0.00");
        check::<Prices>("a=1", "expected prices");
        check::<KindList>("tags,summary", "summary, tags");
        check::<KindList>("poem", "expected some of");
        check::<Share>("75%", "75%");
        check::<Share>("0.75", "expected a percentage");
        check::<Share>("101%", "expected a percentage");
        check::<Script>("429 nonsense", "expected steps");
    }
}
