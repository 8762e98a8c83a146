//! The game on the board: the moves made, the moves ahead that were taken back, and the games that wait while
//! variations are tried. Nothing is printed here.

use serde::{Deserialize, Serialize};

use crate::cli::print::terminal::Terminal;
use juzhong::answers::Start;
use juzhong::game::{Game, Line, Outcome, Side};
use juzhong::record::{Record, Tree};

/// A game with the moves that follow the present position.
#[derive(Debug, Clone)]
pub(crate) struct Played<G: Game> {
    line: Line<G>,
    /// Moves that were taken back, the next one last.
    ahead: Vec<G::Move>,
    /// Number of the move pair at the start.
    pub(crate) fullmoves: u32,
    start_clock: u32,
    /// The start as text, if it is not the usual one.
    fen: Option<String>,
    /// The side that has given up.
    resigned: Option<Side>,
    /// The result that the file states.
    stated: Option<Outcome>,
    /// Tags of the file that the game was read from.
    tags: Vec<(String, String)>,
    /// True while the game is gone through: the engine waits for the next move of the human.
    pub(crate) waits: bool,
    /// The ply of the last move that was said to give a win or a draw away.
    mistake: Option<usize>,
    /// The moves that a file has, and who has given up in it.
    on_file: Option<(Vec<G::Move>, Option<Side>)>,
}

/// The state of a game beside its start and its moves.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(crate) struct SavedState {
    /// Plies that are made; the others are ahead.
    pub(crate) ply: usize,
    #[serde(default)]
    resigned: Option<Side>,
    #[serde(default)]
    stated: Option<Outcome>,
    #[serde(default)]
    tags: Vec<(String, String)>,
    /// Unknown of a game that was kept without it.
    #[serde(default)]
    waits: Option<bool>,
    /// True if no file has its moves.
    #[serde(default = "yes")]
    is_unsaved: bool,
}

const fn yes() -> bool {
    true
}

impl<G: Terminal> Played<G> {
    /// A game from the usual start.
    pub(crate) fn new() -> Self {
        Self::of(Line::new(G::start(), 0), 1, 0, false)
    }

    /// A game from another start.
    pub(crate) fn from_start(start: Start<G>) -> Self {
        let Start { position, clock, fullmoves } = start;
        Self::of(Line::new(position, clock), fullmoves, clock, true)
    }

    /// A game that has begun; `is_other` if its start is not the usual one.
    pub(crate) fn of(line: Line<G>, fullmoves: u32, start_clock: u32, is_other: bool) -> Self {
        let start = Line::new(line.start().clone(), start_clock);
        let moves = line.moves().collect();
        Self {
            line,
            ahead: Vec::new(),
            fullmoves,
            start_clock,
            fen: is_other.then(|| G::line_text(&start, fullmoves)),
            resigned: None,
            stated: None,
            tags: Vec::new(),
            waits: false,
            mistake: None,
            on_file: Some((moves, None)),
        }
    }

    /// The game of a record, at its start.
    pub(crate) fn of_record(record: Record<G>) -> Self {
        let Record { tags, start, start_clock, tree, result } = record;
        let mut game = match start {
            None => Self::new(),
            Some(position) => {
                Self::from_start(Start { position, clock: start_clock, fullmoves: 1 })
            }
        };
        game.ahead = tree.moves;
        game.ahead.reverse();
        game.tags = tags;
        game.stated = result;
        game.on_file = Some((game.all_moves(), None));
        game
    }

    /// A game that comes back: all its moves are made, and it has the state that it had. `None` if there are
    /// fewer plies than that state has.
    pub(crate) fn restored(mut self, state: SavedState) -> Option<Self> {
        let SavedState { ply, resigned, stated, tags, waits, is_unsaved } = state;
        if !self.go_to(ply) {
            return None;
        }
        self.resigned = resigned;
        self.stated = stated;
        self.tags = tags;
        self.waits = waits.unwrap_or(!self.ahead.is_empty());
        self.on_file = None;
        if !is_unsaved {
            self.mark_saved();
        }
        Some(self)
    }

    pub(crate) fn saved_state(&self) -> SavedState {
        SavedState {
            ply: self.line.len(),
            resigned: self.resigned,
            stated: self.stated,
            tags: self.tags.clone(),
            waits: Some(self.waits),
            is_unsaved: self.is_unsaved(),
        }
    }

    /// The game as a file has it: with the moves ahead while it is gone through, else without those that were
    /// taken back.
    pub(crate) fn to_save(&self) -> Self {
        let mut game = self.clone();
        if game.waits {
            game.go_to(game.len());
        } else {
            game.end_here();
        }
        game
    }

