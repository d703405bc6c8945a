//! Many batches as few statements: the same step of all of them becomes one, over the rows of all. Pure.
//!
//! A statement costs the server more than a row does. Every batch keeps the order of its own steps, and what holds the
//! arrival row comes last. Ids are taken once for the whole group; each batch counts back from its own last one.
//! What returns rows is not merged, because nobody could say whose they are; nor what must write an exact number of rows,
//! because the server counts for the statement.

use super::values::{BatchRow, Later};
use crate::db::batch::{Answer, Batch, Expect, Step, StepResult, WrongCount};
use crate::db::sql::{Dialect, Sql};
use crate::db::value::{Record, Value};

/// One statement with the rows of all batches that want it at this point.
#[derive(Debug)]
pub(super) struct Merged<'a> {
    pub(super) sql: &'static Sql,
    pub(super) rows: Vec<BatchRow<'a>>,
    /// How many rows must be written, where these are fences.
    pub(super) fences: Option<u64>,
    /// Whose rows these are: batches and their steps.
    steps: Vec<(usize, usize)>,
    /// Where ids are taken: how far back the last ones of each of these batches are.
    taken: Option<Vec<Later>>,
}

/// How many ids a group takes, as the row of the statement that takes them.
pub(super) fn wanted(batches: &[&Batch]) -> Vec<Value> {
    let arrivals = || batches.iter().filter_map(|batch| batch.arrival);
    let (entries, events) = (arrivals().map(|a| a.entries), arrivals().map(|a| a.events));
    vec![entries.sum::<i64>().into(), events.sum::<i64>().into()]
}

