//! The commands that only show something: the board, moves, values, books, endgame tables, verdicts, help.

use std::cmp::Reverse;
use std::path::Path;

use super::setup::PlayGame;
use super::{Next, TerminalGame, Turn, commands};
use crate::cli::CliError;
use crate::cli::print::describe::table_text;
use crate::cli::print::verdict_explanation::write_explanation;
use crate::language::{counts, left, say, text, word, wrapped};
use juzhong::answers::{Described, legal_moves, line_texts, verdict_name};
use juzhong::book::Book;
use juzhong::bytes::visible::{Form, ShowPath, VisibleWriter};
use juzhong::engine::OwnBook;
use juzhong::game::{Horizon, Verdict};
use juzhong::message::message;

/// Columns of a line with many moves.
const WIDTH: usize = 78;

impl<G: PlayGame> TerminalGame<'_, G> {
    /// Draws the board, and says who is to move.
    pub(crate) fn draw(&mut self) -> Result<(), CliError> {
        let position = self.position();
        let side = word(G::side_name(position.turn()));
        let turn = match Described::in_check(position) {
            true => text!("{side} to move, in check"),
            false => text!("{side} to move"),
        };
        let drawing = position.draw(self.view, self.game().line().moves().last());
        writeln!(self.out, "\n{drawing}{turn}")?;
        Ok(())
    }

    /// Draws the board again.
    pub(crate) fn board(&mut self) -> Turn {
        self.draw()?;
        Ok(Next::Same)
    }

    /// Draws the board from the other side.
    pub(crate) fn flip(&mut self) -> Turn {
        if !G::HAS_VIEWS {
            return self.answer("this board looks the same to both");
        }
        self.view.is_flipped = !self.view.is_flipped;
        self.board()
    }

    /// Shows the help.
    pub(crate) fn help(&mut self) -> Turn {
        write!(self.out, "{}", commands::help::<G>())?;
        Ok(Next::Same)
    }

    /// Shows the legal moves.
    pub(crate) fn moves(&mut self) -> Turn {
        let moves = legal_moves(self.position());
        let texts: Vec<String> = moves.into_iter().map(|mv| self.written(mv)).collect();
        self.answer(wrapped(&texts.join(" "), WIDTH).join("\n"))
    }

    /// Shows the position as text.
    pub(crate) fn fen(&mut self) -> Turn {
        let text = G::line_text(self.game().line(), self.game().fullmoves);
        self.answer(text)
    }

    /// Shows the moves with their numbers, those ahead too.
    pub(crate) fn list(&mut self) -> Turn {
        let game = self.game();
        let made = game.line().len();
        let moves = game.all_moves();
        if moves.is_empty() {
            return self.answer("no move has been made");
        }
        let texts = line_texts(game.line().start(), moves, self.notation.shown());
        let numbered = (1..).zip(&texts);
        let cells: Vec<String> =
            numbered.map(|(ply, text): (usize, _)| format!("{ply:>4} {text:<12}")).collect();
        for pair in cells.chunks(2) {
            self.say(pair.concat().trim_end())?;
        }
        if made < cells.len() {
            self.say(text!("after {made} of {}", counts::moves(cells.len())))?;
        }
        Ok(Next::Same)
    }

    /// Shows the evaluation taken apart.
    pub(crate) fn eval(&mut self) -> Turn {
        // The output of `play` is not escaped, for boards have colours. The evaluation has none, so that it can be.
        let position = self.games.current.position();
        let mut out = VisibleWriter::new(&mut *self.out, Form::Text);
        position.show_evaluation(&mut out)?;
        Ok(Next::Same)
    }

    /// Shows the moves that the books of the side to move have.
    pub(crate) fn ask_books(&mut self) -> Turn {
        let turn = self.position().turn();
        let books: Vec<OwnBook> = self
            .books
            .iter()
            .filter(|book| book.side.is_none_or(|side| side == turn))
            .cloned()
            .collect();
        if books.is_empty() {
            return self.answer("no book; give one by --book");
        }
        for book in books {
            self.ask_book(&book.path)?;
        }
        Ok(Next::Same)
    }

    fn ask_book(&mut self, path: &Path) -> Result<(), CliError> {
        let name = path.shown().to_string();
        let found = Book::open(path).and_then(|book| book.probe(self.position()));
        let mut found = match found {
            Ok(found) if found.is_empty() => return self.say(text!("{name}: no move")),
            Ok(found) => found,
            Err(error) => return self.say(message!("{name}: {error}")),
        };
        self.say(format_args!("{name}:"))?;
        // The text decides between equal weights, so that the order is always the same.
        found.sort_by_cached_key(|m| (Reverse(m.weight), G::move_text(m.mv)));
        let turn = self.position().turn();
        for m in found {
            let text = self.written(m.mv);
            let score = match m.stats.score(turn) {
                Some(score) => format!("{:.1} %", 100.0 * score),
                None => "-".to_owned(),
            };
            let games = m.stats.games;
            let weight = m.weight;
            self.say(text!("  {text:<8} {games:>8} games {score:>8}  weight {weight}"))?;
        }
        Ok(())
    }

    /// Shows the values of the moves by the endgame tables.
    pub(crate) fn ask_tables(&mut self) -> Turn {
        if !self.opponent.has_tables() {
            return self.answer("no endgame tables; give a folder of them by --tables");
        }
        let Some(moves) = self.opponent.table_moves(self.games.current.line()) else {
            return self.answer("the endgame tables do not have this position");
        };
        for m in moves {
            let text = self.written(m.mv);
            self.say(format_args!("  {} {}", left(&text, 8), table_text(&m)))?;
        }
        Ok(Next::Same)
    }

    /// Explains the verdict of the rules.
    pub(crate) fn why(&mut self) -> Turn {
        if let Some(result) = self.result() {
            self.say(result)?;
        }
        if G::RULES.len() < 2 {
            return self.answer("this game has no rules on repetition and moves");
        }
        let line = self.games.current.line();
        let judgement = G::judge(line, self.rules, Horizon::Game);
        let explanation = G::explain_verdict(line, self.rules, self.notation.asked());
        let reason = judgement.reason.map(|r| format!(" ({})", word(r))).unwrap_or_default();
        say!(self.out, "verdict  {}{reason}", word(verdict_name(judgement.verdict)))?;
        let mut out = VisibleWriter::new(&mut *self.out, Form::Text);
        write_explanation(&explanation, &mut out)?;
        if judgement.verdict == Verdict::None && explanation.is_empty() {
            self.say("no position has occurred twice, and the limit of moves is not reached")?;
        }
        Ok(Next::Same)
    }
}
