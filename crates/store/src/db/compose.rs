//! Statements put together from parts: a list whose filters are optional, declared as data.
//!
//! A `Composed` is a base text, scopes and orders of which one each is chosen, and parts that may be chosen. A choice of these
//! is a shape. The text of a shape is put together once, from constants, and kept; values are only ever bound. Parameters
//! are numbered from 1 in each part, and renumbered when parts come together.
//! All shapes can be enumerated: tests prepare every one of them on both databases.

use crate::db::question::Question;
use crate::db::sql::{Sql, Text, with_parameters};
use crate::db::value::{Kind, Value};
use std::fmt::Write as _;
use std::sync::OnceLock;

/// A statement with optional filters. Always a `static`.
pub(crate) struct Composed {
    /// With its module: `store::entries::LIST`.
    pub(crate) name: &'static str,
    /// `SELECT … FROM …`, without parameters.
    pub(crate) base: &'static str,
    /// What is listed at all, and for whom: one is chosen.
    pub(crate) scopes: &'static [&'static Part],
    /// The filters, each chosen or not.
    pub(crate) parts: &'static [&'static Part],
    /// The orders, of which one is chosen.
    pub(crate) orders: &'static [&'static Order],
    /// The statement of each shape, once it was needed.
    pub(crate) made: OnceLock<Box<[OnceLock<Sql>]>>,
}

/// A scope, or a filter that may be chosen.
#[derive(Debug)]
pub(crate) struct Part {
    pub(crate) name: &'static str,
    /// A condition.
    pub(crate) text: &'static str,
    pub(crate) params: &'static [Kind],
}

/// An order, with its cursor and its limit.
#[derive(Debug)]
pub(crate) struct Order {
    pub(crate) name: &'static str,
    /// The condition of the cursor.
    pub(crate) cursor: &'static str,
    /// `ORDER BY … LIMIT …`.
    pub(crate) text: &'static str,
    /// Those of the cursor and of the limit.
    pub(crate) params: &'static [Kind],
}

/// Which scope and order are chosen, and which parts, as bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Shape {
    scope: usize,
    parts: usize,
    order: usize,
}

