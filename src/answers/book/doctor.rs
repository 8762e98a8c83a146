//! The answer about the examination of a book, and its repair.

use std::path::Path;

use serde::Serialize;

use crate::answers::book::exchange::dialect_name;
use crate::answers::book::figures::share;
use crate::book::interop::{Diagnosis, Finding, Issue, RepairReport};
use crate::message::Message;

/// The answer: schema `juzhong.book.doctor/1`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct DoctorAnswer {
    /// The schema.
    pub schema: &'static str,
    /// The path of the book.
    pub book: String,
    /// The format; `juzhong` for the program's own.
    pub format: &'static str,
    /// No fault was found.
    pub healthy: bool,
    /// The way in which an `.obk` stores its keys: `int64` or `double`.
    pub dialect: Option<&'static str>,
    /// Moves are stored with origin and destination exchanged.
    pub swapped_moves: bool,
    /// Keys stored as doubles that became integers.
    pub punned: u64,
    /// Rows in the file.
    pub rows: u64,
    /// Different keys among them.
    pub positions: u64,
    /// Positions reached from the start.
    pub reached_positions: u64,
    /// Rows reached from the start.
    pub reached: u64,
    /// Rows that were not.
    pub unreached: u64,
    /// Their share of all rows.
    pub unreached_share: f64,
    /// The search for rows was ended by its limit.
    pub cut: bool,
    /// Rows that may not be chosen.
    pub disabled: u64,
    /// Rows with a comment.
    pub comments: u64,
    /// Positions with several moves.
    pub choices: u64,
    /// Those of them whose moves all have the same weight.
    pub equal_choices: u64,
    /// The faults and notices.
    pub findings: Vec<FindingAnswer>,
    /// The repair, if one was asked for.
    pub repair: Option<RepairAnswer>,
}

impl DoctorAnswer {
    /// The answer about the book at a path, and about the repaired copy if there is one.
    #[must_use]
    pub fn of(book: &Path, found: &Diagnosis, repair: Option<RepairAnswer>) -> Self {
        Self {
            schema: "juzhong.book.doctor/1",
            book: book.to_string_lossy().into_owned(),
            format: found.kind.name(),
            healthy: found.is_healthy(),
            dialect: found.dialect.map(dialect_name),
            swapped_moves: found.is_swapped,
            punned: found.punned,
            rows: found.rows,
            positions: found.positions,
            reached_positions: found.reached_positions,
            reached: found.reached,
            unreached: found.unreached,
            unreached_share: share(found.unreached, found.rows),
            cut: found.is_cut,
            disabled: found.disabled,
            comments: found.comments,
            choices: found.choices,
            equal_choices: found.equal_choices,
            findings: found.findings.iter().map(FindingAnswer::from).collect(),
            repair,
        }
    }
}

/// A fault, or a notice.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FindingAnswer {
    /// The name of its kind.
    pub name: &'static str,
    /// Its kind in words.
    pub what: &'static str,
    /// The number of times it was found.
    pub count: u64,
    /// The first ones.
    pub examples: Vec<Message>,
    /// A repaired copy does not have it.
    pub repairable: bool,
    /// It is no fault.
    pub notice: bool,
}

impl From<&Finding> for FindingAnswer {
    fn from(finding: &Finding) -> Self {
        let issue = finding.issue;
        Self {
            name: issue.name(),
            what: issue.text(),
            count: finding.count,
            examples: finding.examples.clone(),
            repairable: issue.is_repairable(),
            notice: issue.is_notice(),
        }
    }
}

/// The repaired copy.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RepairAnswer {
    /// The path of the copy.
    pub output: String,
    /// Rows in it.
    pub written: u64,
    /// Rows left out.
    pub dropped: u64,
    /// Rows that became one with another of the same move.
    pub merged: u64,
    /// Weights changed.
    pub changed: u64,
    /// Records with something learnt, which the copy does not have.
    pub learning_dropped: u64,
    /// All of the book could be read.
    pub complete: bool,
    /// The parts that could not be read.
    pub lost: Vec<Message>,
    /// The names of the findings that the copy still has.
    pub left: Vec<&'static str>,
}

impl RepairAnswer {
    /// The answer about the copy at a path.
    #[must_use]
    pub fn of(output: &Path, report: &RepairReport) -> Self {
        Self {
            output: output.to_string_lossy().into_owned(),
            written: report.written,
            dropped: report.dropped,
            merged: report.merged,
            changed: report.changed,
            learning_dropped: report.learning,
            complete: report.lost.is_empty(),
            lost: report.lost.clone(),
            left: report.left().map(Issue::name).collect(),
        }
    }
}
