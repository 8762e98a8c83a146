//! The win or draw that a move of the human gives away by the endgame tables, and another try.

use super::setup::PlayGame;
use super::{Next, TerminalGame, Turn};
use crate::cli::print::describe::table_text;
use crate::language::text;
use juzhong::game::{Horizon, Line};
use juzhong::tablebase::Wdl;

impl<G: PlayGame> TerminalGame<'_, G> {
    /// Says that a move gives a win or a draw away, and which move would have kept it; `None` if it does not, or the tables
    /// do not know both positions.
    pub(crate) fn loss_of(&mut self, mv: G::Move) -> Option<String> {
        if !self.tells_losses || !self.opponent.has_tables() {
            return None;
        }
        let line = self.games.current.line();
        let best = *self.opponent.table_moves(line)?.first()?;
        let mut after = line.clone();
        after.push(mv);
        let kept = self.result_of_move(&after)?;
        if kept >= best.entry.wdl {
            return None;
        }
        let better = self.written(best.mv);
        Some(match (best.entry.wdl, kept) {
            (Wdl::Win, Wdl::Loss) => {
                text!(
                    "the win is gone, and the game is lost: {better} still won ({})",
                    table_text(&best)
                )
            }
            (Wdl::Win, _) => {
                text!("the win is gone: {better} still won ({})", table_text(&best))
            }
            _ => text!("the draw is gone: {better} still held it"),
        })
    }

    /// Goes back before the last move that was said to give a win or a draw away.
    pub(crate) fn retry(&mut self) -> Turn {
        if !self.games.current.go_before_mistake() {
            return self.answer("no move was said to give a win or a draw away; undo takes back");
        }
        self.games.current.waits = self.position().turn() != self.human;
        self.say("before the move that gave it away; try another one")?;
        Ok(Next::Moved)
    }

    /// The result at the end of a line for the side that made the last move, by the rules or the tables.
    fn result_of_move(&mut self, after: &Line<G>) -> Option<Wdl> {
        let mover = !after.position().turn();
        let by_rule = || G::judge(after, self.rules, Horizon::Game).verdict.outcome();
        if let Some(outcome) = after.position().outcome().or_else(by_rule) {
            return Some(match outcome.winner() {
                None => Wdl::Draw,
                Some(winner) if winner == mover => Wdl::Win,
                Some(_) => Wdl::Loss,
            });
        }
        Some(-self.opponent.table_moves(after)?.first()?.entry.wdl)
    }
}
