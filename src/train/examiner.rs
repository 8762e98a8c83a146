//! The truth about a move that an exercise does not know: by endgame tables, else by a short search of the own engine beside
//! the move that is right.

use super::exercise::{
    Accepted, BookFacts, Kind, MAX_ACCEPTED, MAX_LINE, Opened, ScoreFacts, TableFacts, TableResult,
};
use crate::book::BookError;
use crate::engine::{Engine, EngineError, EngineOptions, OwnBook, Playable};
use crate::game::{Line, ScoreKind};
use crate::review::{BookShare, Ending, ReviewBooks, ending, expected_score};
use crate::search::{Control, Limits, Score};
use crate::tablebase::Wdl;

/// The loss of expected score, of 1, up to which a move is as good as the one that is right: less than a review marks.
const AS_GOOD: f64 = 0.03;

/// Looks moves up.
#[derive(Debug)]
pub struct Examiner<G: Playable> {
    engine: Engine<G>,
    books: ReviewBooks,
    /// Positions that each of two searches looks at.
    nodes: u64,
}

/// The ground on which a move is right or wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Ground {
    /// The exercise has the move.
    Accepted,
    /// The move ends the game.
    End,
    /// Endgame tables know its value.
    Table,
    /// A search has compared it with the move that is right.
    Search,
    /// The repertoire does not have it.
    Repertoire,
}

impl Ground {
    /// `accepted`, `end`, `table`, `search` or `repertoire`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Accepted => "accepted",
            Self::End => "end",
            Self::Table => "table",
            Self::Search => "search",
            Self::Repertoire => "repertoire",
        }
    }
}

/// The verdict on a move, and what is known of it. Values are for the side that makes it.
#[derive(Debug, Clone, PartialEq)]
pub struct Examined {
    /// True if the move is right.
    pub is_right: bool,
    /// The ground.
    pub ground: Ground,
    /// Its games in the books.
    pub book: Option<BookFacts>,
    /// Its value by tables or by the end of the game.
    pub table: Option<TableFacts>,
    /// The scores that a search has found.
    pub search: Option<Compared>,
}

/// The scores of two moves, each searched alike.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Compared {
    /// The score of the move.
    pub mv: Score,
    /// The score of the move that is right.
    pub right: Score,
    /// The loss of expected score, 0 to 1.
    pub loss: f64,
}

impl<G: Playable> Examiner<G> {
    /// An examiner with the tables, rules, hash and threads of `options`, and these books; each search looks at `nodes`
    /// positions. Its answers do not depend on what it was asked before.
    ///
    /// # Errors
    ///
    /// If the search cannot have the memory asked for.
    pub fn new(
        options: EngineOptions<G::Rules>,
        books: ReviewBooks,
        nodes: u64,
    ) -> Result<Self, EngineError> {
        let engine = Engine::new(EngineOptions { books: Vec::<OwnBook>::new(), ..options })?;
        Ok(Self { engine, books, nodes })
    }

    /// The engine, which has warnings of its tables perhaps.
    pub const fn engine(&mut self) -> &mut Engine<G> {
        &mut self.engine
    }

    /// Says whether a legal move solves an exercise. `None` if `control` has ended the search.
    ///
    /// # Errors
    ///
    /// If a book cannot be read.
    pub fn examine(
        &mut self,
        opened: &Opened<'_, G>,
        mv: G::Move,
        control: &dyn Control<G::Move>,
    ) -> Result<Option<Examined>, BookError> {
        let line = &opened.line;
        let found = self.books.look_up(line.position(), mv, line.game_ply())?;
        let table = self.table_value(line, mv, opened.rules);
        let examined = |is_right, ground| Examined {
            is_right,
            ground,
            book: found.played.map(BookFacts::from),
            table: table.map(|(facts, _)| facts),
            search: None,
        };
        if opened.place_of(mv).is_some() {
            return Ok(Some(examined(true, Ground::Accepted)));
        }
        if let Some((facts, true)) = table
            && facts.wdl == TableResult::Win
        {
            return Ok(Some(examined(true, Ground::End)));
        }
        if opened.exercise.kind == Kind::Repertoire {
            return Ok(Some(examined(false, Ground::Repertoire)));
        }
        if let Some((facts, _)) = table
            && let Some(best) = self.best_result(line)
        {
            return Ok(Some(examined(facts.wdl >= best, Ground::Table)));
        }
        let Some(compared) = self.compared(opened, mv, control) else { return Ok(None) };
        // A short search is no better judge of the move that was wrong than what found that.
        let is_right = compared.loss <= AS_GOOD && opened.played != Some(mv);
        let examined = examined(is_right, Ground::Search);
        Ok(Some(Examined { search: Some(compared), ..examined }))
    }

    /// The best result of a position by tables.
    fn best_result(&self, line: &Line<G>) -> Option<TableResult> {
        Some(self.engine.ranked_moves(line)?.first()?.entry.wdl.into())
    }

