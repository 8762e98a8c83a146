//! Positions of whole tables that have a theme, and how many there are.

use serde::Serialize;

use crate::answers::tablebase::line::move_texts;
use crate::answers::tablebase::value::{TableKind, TableValue};
use crate::game::Side;
use crate::tablebase::{BestLine, Material, MinedPositions, Tables, Theme};
use crate::xiangqi::Position;
use crate::xiangqi::notation::MoveNotation;

/// The table that was searched, and the theme.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct MinedSet {
    /// The set, in its canonical name.
    pub material: String,
    /// The kind of the tables.
    #[serde(flatten)]
    pub kind: TableKind,
    /// The [name](Theme::name) of the theme.
    pub theme: &'static str,
    /// Plies in which each winning move is the only one; with the theme `only-move` only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub plies: Option<u16>,
}

/// A position found: schema `juzhong.tablebase.mine/1`.
#[derive(Debug, Clone, Serialize)]
pub struct MineAnswer {
    /// The schema.
    pub schema: &'static str,
    /// The table and the theme.
    #[serde(flatten)]
    pub set: MinedSet,
    /// The position.
    pub fen: String,
    /// Its value for the side to move.
    #[serde(flatten)]
    pub value: TableValue,
    /// The best line by its coordinates.
    pub moves: Vec<String>,
    /// The same in the notation that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub texts: Option<Vec<String>>,
    /// The end of the line, as that of [`LineAnswer`](crate::answers::tablebase::LineAnswer).
    pub end: &'static str,
}

/// The number of positions found: schema `juzhong.tablebase.mine_counts/1`.
#[derive(Debug, Clone, Serialize)]
pub struct MineCounts {
    /// The schema.
    pub schema: &'static str,
    /// The table and the theme.
    #[serde(flatten)]
    pub set: MinedSet,
    /// Positions with Red to move, the side named first being Red.
    pub red: u64,
    /// Positions with Black to move.
    pub black: u64,
}

impl MinedSet {
    /// The search of the table of a set for a theme.
    #[must_use]
    pub fn new(tables: &Tables, material: Material, theme: Theme) -> Self {
        let plies = match theme {
            Theme::OnlyMove { plies } => Some(plies),
            _ => None,
        };
        Self { material: material.to_string(), kind: tables.into(), theme: theme.name(), plies }
    }

    /// The answer for a position with its best line, with texts of its moves if a notation is named.
    #[must_use]
    pub fn position(
        &self,
        position: &Position,
        line: &BestLine,
        notation: Option<MoveNotation>,
    ) -> MineAnswer {
        MineAnswer {
            schema: "juzhong.tablebase.mine/1",
            set: self.clone(),
            fen: position.to_fen(),
            value: line.entry.into(),
            moves: line.moves.iter().map(|step| step.mv.to_string()).collect(),
            texts: notation.map(|notation| move_texts(line, notation)),
            end: line.end.name(),
        }
    }

    /// The answer with the number of positions.
    #[must_use]
    pub fn counts(&self, found: &MinedPositions) -> MineCounts {
        MineCounts {
            schema: "juzhong.tablebase.mine_counts/1",
            set: self.clone(),
            red: found.count_of(Side::First),
            black: found.count_of(Side::Second),
        }
    }
}