    /// Notes that a file has the game.
    pub(crate) fn mark_saved(&mut self) {
        self.on_file = Some((self.to_save().all_moves(), self.resigned));
    }

    /// Returns true if there are moves, or a side has given up, and no file has it.
    pub(crate) fn is_unsaved(&self) -> bool {
        let moves = self.to_save().all_moves();
        // A file whose moves go on further has the game, too.
        let is_on_file = self.on_file.as_ref().is_some_and(|(saved, resigned)| {
            *resigned == self.resigned && saved.starts_with(&moves)
        });
        !moves.is_empty() && !is_on_file
    }

    /// The record of all moves, with the result `outcome`, or else the one that was stated.
    pub(crate) fn record(&self, outcome: Option<Outcome>, players: [String; 2]) -> Record<G> {
        let mut tags = self.tags.clone();
        if tags.is_empty() {
            let [first, second] = Side::ALL.map(|side| G::side_name(side).to_owned());
            tags.extend([first, second].into_iter().zip(players));
        }
        Record {
            tags,
            start: self.fen.as_ref().map(|_| self.line.start().clone()),
            start_clock: self.start_clock,
            result: outcome.or(self.stated),
            tree: Tree { moves: self.all_moves(), ..Tree::default() },
        }
    }

    /// The moves made and the moves ahead.
    pub(crate) fn all_moves(&self) -> Vec<G::Move> {
        self.line.moves().chain(self.ahead.iter().rev().copied()).collect()
    }

    pub(crate) const fn line(&self) -> &Line<G> {
        &self.line
    }

    pub(crate) const fn position(&self) -> &G {
        self.line.position()
    }

    /// The start as text, if it is not the usual one.
    pub(crate) fn fen(&self) -> Option<&str> {
        self.fen.as_deref()
    }

    pub(crate) const fn resigned(&self) -> Option<Side> {
        self.resigned
    }

    pub(crate) const fn resign(&mut self, side: Side) {
        self.resigned = Some(side);
    }

    pub(crate) const fn take_resignation_back(&mut self) {
        self.resigned = None;
    }

    /// Makes a legal move. The moves ahead stay if it is the first of them.
    pub(crate) fn push(&mut self, mv: G::Move) {
        if self.ahead.pop() != Some(mv) {
            self.end_here();
        }
        self.line.push(mv);
        self.resigned = None;
    }

    /// Forgets the moves ahead.
    pub(crate) fn end_here(&mut self) {
        // A mistake at this ply or later is among the moves that are forgotten.
        self.mistake = self.mistake.filter(|&ply| ply < self.line.len());
        self.ahead.clear();
        self.stated = None;
    }

    /// Takes a move back; false if there is none.
    pub(crate) fn back(&mut self) -> bool {
        let Some(mv) = self.line.moves().last() else { return false };
        self.line.pop();
        self.ahead.push(mv);
        self.resigned = None;
        true
    }

    /// Makes the next of the moves ahead; false if there is none.
    pub(crate) fn forward(&mut self) -> bool {
        let Some(&mv) = self.ahead.last() else { return false };
        self.push(mv);
        true
    }

    /// Goes to the position after that many plies; false if the game has fewer.
    pub(crate) fn go_to(&mut self, ply: usize) -> bool {
        if ply > self.len() {
            return false;
        }
        while self.line.len() > ply && self.back() {}
        while self.line.len() < ply && self.forward() {}
        true
    }

    /// Notes that the last move gives a win or a draw away.
    pub(crate) fn mark_mistake(&mut self) {
        self.mistake = self.line.len().checked_sub(1);
    }

    /// Goes to the position before the last move that gave a win or a draw away; false if there is none.
    pub(crate) fn go_before_mistake(&mut self) -> bool {
        self.mistake.is_some_and(|ply| self.go_to(ply))
    }

    /// Plies made and ahead.
    pub(crate) fn len(&self) -> usize {
        self.line.len() + self.ahead.len()
    }
}

/// The game on the board, and those that wait while variations of them are tried.
#[derive(Debug)]
pub(crate) struct GameStack<G: Game> {
    /// The game on the board.
    pub(crate) current: Played<G>,
    /// The games to return to, the game itself first.
    waiting: Vec<Played<G>>,
}

impl<G: Terminal> GameStack<G> {
    pub(crate) const fn new(game: Played<G>) -> Self {
        Self { current: game, waiting: Vec::new() }
    }

    /// Replaces all by another game.
    pub(crate) fn replace(&mut self, game: Played<G>) {
        *self = Self::new(game);
    }

    /// Begins to try variations.
    pub(crate) fn study(&mut self) {
        self.waiting.push(self.current.clone());
    }

    /// Returns to the game as it was; false if no variations are tried.
    pub(crate) fn end_study(&mut self) -> bool {
        let Some(game) = self.waiting.pop() else { return false };
        self.current = game;
        true
    }

