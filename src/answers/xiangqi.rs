//! Xiangqi: positions and moves as they are typed, and their description.

use crate::answers::described::{Described, Refusal, Start};
use crate::answers::evaluation::{Evaluation, XiangqiEvaluation};
use crate::answers::line::line_texts;
use crate::answers::verdict::VerdictExplanation;
use crate::game::{Game, Line, Side};
use crate::message::{Message, ToMessage};
use crate::tablebase::Material;
use crate::xiangqi::notation::{MoveNotation, format_move, parse_move};
use crate::xiangqi::{Move, Position, RuleSet, Setup};

/// Pieces of both sides in an ending that has a name, at most.
const MOST_OF_ENDING: usize = 10;

impl Described for Position {
    fn read_start(text: &str) -> Result<Start<Self>, Refusal> {
        let setup = Setup::from_fen(text).map_err(|e| Refusal::Unreadable(e.message()))?;
        let position = Self::from_setup(&setup).map_err(|errors| Refusal::Illegal {
            text: setup.to_fen(),
            reasons: errors.0.iter().map(ToMessage::message).collect(),
        })?;
        Ok(Start { position, clock: setup.halfmove_clock, fullmoves: setup.fullmoves })
    }

    fn line_text(line: &Line<Self>, fullmoves: u32) -> String {
        let black_began = usize::from(line.start().turn() == Side::Second);
        let pairs = u32::try_from((line.len() + black_began) / 2).unwrap_or(u32::MAX);
        let mut setup = line.position().to_setup();
        setup.halfmove_clock = line.clock();
        setup.fullmoves = fullmoves.saturating_add(pairs);
        setup.to_fen()
    }

    fn read_move(&self, text: &str) -> Result<Move, Message> {
        parse_move(self, text).map_err(|error| error.message())
    }

    fn write_move(&self, mv: Move, notation: MoveNotation) -> String {
        format_move(self, mv, notation)
    }

    fn ending_name(&self, own: Side) -> Option<String> {
        let (material, is_swapped) = Material::of(self);
        let is_first = (own == Side::First) != is_swapped;
        let first = if is_first { Side::First } else { Side::Second };
        (material.men() <= MOST_OF_ENDING).then(|| material.name(first))
    }

    fn in_check(&self) -> bool {
        Self::in_check(self)
    }

    fn status(&self) -> &'static str {
        match (self.has_legal_move(), Self::in_check(self)) {
            (true, _) => "ongoing",
            (false, true) => "checkmate",
            (false, false) => "stalemate",
        }
    }

    fn evaluation(&self) -> Evaluation {
        Evaluation::Xiangqi(XiangqiEvaluation::of(self))
    }

    fn explain_verdict(
        line: &Line<Self>,
        rules: RuleSet,
        notation: Option<MoveNotation>,
    ) -> VerdictExplanation {
        let texts = notation.map(|notation| line_texts(line.start(), line.moves(), notation));
        VerdictExplanation::of(line, rules, texts.as_deref())
    }
}
