//! The evaluation of a position, taken apart: terms, and the value of every man or point.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::search::eval::xiangqi::{
    Explanation, PieceValue, Share, TermValue, explain, explain_network,
};
use crate::xiangqi::Position;

/// The evaluation in the terms of its game.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
#[serde(untagged)]
pub enum Evaluation {
    /// Of xiangqi.
    Xiangqi(XiangqiEvaluation),
    /// Of gomoku.
    Gomoku(GomokuEvaluation),
}

/// The evaluation of a position of xiangqi, in centipawns.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
pub struct XiangqiEvaluation {
    /// The phase at the start of a game.
    pub full_phase: i32,
    /// Every man on its square.
    pub men: Vec<ManValue>,
    /// The evaluation by the network.
    pub network: NetworkEvaluation,
    /// Every group of parameters that counts.
    pub parts: Vec<PartShare>,
    /// The phase of the game: 0 without rooks, horses and cannons.
    pub phase: i32,
    /// The part of an advantage that each side can win with, in 64ths.
    pub scale: SideWeights,
    /// Every term.
    pub terms: Vec<TermShare>,
    /// The evaluation for the side to move.
    pub value: i32,
}

/// The evaluation of a position by the network, in centipawns.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
pub struct NetworkEvaluation {
    /// Every man but the kings: how much less its side would have without it, before `scale` reduces the evaluation.
    pub men: Vec<ManValue>,
    /// The evaluation for the side to move.
    pub value: i32,
}

/// A man with its value to its side.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
pub struct ManValue {
    /// Its letter as in FENs.
    pub man: char,
    /// Its square.
    pub square: String,
    /// In centipawns.
    pub value: i32,
}

/// A number for each side.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
pub struct SideWeights {
    /// Black's.
    pub black: i32,
    /// Red's.
    pub red: i32,
}

/// The worth of a term to each side.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
pub struct TermShare {
    /// To Black.
    pub black: Weight,
    /// To Red.
    pub red: Weight,
    /// Its name.
    pub term: &'static str,
}

/// The worth of a group of parameters to each side.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
pub struct PartShare {
    /// To Black.
    pub black: Weight,
    /// Its name.
    pub part: String,
    /// To Red.
    pub red: Weight,
    /// The term that it belongs to.
    pub term: &'static str,
}

/// A worth, in centipawns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
pub struct Weight {
    /// In the ending.
    pub ending: i32,
    /// In the middle game.
    pub middle: i32,
    /// In the position at hand.
    pub now: i32,
}

/// The evaluation of a position of gomoku.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
pub struct GomokuEvaluation {
    /// The point to which the player without search moves.
    pub best: Option<String>,
    /// The values that it gives to the empty points.
    pub points: BTreeMap<String, i32>,
    /// The terms of the search's evaluation.
    pub terms: Vec<TermCount>,
    /// The evaluation of the search for the side to move, in centipawns.
    pub value: i32,
}

/// A term of gomoku's evaluation.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
pub struct TermCount {
    /// The number of it.
    pub count: OwnAndOther<i16>,
    /// Its name.
    pub term: &'static str,
    /// Its worth, in centipawns.
    pub value: OwnAndOther<f64>,
}

/// A number for the side to move and one for the other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema), schemars(inline))]
pub struct OwnAndOther<T> {
    /// For the side to move.
    pub mover: T,
    /// For the other side.
    pub other: T,
}

impl<T: Copy> From<[T; 2]> for OwnAndOther<T> {
    fn from([mover, other]: [T; 2]) -> Self {
        Self { mover, other }
    }
}

impl From<TermValue> for Weight {
    fn from(TermValue { middle, ending, now }: TermValue) -> Self {
        Self { ending, middle, now }
    }
}

impl XiangqiEvaluation {
    /// Evaluates a position.
    pub(super) fn of(position: &Position) -> Self {
        let explanation = &explain(position);
        let network = explain_network(position);
        let Explanation { phase, scale, terms, groups, men, value } = explanation;
        Self {
            full_phase: Explanation::FULL_PHASE,
            men: men.iter().map(ManValue::from).collect(),
            network: NetworkEvaluation {
                men: network.men.iter().map(ManValue::from).collect(),
                value: network.value,
            },
            parts: groups.iter().map(PartShare::of).collect(),
            phase: *phase,
            scale: SideWeights { black: scale.second, red: scale.first },
            terms: terms.iter().map(TermShare::of).collect(),
            value: *value,
        }
    }
}

impl From<&PieceValue> for ManValue {
    fn from(man: &PieceValue) -> Self {
        Self { man: man.piece.letter(), square: man.square.to_string(), value: man.value }
    }
}

impl TermShare {
    fn of(share: &Share) -> Self {
        let value = share.value;
        Self { black: value.second.into(), red: value.first.into(), term: share.name }
    }
}

impl PartShare {
    fn of(share: &Share) -> Self {
        Self {
            black: share.value.second.into(),
            part: share.name.to_lowercase(),
            red: share.value.first.into(),
            term: share.term.name(),
        }
    }
}