    pub(crate) const fn is_studying(&self) -> bool {
        !self.waiting.is_empty()
    }

    /// The game itself, without variations.
    pub(crate) fn itself(&self) -> &Played<G> {
        self.waiting.first().unwrap_or(&self.current)
    }
}

#[cfg(test)]
impl<G: Terminal> Played<G> {
    /// All that a game is, as far as it can be kept.
    pub(crate) fn state(&self) -> impl PartialEq + std::fmt::Debug + use<G> {
        let text = G::line_text(&self.line, self.fullmoves);
        let moves: Vec<String> = self.all_moves().into_iter().map(G::move_text).collect();
        let clocks = (self.line.clock(), self.start_clock);
        (text, moves, clocks, self.fullmoves, self.fen.clone(), self.saved_state())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use juzhong::game::Notation;
    use juzhong::xiangqi::Position;
    use std::fmt::Debug;

    fn game(moves: &[&str]) -> Played<Position> {
        let mut game = Played::new();
        for text in moves {
            game.push(Position::parse_move(text).unwrap());
        }
        game
    }

    const MOVES: [&str; 5] = ["h2e2", "h9g7", "h0g2", "i9h9", "i0h0"];

    fn state(game: &Played<Position>) -> impl PartialEq + Debug + use<> {
        game.state()
    }

    #[test]
    fn back_and_forward_are_inverse() {
        let mut game = game(&MOVES);
        let whole = state(&game);
        for back in 1..=MOVES.len() {
            for _ in 0..back {
                assert!(game.back());
            }
            assert_eq!((game.line().len(), game.len()), (MOVES.len() - back, MOVES.len()));
            for _ in 0..back {
                assert!(game.forward());
            }
            assert_eq!(state(&game), whole);
        }
        assert!(!game.forward());
        assert!(game.go_to(0) && !game.back());
    }

    #[test]
    fn every_ply_is_reached_from_every_other() {
        let mut game = game(&MOVES);
        for from in 0..=MOVES.len() {
            for to in 0..=MOVES.len() {
                assert!(game.go_to(from));
                let before = state(&game);
                assert!(game.go_to(to));
                assert_eq!(game.line().len(), to);
                assert!(game.go_to(from));
                assert_eq!(state(&game), before);
            }
        }
        assert!(!game.go_to(MOVES.len() + 1));
    }

    #[test]
    fn the_move_ahead_keeps_what_follows_and_another_one_does_not() {
        let mut game = game(&MOVES);
        assert!(game.go_to(2));
        game.push(Position::parse_move("h0g2").unwrap());
        assert_eq!(game.ahead.len(), 2);
        assert!(game.go_to(2));
        game.push(Position::parse_move("b0c2").unwrap());
        assert_eq!((game.ahead.len(), game.len()), (0, 3));
    }

    #[test]
    fn a_mistake_is_gone_back_to_until_another_move_takes_its_place() {
        let mut game = game(&MOVES[..3]);
        assert!(!game.go_before_mistake());
        game.mark_mistake();
        game.push(Position::parse_move("i9h9").unwrap());
        for _ in 0..2 {
            assert!(game.go_before_mistake());
            assert_eq!((game.line().len(), game.len()), (2, 4));
        }
        assert!(game.go_to(0) && game.go_before_mistake() && game.line().len() == 2);
        game.push(Position::parse_move("b0c2").unwrap());
        assert!(!game.go_before_mistake());
    }

    #[test]
    fn a_study_restores_the_game_exactly() {
        let mut games = GameStack::new(game(&MOVES));
        assert!(games.current.go_to(3));
        games.current.resign(Side::First);
        let before = state(&games.current);
        games.study();
        assert!(games.current.go_to(1));
        games.current.push(Position::parse_move("b9c7").unwrap());
        let inner = state(&games.current);
        games.study();
        assert!(games.current.back());
        assert_eq!(state(games.itself()), before);
        assert!(games.end_study());
        assert_eq!(state(&games.current), inner);
        assert!(games.is_studying() && games.end_study());
        assert_eq!(state(&games.current), before);
        assert!(!games.end_study());
    }

    #[test]
    fn a_game_becomes_a_record_and_comes_back() {
        let mut game = game(&MOVES);
        assert!(game.go_to(2));
        let record = game.record(None, ["a".to_owned(), "b".to_owned()]);
        assert_eq!(record.tag("Red"), Some("a"));
        let mut read = Played::of_record(record);
        assert_eq!((read.line().len(), read.len()), (0, 5));
        assert!(read.go_to(2));
        assert_eq!((read.line().len(), read.all_moves()), (2, game.all_moves()));
    }
}
