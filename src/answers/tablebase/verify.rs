//! Proofs of tables.

use serde::Serialize;

use crate::answers::tablebase::stats::FailedTable;
use crate::answers::tablebase::value::{TableKind, TableValue};
use crate::tablebase::{Mismatch, Verification};

/// The result of proving tables: schema `juzhong.tablebase.verify/1`.
#[derive(Debug, Clone, Serialize)]
pub struct VerifyAnswer {
    /// The schema.
    pub schema: &'static str,
    /// The kind of the tables.
    #[serde(flatten)]
    pub kind: TableKind,
    /// All tables were checked, and nothing was wrong.
    pub passed: bool,
    /// The tables that were checked.
    pub tables: Vec<VerifiedTable>,
}

impl VerifyAnswer {
    /// The answer for tables of a kind.
    #[must_use]
    pub const fn new(kind: TableKind, passed: bool, tables: Vec<VerifiedTable>) -> Self {
        Self { schema: "juzhong.tablebase.verify/1", kind, passed, tables }
    }
}

/// A table that was to be proved.
#[derive(Debug, Clone, Serialize)]
#[serde(untagged)]
pub enum VerifiedTable {
    /// It was checked.
    Proved(ProvedTable),
    /// It cannot be read, or one that its captures lead to cannot.
    Failed(FailedTable),
}

/// A table that was checked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ProvedTable {
    /// The set, in its canonical name.
    pub material: String,
    /// Legal positions checked.
    pub positions: u64,
    /// Checks that failed.
    pub wrong: u64,
    /// The first of them.
    pub mismatches: Vec<MismatchAnswer>,
}

/// Something in a table that does not follow from the rules.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct MismatchAnswer {
    /// The position; empty where the whole table is meant.
    pub fen: String,
    /// The name of the check.
    pub check: &'static str,
    /// The value in the table.
    pub found: Option<TableValue>,
    /// The value that follows from the legal moves, where that is known.
    pub expected: Option<TableValue>,
}

impl From<&Verification> for ProvedTable {
    fn from(table: &Verification) -> Self {
        Self {
            material: table.material.to_string(),
            positions: table.positions,
            wrong: table.wrong,
            mismatches: table.mismatches.iter().map(MismatchAnswer::from).collect(),
        }
    }
}

impl From<&Mismatch> for MismatchAnswer {
    fn from(mismatch: &Mismatch) -> Self {
        Self {
            fen: mismatch.fen.clone(),
            check: mismatch.check,
            found: mismatch.found.map(TableValue::from),
            expected: mismatch.expected.map(TableValue::from),
        }
    }
}
