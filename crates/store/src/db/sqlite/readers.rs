//! The reader threads: each has a connection of its own, so that a slow question holds up nobody who writes.

use super::run;
use crate::StoreError;
use crate::db::sql::Sql;
use crate::db::value::{Record, Value};
use rusqlite::Connection;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::oneshot;

struct Question {
    sql: &'static Sql,
    rows: Vec<Vec<Value>>,
    reply: oneshot::Sender<Result<Vec<Record>, StoreError>>,
}

pub(super) struct Readers {
    name: String,
    questions: Mutex<Option<Sender<Question>>>,
}

impl Readers {
    pub(super) fn start(name: String, connections: Vec<Connection>) -> Self {
        let (questions, inbox) = channel();
        let inbox = Arc::new(Mutex::new(inbox));
        for connection in connections {
            let (name, inbox) = (name.clone(), Arc::clone(&inbox));
            std::thread::Builder::new()
                .name("store-reader".into())
                .spawn(move || answer(&name, &connection, &inbox))
                .expect("the system can start a thread");
        }
        Self { name, questions: Mutex::new(Some(questions)) }
    }

    pub(super) async fn read(&self, sql: &'static Sql, rows: Vec<Vec<Value>>) -> Result<Vec<Record>, StoreError> {
        let (reply, answer) = oneshot::channel();
        {
            let questions = self.questions.lock().unwrap_or_else(PoisonError::into_inner);
            let questions = questions.as_ref().ok_or_else(|| StoreError::closed(&self.name))?;
            questions.send(Question { sql, rows, reply }).map_err(|_| StoreError::closed(&self.name))?;
        }
        answer.await.map_err(|_| StoreError::closed(&self.name))?
    }

    /// Lets the threads end once they have answered what is asked.
    pub(super) fn close(&self) {
        self.questions.lock().unwrap_or_else(PoisonError::into_inner).take();
    }
}

fn answer(name: &str, connection: &Connection, inbox: &Mutex<Receiver<Question>>) {
    loop {
        let question = inbox.lock().unwrap_or_else(PoisonError::into_inner).recv();
        let Ok(Question { sql, rows, reply }) = question else { return };
        let result = run::question(connection, sql, &rows).map_err(|error| run::explain(name, "read", error));
        let _ = reply.send(result);
    }
}