/// Puts batches together; `wanted` is what they want together.
pub(super) fn merged<'a>(batches: &[&'a Batch], wanted: &'a [Value]) -> Vec<Merged<'a>> {
    let later = later(batches);
    let arrival = |batch: &Batch| batch.arrival.map_or(batch.steps.len(), |arrival| arrival.step);
    let early: Vec<_> = batches.iter().map(|batch| 0..arrival(batch)).collect();
    let late: Vec<_> = batches.iter().map(|batch| arrival(batch)..batch.steps.len()).collect();
    let parts = in_order(batches, early).into_iter().chain(in_order(batches, late));
    let part = |steps: Vec<(usize, usize)>| {
        let step = |&(b, s): &(usize, usize)| -> (&'a Step, Later) { (&batches[b].steps[s], later[b]) };
        let (first, _) = step(&steps[0]);
        let takes_ids = batches[steps[0].0].arrival.is_some_and(|arrival| arrival.step == steps[0].1);
        let rows = if takes_ids {
            vec![BatchRow { values: wanted, later: Later::default() }]
        } else {
            let rows =
                |(step, later): (&'a Step, Later)| step.rows.iter().map(move |values| BatchRow { values, later });
            steps.iter().map(step).flat_map(rows).collect()
        };
        Merged {
            sql: first.sql,
            rows,
            fences: (first.expect == Expect::Fence).then_some(steps.len() as u64),
            taken: takes_ids.then(|| steps.iter().map(|(batch, _)| later[*batch]).collect()),
            steps,
        }
    };
    parts.map(part).collect()
}

impl Merged<'_> {
    /// Whether the statement wrote as many rows as its step had to. Only a step that is alone has an exact number.
    pub(super) fn check(&self, batches: &[&Batch], written: u64) -> Result<(), WrongCount> {
        self.steps.iter().try_for_each(|(batch, step)| batches[*batch].steps[*step].check(written))
    }

    /// Gives the batches what the statement returned, and how many rows it wrote where that can be told.
    pub(super) fn answer(&self, records: Vec<Record>, written: u64, answers: &mut [Answer]) {
        match (&self.taken, &self.steps[..]) {
            (Some(taken), steps) => {
                for ((batch, step), later) in steps.iter().zip(taken) {
                    let records: Vec<_> = records.iter().filter_map(|record| counted_back(record, *later)).collect();
                    let written = Some(records.len() as u64);
                    answers[*batch][*step] = StepResult { records, written };
                }
            }
            (None, [(batch, step)]) => answers[*batch][*step] = StepResult { records, written: Some(written) },
            (None, steps) => {
                debug_assert!(records.is_empty(), "what returns rows is not merged");
                let written = match written {
                    0 => Some(0),
                    // Each fence has written its row, or the group would have failed.
                    _ if self.fences.is_some() => Some(1),
                    _ => None,
                };
                for (batch, step) in steps {
                    answers[*batch][*step].written = written;
                }
            }
        }
    }
}

/// The last ids of a batch, given those of its group.
fn counted_back(record: &Record, later: Later) -> Option<Record> {
    let mut record = record.clone();
    let (entries, events): (i64, i64) = (record.next().ok()?, record.next().ok()?);
    Some(Record::new(vec![(entries - later.entries).into(), (events - later.events).into()]))
}

/// How much arrives after each batch: the first of them get the lowest ids.
fn later(batches: &[&Batch]) -> Vec<Later> {
    let mut later = vec![Later::default(); batches.len()];
    let mut sum = Later::default();
    for (batch, place) in batches.iter().zip(&mut later).rev() {
        *place = sum;
        if let Some(arrival) = batch.arrival {
            sum = Later { entries: sum.entries + arrival.entries, events: sum.events + arrival.events };
        }
    }
    later
}

/// Which steps go together, in an order that is each batch's own. Next comes a statement that no batch has further down,
/// so that all of its rows are at hand; where the orders of two batches contradict each other, any will do.
fn in_order(batches: &[&Batch], mut left: Vec<std::ops::Range<usize>>) -> Vec<Vec<(usize, usize)>> {
    let mut order = Vec::new();
    let sql_at = |b: usize, s: usize| -> &'static Sql { batches[b].steps[s].sql };
    loop {
        let heads: Vec<(usize, usize)> =
            left.iter().enumerate().filter(|(_, steps)| !steps.is_empty()).map(|(b, steps)| (b, steps.start)).collect();
        let waits = |&(b, s): &(usize, usize)| {
            let sql = sql_at(b, s);
            let further_down =
                |other: usize, head: usize| (head + 1..left[other].end).any(|s| is(sql, sql_at(other, s)));
            heads.iter().any(|&(other, head)| !is(sql, sql_at(other, head)) && further_down(other, head))
        };
        let Some(&(b, s)) = heads.iter().find(|head| !waits(head)).or(heads.first()) else { return order };
        let sql = sql_at(b, s);
        let steps: Vec<_> = if merges(batches[b], s) {
            let joins = |&(other, head): &(usize, usize)| is(sql, sql_at(other, head)) && merges(batches[other], head);
            heads.iter().copied().filter(joins).collect()
        } else {
            vec![(b, s)]
        };
        for (b, _) in &steps {
            left[*b].start += 1;
        }
        order.push(steps);
    }
}

fn is(one: &'static Sql, other: &'static Sql) -> bool {
    std::ptr::eq(one, other)
}

/// Whether a step may share a statement with others: it takes the ids, or takes rows, returns none and need not be counted.
fn merges(batch: &Batch, step: usize) -> bool {
    let Step { sql, expect, .. } = &batch.steps[step];
    if matches!(expect, Expect::Exactly(_)) {
        return false;
    }
    let takes_ids = batch.arrival.is_some_and(|arrival| arrival.step == step);
    let text = sql.text(Dialect::Postgres);
    takes_ids || (sql.over_rows().is_some() && !text.starts_with("SELECT") && !text.contains("RETURNING"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::db::sql::{Text, statements};

    statements! {
        FENCE(Int) = Text::Rows("UPDATE t SET a = 1 WHERE a = $1");
        FACTS(Int) = Text::Rows("UPDATE f SET a = 1 WHERE a = $1");
        VISIT(Int) = Text::Rows("INSERT INTO v (a) VALUES ($1)");
        PAUSE(Int) = Text::One("INSERT INTO p (a) VALUES ($1)");
        FIND(Int) = Text::Rows("SELECT a FROM t WHERE a = $1");
        TAKE(Int, Int) = Text::One("UPDATE arrival SET a = a + $1, b = b + $2 RETURNING a, b");
        ENTRY(Int) = Text::Rows("INSERT INTO e (a) VALUES (new_entry($1))");
        EVENT(Int) = Text::Rows("INSERT INTO o (a) VALUES (new_event($1))");
    }

    /// A statement's name, without its module.
    fn short(sql: &'static Sql) -> &'static str {
        sql.name.rsplit("::").next().unwrap_or(sql.name)
    }

    /// A batch for feed `n` with these statements; `+2` brings two entries and one event; `facts!1` must write one row.
    fn batch(n: i64, steps: &str) -> Batch {
        let mut batch = Batch::default();
        batch.fence(&FENCE, vec![n.into()]);
        for word in steps.split_whitespace() {
            if let Some(count) = word.strip_prefix('+') {
                let count: usize = count.parse().unwrap();
                batch.arrive(&TAKE, count, 1);
                batch.step(&ENTRY, (0..count as i64).rev().map(|back| vec![Value::NewEntry(back)]).collect());
                batch.step(&EVENT, vec![vec![Value::NewEvent(0)]]);
            } else {
                let (word, exactly) = word.strip_suffix("!1").map_or((word, false), |word| (word, true));
                let sql = ALL.iter().find(|sql| short(sql).to_lowercase() == word).unwrap();
                if exactly {
                    batch.step_exactly(1, sql, vec![vec![n.into()]]);
                } else {
                    batch.step(sql, vec![vec![n.into()]]);
                }
            }
        }
        batch
    }

    fn told(given: &[&str]) -> String {
        let batches: Vec<Batch> = given.iter().enumerate().map(|(n, steps)| batch(n as i64 + 1, steps)).collect();
        let batches: Vec<&Batch> = batches.iter().collect();
        let wanted = wanted(&batches);
        let value = |row: &BatchRow<'_>| match row.values {
            [Value::Int(n)] => n.to_string(),
            [Value::NewEntry(back)] => format!("-{}", back + row.later.entries),
            [Value::NewEvent(back)] => format!("-{}", back + row.later.events),
            [Value::Int(entries), Value::Int(events)] => format!("{entries} {events}"),
            other => panic!("{other:?}"),
        };
        let part = |part: &Merged<'_>| {
            let rows: Vec<String> = part.rows.iter().map(value).collect();
            let fences = part.fences.map_or(String::new(), |fences| format!("={fences}"));
            format!("{}({}){fences}", short(part.sql).to_lowercase(), rows.join(","))
        };
        merged(&batches, &wanted).iter().map(part).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn batches_share_statements() {
        let check = |what: &str, given: &[&str], expected: &str| assert_eq!(told(given), expected, "{what}");
        check("one", &["visit"], "fence(1)=1 visit(1)");
        check("two of a kind", &["visit", "visit"], "fence(1,2)=2 visit(1,2)");
        check("one has less", &["visit", ""], "fence(1,2)=2 visit(1)");
        check("one has more first", &["visit", "facts visit"], "fence(1,2)=2 facts(2) visit(1,2)");
        check("one has more last", &["visit facts", "visit"], "fence(1,2)=2 visit(1,2) facts(1)");
        check("orders that contradict", &["visit facts", "facts visit"], "fence(1,2)=2 visit(1) facts(1,2) visit(2)");
        check("twice the same", &["visit visit", "visit"], "fence(1,2)=2 visit(1,2) visit(1)");
        check("single rows", &["pause visit", "pause visit"], "fence(1,2)=2 pause(1) pause(2) visit(1,2)");
        check("answers", &["find visit", "find visit"], "fence(1,2)=2 find(1) find(2) visit(1,2)");
        check("ids", &["visit +2"], "fence(1)=1 visit(1) take(2 1) entry(-1,-0) event(-0)");
        check(
            "ids of a group",
            &["visit +2", "visit", "visit +3"],
            "fence(1,2,3)=3 visit(1,2,3) take(5 2) entry(-4,-3,-2,-1,-0) event(-1,-0)",
        );
        check("exact numbers", &["visit!1 facts", "visit!1 facts"], "fence(1,2)=2 visit(1) visit(2) facts(1,2)");
        check("one exact number", &["visit!1", "visit", "visit"], "fence(1,2,3)=3 visit(1) visit(2,3)");
        check("one exact number, last", &["visit", "visit", "visit!1"], "fence(1,2,3)=3 visit(1,2) visit(3)");
        check("nobody", &[], "");
    }

    #[test]
    fn each_batch_gets_its_own_answers() {
        let batches = [batch(1, "find +2"), batch(2, "find"), batch(3, "find +3")];
        let batches: Vec<&Batch> = batches.iter().collect();
        let wanted = wanted(&batches);
        let mut answers: Vec<Answer> =
            batches.iter().map(|batch| vec![StepResult::default(); batch.steps.len()]).collect();
        for part in merged(&batches, &wanted) {
            let values = match short(part.sql) {
                "TAKE" => vec![105i64.into(), 22i64.into()],
                "FIND" => part.rows[0].values.to_vec(),
                _ => continue,
            };
            part.answer(vec![Record::new(values)], 1, &mut answers);
        }
        let mut told = |b: usize, step: usize| answers[b][step].records[0].next::<i64>().unwrap();
        assert_eq!([told(0, 1), told(1, 1), told(2, 1)], [1, 2, 3]);
        assert_eq!([told(0, 2), told(2, 2)], [102, 105], "the last entry of each");
        assert_eq!([told(0, 2), told(2, 2)], [21, 22], "and its last event");
    }

    /// The server counts for a statement: a batch must not take the rows of its neighbours for its own.
    #[test]
    fn each_batch_gets_its_own_count_or_none() {
        let batches = [batch(1, "visit facts!1 pause"), batch(2, "visit facts!1"), batch(3, "visit")];
        let batches: Vec<&Batch> = batches.iter().collect();
        let wanted = wanted(&batches);
        let mut answers: Vec<Answer> =
            batches.iter().map(|batch| vec![StepResult::default(); batch.steps.len()]).collect();
        let mut wrong = Vec::new();
        for part in merged(&batches, &wanted) {
            // As if the second FACTS found nothing.
            let written = match (short(part.sql), part.rows[0].values) {
                ("FACTS", [Value::Int(2)]) => 0,
                _ => part.rows.len() as u64,
            };
            wrong.extend(part.check(&batches, written).err());
            part.answer(Vec::new(), written, &mut answers);
        }
        let told = |b: usize| answers[b].iter().map(|step| step.written).collect::<Vec<_>>();
        assert_eq!(told(0), [Some(1), None, Some(1), Some(1)], "the fence, the shared visit, the facts, the pause");
        assert_eq!(told(1), [Some(1), None, Some(0)]);
        assert_eq!(told(2), [Some(1), None]);
        assert_eq!(wrong, [WrongCount { statement: FACTS.name, expected: 1, found: 0 }]);
    }
}
