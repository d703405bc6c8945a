//! Values in PostgreSQL's binary protocol: one at a time, or a column of rows as an array.

use crate::db::value::{Kind, Record, Value};
use bytes::{BufMut as _, BytesMut};
use postgres_protocol::IsNull as ArrayNull;
use postgres_protocol::types::{ArrayDimension, array_to_sql};
use std::error::Error;
use tokio_postgres::Row;
use tokio_postgres::types::{FromSql, IsNull, Kind as TypeKind, ToSql, Type, to_sql_checked};
use uuid::Uuid;

type BoxError = Box<dyn Error + Sync + Send>;

/// The server's type for a kind of parameter.
pub(crate) fn type_of(kind: Kind, arrays: bool) -> Type {
    match (kind, arrays) {
        (Kind::Int, false) => Type::INT8,
        (Kind::Int, true) => Type::INT8_ARRAY,
        (Kind::Text, false) => Type::TEXT,
        (Kind::Text, true) => Type::TEXT_ARRAY,
        (Kind::Bytes, false) => Type::BYTEA,
        (Kind::Bytes, true) => Type::BYTEA_ARRAY,
        (Kind::Bool, false) => Type::BOOL,
        (Kind::Bool, true) => Type::BOOL_ARRAY,
        (Kind::Uuid, false) => Type::UUID,
        (Kind::Uuid, true) => Type::UUID_ARRAY,
        (Kind::Json, false) => Type::JSONB,
        (Kind::Json, true) => Type::JSONB_ARRAY,
    }
}

impl ToSql for Value {
    fn to_sql(&self, ty: &Type, out: &mut BytesMut) -> Result<IsNull, BoxError> {
        match self {
            Self::Null => return Ok(IsNull::Yes),
            Self::Int(value) if *ty == Type::INT8 => out.put_i64(*value),
            Self::Text(value) if *ty == Type::TEXT => out.put_slice(value.as_bytes()),
            // The binary form of jsonb is a version and the text.
            Self::Text(value) if *ty == Type::JSONB => {
                out.put_u8(1);
                out.put_slice(value.as_bytes());
            }
            Self::Word(value) if *ty == Type::TEXT => out.put_slice(value.as_bytes()),
            Self::Bytes(value) if *ty == Type::BYTEA => out.put_slice(value),
            Self::Hash(value) if *ty == Type::BYTEA => out.put_slice(value),
            Self::Bool(value) if *ty == Type::BOOL => out.put_u8(u8::from(*value)),
            Self::Uuid(value) if *ty == Type::UUID => out.put_slice(value.as_bytes()),
            other => return Err(format!("{other:?} is not a {ty}").into()),
        }
        Ok(IsNull::No)
    }

    /// The kinds are declared with the statement; a value that does not fit is refused when it is written.
    fn accepts(_: &Type) -> bool {
        true
    }

    to_sql_checked!();
}

/// One row of a batch, and how much arrives in the same transaction after what that batch brings.
#[derive(Debug, Clone, Copy)]
pub(super) struct BatchRow<'a> {
    pub(super) values: &'a [Value],
    pub(super) later: Later,
}

/// Ids that others of the group take after a batch: what it brings counts back from further on.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Later {
    pub(super) entries: i64,
    pub(super) events: i64,
}

/// One column of one row or, as an array, of many.
#[derive(Debug)]
pub(super) struct Column<'a> {
    pub(super) rows: &'a [BatchRow<'a>],
    pub(super) index: usize,
}

impl BatchRow<'_> {
    fn write(self, index: usize, ty: &Type, out: &mut BytesMut) -> Result<IsNull, BoxError> {
        match self.values[index] {
            Value::NewEntry(back) => Value::Int(back + self.later.entries).to_sql(ty, out),
            Value::NewEvent(back) => Value::Int(back + self.later.events).to_sql(ty, out),
            ref value => value.to_sql(ty, out),
        }
    }
}

impl ToSql for Column<'_> {
    fn to_sql(&self, ty: &Type, out: &mut BytesMut) -> Result<IsNull, BoxError> {
        let TypeKind::Array(member) = ty.kind() else {
            let [row] = self.rows else { return Err(format!("{} rows are not a {ty}", self.rows.len()).into()) };
            return row.write(self.index, ty, out);
        };
        let length = i32::try_from(self.rows.len())?;
        let dimension = ArrayDimension { len: length, lower_bound: 1 };
        array_to_sql(
            [dimension],
            member.oid(),
            self.rows,
            |row, out| {
                Ok(match row.write(self.index, member, out)? {
                    IsNull::Yes => ArrayNull::Yes,
                    IsNull::No => ArrayNull::No,
                })
            },
            out,
        )?;
        Ok(IsNull::No)
    }

    fn accepts(_: &Type) -> bool {
        true
    }

    to_sql_checked!();
}

impl<'a> FromSql<'a> for Value {
    fn from_sql(ty: &Type, raw: &'a [u8]) -> Result<Self, BoxError> {
        Ok(match *ty {
            Type::INT8 => Self::Int(i64::from_sql(ty, raw)?),
            Type::INT4 => Self::Int(i32::from_sql(ty, raw)?.into()),
            Type::TEXT | Type::VARCHAR | Type::NAME => Self::Text(String::from_sql(ty, raw)?),
            Type::JSONB => Self::Text(std::str::from_utf8(raw.get(1..).unwrap_or_default())?.to_owned()),
            Type::BYTEA => Self::Bytes(raw.to_vec()),
            Type::BOOL => Self::Bool(bool::from_sql(ty, raw)?),
            Type::UUID => Self::Uuid(Uuid::from_slice(raw)?),
            _ => return Err(format!("no statement should return a {ty}").into()),
        })
    }

    fn from_sql_null(_: &Type) -> Result<Self, BoxError> {
        Ok(Self::Null)
    }

    fn accepts(_: &Type) -> bool {
        true
    }
}

pub(super) fn record(row: &Row) -> Result<Record, tokio_postgres::Error> {
    let values = (0..row.len()).map(|column| row.try_get(column)).collect::<Result<_, _>>()?;
    Ok(Record::new(values))
}
