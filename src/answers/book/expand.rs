//! The answer about the places where a book can be left.

use std::path::Path;

use serde::Serialize;

use crate::answers::book::moves::Span;
use crate::answers::described::Described;
use crate::answers::line::line_texts;
use crate::book::{DropOut, DropOutKind, Graph, Propagated};
use crate::game::{Line, Symmetric};
use crate::xiangqi::notation::MoveNotation;

/// The answer: schema `juzhong.book.expand/1`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ExpandAnswer {
    /// The schema.
    pub schema: &'static str,
    /// The path of the book.
    pub book: String,
    /// All places where the book can be left.
    pub total: usize,
    /// The most promising of them.
    pub places: Vec<ExitPlace>,
    /// They were analysed.
    pub analysed: bool,
    /// Scores added.
    pub scores: u64,
    /// Moves added.
    pub added: u64,
}

/// The result of an analysis.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Expansion {
    /// Scores added.
    pub scores: u64,
    /// Moves added.
    pub added: u64,
}

impl ExpandAnswer {
    /// The answer about the book at a path, with what an analysis added if there was one.
    #[must_use]
    pub fn of(
        book: &Path,
        total: usize,
        places: Vec<ExitPlace>,
        analysis: Option<Expansion>,
    ) -> Self {
        let Expansion { scores, added } = analysis.unwrap_or_default();
        Self {
            schema: "juzhong.book.expand/1",
            book: book.to_string_lossy().into_owned(),
            total,
            places,
            analysed: analysis.is_some(),
            scores,
            added,
        }
    }
}

/// A place where the book can be left.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ExitPlace {
    /// The moves to it by their coordinates.
    pub line: Vec<String>,
    /// The line in the notation that was asked for, the move beyond the book in brackets.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// The position.
    pub fen: String,
    /// The key by which the book has it.
    pub key: String,
    /// `unscored`, `inner` or `beyond`.
    pub kind: &'static str,
    /// The move beyond the book.
    #[serde(rename = "move")]
    pub mv: Option<String>,
    /// The cost in centipawns: the smaller the more worthwhile.
    pub cost: u64,
    /// The loss of the moves on the way against the best moves, in centipawns.
    pub gap: u64,
    /// The share of games that go this way, from 0 to 1.
    pub share: f64,
    /// The value of the position, as far as it is known.
    pub known: Span,
}

impl ExitPlace {
    /// The answer about a place of a book with this graph and these values.
    #[must_use]
    pub fn of<G: Described + Symmetric>(
        graph: &Graph<G>,
        backed: &Propagated,
        place: &DropOut,
        notation: Option<MoveNotation>,
    ) -> Self {
        let (line, beyond) = graph.line_of(place);
        Self {
            line: line.moves().map(G::move_text).collect(),
            text: notation.map(|notation| exit_text(&line, beyond, notation)),
            fen: line.position().to_fen(),
            key: graph.key(place.node).to_string(),
            kind: exit_kind(place),
            mv: beyond.map(G::move_text),
            cost: place.cost,
            gap: place.gap,
            share: f64::from(place.frequency) / 1e6,
            known: Span::from(backed.position(place.node)),
        }
    }
}

/// The line to a place, and the move beyond the book in brackets.
#[must_use]
pub fn exit_text<G: Described>(
    line: &Line<G>,
    beyond: Option<G::Move>,
    notation: MoveNotation,
) -> String {
    let mut texts = line_texts(line.start(), line.moves(), notation);
    texts.extend(beyond.map(|mv| format!("[{}]", line.position().write_move(mv, notation))));
    texts.join(" ")
}

/// The name of the kind of a place.
#[must_use]
pub const fn exit_kind(place: &DropOut) -> &'static str {
    match place.kind {
        DropOutKind::Unscored => "unscored",
        DropOutKind::Unexamined => "inner",
        DropOutKind::Beyond { .. } => "beyond",
    }
}