impl Composed {
    /// Begins a choice: this scope in this order, no filter yet.
    pub(crate) fn choose(
        &'static self,
        (scope, in_scope): (&'static Part, Vec<Value>),
        (order, in_order): (&'static Order, Vec<Value>),
    ) -> Choice {
        let at = self.scopes.iter().position(|known| std::ptr::eq(*known, scope)).expect("a scope of this statement");
        let order_at = self.orders.iter().position(|known| std::ptr::eq(*known, order));
        let shape = Shape { scope: at, parts: 0, order: order_at.expect("an order of this statement") };
        debug_assert_eq!(in_scope.len(), scope.params.len(), "{} {}: wrong number of values", self.name, scope.name);
        debug_assert_eq!(in_order.len(), order.params.len(), "{} by {}: wrong number of values", self.name, order.name);
        Choice { of: self, shape, scope: in_scope, filters: vec![Vec::new(); self.parts.len()], order: in_order }
    }

    /// Every shape there is.
    #[cfg_attr(not(test), expect(dead_code, reason = "only tests go through all statements"))]
    pub(crate) fn shapes(&self) -> impl Iterator<Item = Shape> + use<> {
        let (orders, choices) = (self.orders.len(), 1 << self.parts.len());
        let scopes = 0..self.scopes.len();
        let ordered = scopes.flat_map(move |scope| (0..orders).map(move |order| (scope, order)));
        ordered.flat_map(move |(scope, order)| (0..choices).map(move |parts| Shape { scope, parts, order }))
    }

    /// The statement of a shape, put together when it is first needed.
    pub(crate) fn sql(&'static self, shape: Shape) -> &'static Sql {
        let (orders, choices) = (self.orders.len(), 1 << self.parts.len());
        let count = self.scopes.len() * orders * choices;
        let made = self.made.get_or_init(|| (0..count).map(|_| OnceLock::new()).collect());
        made[(shape.scope * orders + shape.order) * choices + shape.parts].get_or_init(|| self.compose(shape))
    }

    /// Leaks its texts: there is one of each shape, and it is kept as long as the process.
    fn compose(&self, shape: Shape) -> Sql {
        let (mut text, mut name) = (self.base.to_owned(), self.name.to_owned());
        let mut params: Vec<Kind> = Vec::new();
        let renumbered = |text: &str, before: usize| {
            with_parameters(text, |n, out| {
                let _ = write!(out, "${}", before + n);
            })
        };
        for (i, part) in [self.scopes[shape.scope]].into_iter().chain(self.chosen(shape)).enumerate() {
            let link = if i == 0 { "WHERE" } else { "AND" };
            let _ = write!(text, " {link} ({})", renumbered(part.text, params.len()));
            let _ = write!(name, " {}", part.name);
            params.extend(part.params);
        }
        let order = self.orders[shape.order];
        let before = params.len();
        let _ = write!(text, " AND {} {}", renumbered(order.cursor, before), renumbered(order.text, before));
        let _ = write!(name, " by {}", order.name);
        params.extend(order.params);
        Sql {
            name: name.leak(),
            params: params.leak(),
            text: Text::One(text.leak()),
            sqlite: OnceLock::new(),
            postgres: OnceLock::new(),
            arrays: OnceLock::new(),
        }
    }

    fn chosen(&self, shape: Shape) -> impl Iterator<Item = &'static Part> {
        self.parts.iter().enumerate().filter(move |(i, _)| shape.parts & (1 << i) != 0).map(|(_, part)| *part)
    }
}

/// A shape that is being chosen, with its values.
pub(crate) struct Choice {
    of: &'static Composed,
    shape: Shape,
    scope: Vec<Value>,
    /// The values of each part; empty where it is not chosen.
    filters: Vec<Vec<Value>>,
    order: Vec<Value>,
}

impl Choice {
    /// Chooses a filter.
    pub(crate) fn filter(&mut self, part: &'static Part, values: Vec<Value>) {
        let at = self.of.parts.iter().position(|known| std::ptr::eq(*known, part));
        let at = at.expect("a part of this statement");
        debug_assert_eq!(values.len(), part.params.len(), "{} {}: wrong number of values", self.of.name, part.name);
        self.shape.parts |= 1 << at;
        self.filters[at] = values;
    }

    /// The question of this shape.
    pub(crate) fn question(self) -> Question {
        let filters = self.filters.into_iter().flatten();
        let row = self.scope.into_iter().chain(filters).chain(self.order).collect();
        Question::new(self.of.sql(self.shape), row)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::db::sql::Dialect;

    static ALL: Part = Part { name: "all", text: "TRUE", params: &[] };
    static OF: Part = Part { name: "of", text: "c = $2 AND d <> $1", params: &[Kind::Int, Kind::Int] };
    static BY_A: Part = Part { name: "a", text: "a = $1", params: &[Kind::Int] };
    static BETWEEN: Part = Part { name: "between", text: "b >= $1 OR b < $2", params: &[Kind::Text, Kind::Text] };
    static UPWARDS: Order =
        Order { name: "id", cursor: "id > $1", text: "ORDER BY id LIMIT $2", params: &[Kind::Int, Kind::Int] };
    static DOWNWARDS: Order = Order {
        name: "date",
        cursor: "(at, id) < ($1, $2)",
        text: "ORDER BY at DESC LIMIT $3",
        params: &[Kind::Int, Kind::Int, Kind::Int],
    };
    static LIST: Composed = Composed {
        name: "LIST",
        base: "SELECT id FROM t",
        scopes: &[&ALL, &OF],
        parts: &[&BY_A, &BETWEEN],
        orders: &[&UPWARDS, &DOWNWARDS],
        made: OnceLock::new(),
    };

    #[test]
    fn parts_come_together_with_their_values() {
        let (scope, order) = (vec![6i64.into(), 7i64.into()], vec![8i64.into(), 9i64.into(), 10i64.into()]);
        let mut choice = LIST.choose((&OF, scope), (&DOWNWARDS, order));
        // In another order than they were declared.
        choice.filter(&BETWEEN, vec!["x".into(), "y".into()]);
        choice.filter(&BY_A, vec![1i64.into()]);
        let Question { sql, rows } = choice.question();
        assert_eq!(
            sql.text(Dialect::Postgres),
            "SELECT id FROM t WHERE (c = $2 AND d <> $1) AND (a = $3) AND (b >= $4 OR b < $5) AND (at, id) < ($6, $7) ORDER BY at DESC LIMIT $8"
        );
        assert_eq!(
            sql.params,
            [Kind::Int, Kind::Int, Kind::Int, Kind::Text, Kind::Text, Kind::Int, Kind::Int, Kind::Int]
        );
        assert_eq!(sql.name, "LIST of a between by date");
        let values: [Value; 8] =
            [6i64.into(), 7i64.into(), 1i64.into(), "x".into(), "y".into(), 8i64.into(), 9i64.into(), 10i64.into()];
        assert_eq!(rows, [values]);

        let all = |after: i64| LIST.choose((&ALL, vec![]), (&UPWARDS, vec![after.into(), 9i64.into()])).question();
        let again = all(8);
        assert_eq!(again.sql.text(Dialect::Sqlite), "SELECT id FROM t WHERE (TRUE) AND id > ?1 ORDER BY id LIMIT ?2");
        assert!(std::ptr::eq(again.sql, all(1).sql), "a shape is put together once");
    }

    #[test]
    fn every_shape_is_enumerated() {
        let texts: std::collections::BTreeSet<&str> =
            LIST.shapes().map(|shape| LIST.sql(shape).text(Dialect::Postgres)).collect();
        assert_eq!(
            texts.len(),
            16,
            "two scopes and two orders, each with none, one, the other or both of the filters: {texts:#?}"
        );
    }
}