    /// The value of a move by tables, or, with `true`, by the end of the game.
    fn table_value(
        &self,
        line: &Line<G>,
        mv: G::Move,
        rules: G::Rules,
    ) -> Option<(TableFacts, bool)> {
        let mover = line.position().turn();
        let mut after = line.clone();
        after.push(mv);
        if let Some(Ending { outcome, .. }) = ending(&after, rules) {
            let wdl = match outcome.winner() {
                None => TableResult::Draw,
                Some(winner) if winner == mover => TableResult::Win,
                Some(_) => TableResult::Loss,
            };
            return Some((TableFacts { wdl, order: 0, distance: None }, true));
        }
        let ranked = self.engine.ranked_moves(line).unwrap_or_default();
        if let Some(known) = ranked.iter().find(|known| known.mv == mv) {
            return Some((known.entry.into(), false));
        }
        // Where a move wins, those that do not may be left out.
        let answer = self.engine.ranked_moves(&after)?.first()?.entry.wdl;
        Some((TableFacts { wdl: (-answer).into(), order: 0, distance: None }, false))
    }

    /// The moves that keep the value of a position by tables, the best first, and that value; `None` where tables do not
    /// know it, or it is lost.
    #[must_use]
    pub fn keeping(&self, line: &Line<G>) -> Option<Vec<Accepted>> {
        let ranked = self.engine.ranked_moves(line)?;
        let best = ranked.first()?.entry.wdl;
        let keeps = ranked.iter().filter(|m| m.entry.wdl == best && best != Wdl::Loss);
        let accepted = keeps
            .take(MAX_ACCEPTED)
            .map(|m| Accepted { table: Some(m.entry.into()), ..Accepted::new(G::move_text(m.mv)) });
        Some(accepted.collect())
    }

    /// The moves of a position that a book knows well.
    ///
    /// # Errors
    ///
    /// If a book cannot be read.
    pub fn known(&mut self, line: &Line<G>) -> Result<Vec<Accepted>, BookError> {
        let known = self.books.known_moves(line.position(), line.game_ply())?;
        let accepted = known.into_iter().map(|(mv, share)| Accepted {
            book: Some(share.into()),
            ..Accepted::new(G::move_text(mv))
        });
        Ok(accepted.collect())
    }

    /// The best move of a position by search; `None` if there is none, or `control` has ended it.
    pub fn searched(&mut self, line: &Line<G>, control: &dyn Control<G::Move>) -> Option<Accepted> {
        self.engine.new_game();
        // As much work as a comparison, which takes two searches.
        let choice = self.engine.search(line, &Limits::nodes(2 * self.nodes), control)?;
        if control.should_stop() {
            return None;
        }
        let line = choice.pv.iter().take(MAX_LINE).map(|&mv| G::move_text(mv)).collect();
        let score = choice.score.map(ScoreFacts::from);
        Some(Accepted { score, line, ..Accepted::new(G::move_text(choice.mv)) })
    }

    /// Compares a move with the first of those that are right.
    fn compared(
        &mut self,
        opened: &Opened<'_, G>,
        mv: G::Move,
        control: &dyn Control<G::Move>,
    ) -> Option<Compared> {
        let best = *opened.accepted.first()?;
        let right = self.score_of(opened, best, control)?;
        let score = self.score_of(opened, mv, control)?;
        let phase = opened.line.position().phase();
        let [of_right, of_move] =
            [right, score].map(|score| expected_score(score, phase, &G::WIN_MODEL));
        let loss = (of_right - of_move).max(0.0);
        Some(Compared { mv: score, right, loss })
    }

    /// The score of a move, by a search from the position after it.
    fn score_of(
        &mut self,
        opened: &Opened<'_, G>,
        mv: G::Move,
        control: &dyn Control<G::Move>,
    ) -> Option<Score> {
        let mover = opened.line.position().turn();
        let mut after = opened.line.clone();
        after.push(mv);
        if let Some(Ending { outcome, .. }) = ending(&after, opened.rules) {
            return Some(match outcome.winner() {
                None => Score::DRAW,
                Some(winner) if winner == mover => Score::mate_in(1),
                Some(_) => Score::mated_in(0),
            });
        }
        self.engine.new_game();
        let choice = self.engine.search(&after, &Limits::nodes(self.nodes), control)?;
        let score = choice.score.filter(|_| !control.should_stop());
        score.map(|score| -score)
    }
}

impl From<BookShare> for BookFacts {
    fn from(share: BookShare) -> Self {
        Self::new(share.games, share.score)
    }
}

impl From<Score> for ScoreFacts {
    fn from(score: Score) -> Self {
        let mate = match score.kind() {
            ScoreKind::MateIn(plies) => i32::try_from(plies.div_ceil(2)).ok(),
            ScoreKind::MatedIn(plies) => i32::try_from(plies.div_ceil(2)).ok().map(|moves| -moves),
            _ => None,
        };
        Self { mate, cp: mate.is_none().then(|| score.value()) }
    }
}
