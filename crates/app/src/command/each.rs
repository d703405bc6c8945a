//! One verb for several names: each is tried and answered; one that fails does not stop the rest.

use serde_json::{Value, json};

use super::{Context, table};
use crate::output::Output;
use crate::report::{Told, complain};

/// Does something with each name; `change` returns what was done. `noun` is the key of the name in JSON.
pub(super) async fn each(
    context: &Context,
    noun: &str,
    names: &[String],
    change: impl AsyncFn(&str) -> anyhow::Result<String>,
) -> anyhow::Result<()> {
    let (mut rows, mut failed) = (Vec::new(), None);
    for name in names {
        match (change(name).await, context.output) {
            (Ok(done), Output::Json(_)) => rows.push(json!({ noun: name, "result": done })),
            (Ok(done), Output::Text) => {
                context.output.print(table::printable(&format!("{name}  {done}")))?;
            }
            (Err(error), output) => {
                match output {
                    Output::Json(_) => rows.push(json!({ noun: name, "error": format!("{error:#}") })),
                    Output::Text if names.len() > 1 => complain(&format!("error: {name}: {error:#}")),
                    Output::Text => {}
                }
                failed = Some(error);
            }
        }
    }
    if context.output.is_json() {
        context.output.json(&Value::Array(rows))?;
    }
    match failed {
        None => Ok(()),
        Some(error) if names.len() == 1 && !context.output.is_json() => Err(error),
        Some(_) => Err(Told.into()),
    }
}
