//! The symmetries of gomoku and its rules of repetition, for what is written once for all games.

use std::fmt;
use std::str::FromStr;

use super::{Board, Point};
use crate::game::{Adjudicate, Game, Horizon, Judgement, Line, Symmetric};
use crate::hash::{Key, KeyTable};

/// Bits of a symmetry: mirror the columns, mirror the rows, then exchange columns and rows.
const MIRROR_COLUMNS: u8 = 1;
const MIRROR_ROWS: u8 = 2;
const TRANSPOSE: u8 = 4;

impl Board {
    fn mirrored(&self, point: Point, symmetry: u8) -> Point {
        let mut column = point.column();
        let mut row = point.row();
        if symmetry & MIRROR_COLUMNS != 0 {
            column = self.width().saturating_sub(column + 1);
        }
        if symmetry & MIRROR_ROWS != 0 {
            row = self.height().saturating_sub(row + 1);
        }
        Point::new(column, row).unwrap_or(point)
    }
}

fn transposed(point: Point, symmetry: u8) -> Point {
    if symmetry & TRANSPOSE == 0 {
        return point;
    }
    Point::new(point.row(), point.column()).unwrap_or(point)
}

impl Symmetric for Board {
    /// Nobody notes which way a board lay.
    const ORIENTED: bool = false;

    /// 8 for a square, 4 for a rectangle.
    fn symmetries(&self) -> u8 {
        if self.width() == self.height() { 8 } else { 4 }
    }

    fn symmetric_key(&self, symmetry: u8, table: Option<&KeyTable>) -> Key {
        match table {
            None if symmetry == 0 => self.key(),
            None => self.key_of_image(|point| self.map_move(point, symmetry)),
            Some(table) => self.key_with(table, |point| self.map_move(point, symmetry)),
        }
    }

    /// Points outside the board have no meaningful image.
    fn map_move(&self, mv: Point, symmetry: u8) -> Point {
        transposed(self.mirrored(mv, symmetry), symmetry)
    }

    fn unmap_move(&self, mv: Point, symmetry: u8) -> Point {
        self.mirrored(transposed(mv, symmetry), symmetry)
    }
}

/// The rules of gomoku's repetitions: there are none to judge. Stones stay where they are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct FreeRules;

/// A text that names no rules of gomoku.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error, crate::message::ToMessage)]
#[error(
    "gomoku has no repetitions for rules called \"{0}\" to judge; its variants are freestyle, standard and renju"
)]
pub struct UnknownRules(String);

impl FromStr for FreeRules {
    type Err = UnknownRules;

    fn from_str(text: &str) -> Result<Self, UnknownRules> {
        match text {
            "freestyle" | "free" => Ok(Self),
            _ => Err(UnknownRules(text.chars().take(40).collect())),
        }
    }
}

impl fmt::Display for FreeRules {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("freestyle")
    }
}

impl Adjudicate for Board {
    type Rules = FreeRules;

    /// Always true: stones are never removed.
    fn is_irreversible(&self, _mv: Point) -> bool {
        true
    }

    fn judge(_line: &Line<Self>, _rules: FreeRules, _horizon: Horizon) -> Judgement {
        Judgement::NONE
    }
}
