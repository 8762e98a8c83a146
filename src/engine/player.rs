//! The engine: its options, and the choice of a move from tables, books and search.

use std::fmt;

use super::endgames::{DistanceTarget, Endgames, ProbeBudget, RootMove, RootRanking, TableOptions};
use super::opening_books::{OpeningBooks, OwnBook, SelectOptions};
use super::playable::{Playable, as_it_counts, loses_by_rule};
use crate::bytes::clock::Instant;
use crate::bytes::machine::available_memory;
use crate::game::{EvaluationKind, Line, MoveList};
use crate::hash::Key;
use crate::message::{Message, message};
use crate::search::{
    Control, CurrentMove, Features, HashEntry, HideDraws, Iteration, Limits, MAX_HASH_MIB,
    MateSearch, Score, SearchError, SearchOptions, SearchResult, Searcher, TableValue,
    TablebaseProbe,
};
use crate::tablebase::{Entry, Wdl};

/// The settings of an engine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EngineOptions<R> {
    /// Opening books, the preferred one first.
    pub books: Vec<OwnBook>,
    /// The way of choosing one of a book's moves.
    pub select: SelectOptions,
    /// Endgame tables.
    pub tables: TableOptions,
    /// Size of the transposition table in MiB.
    pub hash_mib: usize,
    /// Number of threads that search, at least 1.
    pub threads: usize,
    /// Best lines reported by search.
    pub multipv: usize,
    /// Seed of every random choice; `None` to draw one from the operating system, so that every
    /// process chooses otherwise.
    pub seed: Option<u64>,
    /// The rules that judge repetitions.
    pub rules: R,
    /// The techniques of the search, beside looking at every move.
    pub features: Features,
    /// The evaluation of positions, where the game has more than one.
    pub evaluation: EvaluationKind,
}

impl<R: Clone> EngineOptions<R> {
    /// The same without books and tables: an engine that is there at once, while those are opened.
    #[must_use]
    pub fn without_files(&self) -> Self {
        Self { books: Vec::new(), tables: TableOptions::default(), ..self.clone() }
    }
}

impl<R: Default> Default for EngineOptions<R> {
    fn default() -> Self {
        Self {
            books: Vec::new(),
            select: SelectOptions::default(),
            tables: TableOptions::default(),
            hash_mib: 64,
            threads: 1,
            multipv: 1,
            seed: None,
            rules: R::default(),
            features: Features::ALL,
            evaluation: EvaluationKind::default(),
        }
    }
}

/// The reason for which an engine cannot be set up. Missing or damaged books and tablebases are no
/// errors: they are [warnings](Engine::take_warnings), and play goes on without them.
#[derive(Debug, thiserror::Error, crate::message::ToMessage)]
#[error("cannot set up the search: {0}")]
pub struct EngineError(SearchError);

/// The source of a move.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum MoveSource {
    /// An opening book.
    Book,
    /// The endgame tables.
    Table,
    /// The search.
    Search,
}

impl MoveSource {
    /// `book`, `table` or `search`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Book => "book",
            Self::Table => "table",
            Self::Search => "search",
        }
    }
}

/// A move and how it was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Choice<M> {
    /// The move.
    pub mv: M,
    /// Its source.
    pub source: MoveSource,
    /// For the side to move; `None` from a book.
    pub score: Option<Score>,
    /// The tablebase entry of the move, where it decided.
    pub table: Option<RootMove<M>>,
    /// Plies searched.
    pub depth: u32,
    /// Positions searched.
    pub nodes: u64,
    /// The play expected, [`mv`](Self::mv) first.
    pub pv: Vec<M>,
}

impl<M: Copy> Choice<M> {
    /// The answer expected.
    #[must_use]
    pub fn ponder(&self) -> Option<M> {
        self.pv.get(1).copied()
    }

    /// A legal move without a search: of the player that does not search, or one that nothing speaks for, better than
    /// none where a search has failed.
    #[must_use]
    pub fn unsearched(mv: M) -> Self {
        Self { source: MoveSource::Search, ..Self::from_book(mv) }
    }

    /// The choice that a search has found, if it has found a move.
    #[must_use]
    pub fn searched(found: SearchResult<M>) -> Option<Self> {
        let SearchResult { best, score, depth, nodes, pv, .. } = found;
        best.map(|mv| Self { score: Some(score), depth, nodes, pv, ..Self::unsearched(mv) })
    }

    fn from_book(mv: M) -> Self {
        let score = None;
        let table = None;
        Self { mv, source: MoveSource::Book, score, table, depth: 0, nodes: 0, pv: vec![mv] }
    }

    fn from_table(best: RootMove<M>) -> Self {
        Self {
            mv: best.mv,
            source: MoveSource::Table,
            score: Some(best.score()),
            table: Some(best),
            depth: 0,
            nodes: 0,
            pv: vec![best.mv],
        }
    }
}

impl<M> RootMove<M> {
    /// The result as a search score: a mate where the tablebases know its distance.
    #[must_use]
    pub fn score(&self) -> Score {
        Score::of_table(self.value, 0)
    }
}

impl<M> fmt::Display for RootMove<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Entry { wdl, order, distance } = self.entry;
        f.write_str(wdl.name())?;
        let plies = if distance == 1 { "ply" } else { "plies" };
        match (wdl, order) {
            (Wdl::Draw, _) => Ok(()),
            (_, 0) => match self.target {
                DistanceTarget::Mate => write!(f, ", mate in {distance} {plies}"),
                DistanceTarget::CaptureOrMate => {
                    write!(f, ", capture or mate in {distance} {plies}")
                }
                DistanceTarget::End => write!(f, " in {distance} {plies}"),
                DistanceTarget::EndAtMost => write!(f, " in at most {distance} {plies}"),
            },
            (_, order) => write!(f, " by repetition, order {order}, {distance} {plies}"),
        }
    }
}

/// Longest line of play shown from the tablebases, in plies.
const TABLE_LINE: usize = 20;

/// The score in centipawns of a win that the limit of moves may prevent.
const UNSURE: i32 = 30;

/// The most positions that are looked up in tablebases for a win in time: about a second.
const MAX_PROBES: u32 = 100_000;

/// The part of the time for a move that the ranking by tablebases may use.
const RANKING_SHARE: u32 = 4;

/// A player. Answers depend on its options and the games since it was made, never on the time,
/// except where a limit is a time, several threads search, or a book's move is drawn without a seed.
///
/// ```
/// use juzhong::engine::{Engine, EngineOptions, MoveSource};
/// use juzhong::game::{Game, Line};
/// use juzhong::search::Limits;
/// use juzhong::xiangqi::Position;
///
/// let options = EngineOptions { hash_mib: 1, ..EngineOptions::default() };
/// let mut engine = Engine::<Position>::new(options)?;
/// let line = Line::new(Position::start(), 0);
/// let choice = engine.choose(&line, &Limits::depth(2), &()).unwrap();
/// assert_eq!(choice.source, MoveSource::Search);
/// assert!(line.position().is_legal(choice.mv));
/// # Ok::<(), juzhong::engine::EngineError>(())
/// ```
#[derive(Debug)]
pub struct Engine<G: Playable> {
    options: EngineOptions<G::Rules>,
    opening_books: OpeningBooks,
    tables: Option<G::Tables>,
    searcher: Searcher<G>,
    /// Moves not to be played in the next position.
    banned: Vec<G::Move>,
    warnings: Vec<Message>,
    /// True if the tablebases' remark on the present win has been made.
    remarked: bool,
}

impl<G: Playable> Engine<G> {
    /// Sets up a player.
    ///
    /// # Errors
    ///
    /// If the search cannot have the memory asked for.
    pub fn new(options: EngineOptions<G::Rules>) -> Result<Self, EngineError> {
        let mut warnings = Vec::new();
        let opening_books = open_books::<G>(&options, &mut warnings);
        let tables = open_tables::<G>(&options, &mut warnings);
        let searcher = new_searcher(&options)?;
        let banned = Vec::new();
        Ok(Self { options, opening_books, tables, searcher, banned, warnings, remarked: false })
    }

    /// Changes options; only what they concern is set up again.
    ///
    /// # Errors
    ///
    /// If the search cannot have the memory asked for; the options stay as they were then.
    pub fn set_options(&mut self, new: EngineOptions<G::Rules>) -> Result<(), EngineError> {
        let of_searcher = |options: &EngineOptions<G::Rules>| {
            (options.hash_mib, options.threads, options.features, options.evaluation)
        };
        if of_searcher(&self.options) != of_searcher(&new) {
            self.replace_searcher(&new)?;
        } else {
            self.searcher.set_multipv(new.multipv).map_err(EngineError)?;
        }
        let old = &self.options;
        if (&old.books, old.select, old.seed) != (&new.books, new.select, new.seed) {
            self.opening_books = open_books::<G>(&new, &mut self.warnings);
        }
        if (&old.tables, old.rules) != (&new.tables, new.rules) {
            self.tables = open_tables::<G>(&new, &mut self.warnings);
            self.searcher.new_game(); // what it remembers was found by other rules and tables
        }
        self.options = new;
        Ok(())
    }

    /// The settings of the engine.
    #[must_use]
    pub const fn options(&self) -> &EngineOptions<G::Rules> {
        &self.options
    }

    /// Returns true if endgame tables are open.
    #[must_use]
    pub const fn has_tables(&self) -> bool {
        self.tables.is_some()
    }

    /// The problems with books and tablebases since the last call, each once, for people.
    pub fn take_warnings(&mut self) -> Vec<Message> {
        if let Some(tables) = &self.tables {
            self.warnings.extend(std::iter::from_fn(|| tables.take_warning()));
        }
        std::mem::take(&mut self.warnings)
    }

    /// A searcher for other options; the old one is dropped first where there is no room for both.
    /// It stays, or one like it, where the new one cannot be made.
    fn replace_searcher(&mut self, new: &EngineOptions<G::Rules>) -> Result<(), EngineError> {
        let old = self.options.hash_mib;
        if !fits(new.hash_mib, 0) && fits(new.hash_mib, old) {
            self.searcher = new_searcher(&EngineOptions { hash_mib: 1, ..self.options.clone() })?;
        }
        let made = new_searcher(new).map(|searcher| self.searcher = searcher);
        if made.is_err() && self.searcher.options().hash_mib != old {
            self.searcher = new_searcher(&self.options)?;
        }
        made
    }

    /// Sets the moves that are not played from now on, by book, tablebases or search.
    pub fn ban(&mut self, moves: Vec<G::Move>) {
        self.searcher.ban(moves.clone());
        self.banned = moves;
    }

    /// The transposition table's entry for the position with this
    /// [`tt_key`](crate::search::tt_key).
    #[must_use]
    pub fn probe(&self, key: Key) -> Option<HashEntry<G::Move>> {
        self.searcher.probe(key)
    }

    /// Forgets what was searched, but not which moves of the books were played.
    pub fn clear_hash(&mut self) {
        self.searcher.new_game();
    }

    /// Forgets the last game.
    pub fn new_game(&mut self) {
        self.opening_books.new_game();
        self.searcher.new_game();
        self.remarked = false;
    }

    /// The move to play at the end of `line`: from a book, else from the tables, else by search
    /// within `limits`. `None` if there is no legal move.
    pub fn choose(
        &mut self,
        line: &Line<G>,
        limits: &Limits,
        control: &dyn Control<G::Move>,
    ) -> Option<Choice<G::Move>> {
        let choice = self.choose_first(line, limits, control);
        if let Some(choice) = &choice {
            let Choice { mv, source, depth, nodes, .. } = choice;
            tracing::debug!(
                mv = G::move_text(*mv),
                source = source.name(),
                depth,
                nodes,
                "move chosen"
            );
        }
        choice
    }

    /// The answer of the first of book, tablebases and search that has one.
    fn choose_first(
        &mut self,
        line: &Line<G>,
        limits: &Limits,
        control: &dyn Control<G::Move>,
    ) -> Option<Choice<G::Move>> {
        if line.position().outcome().is_some() {
            return None;
        }
        let start = Instant::now();
        match self.look_up_within(line, limits, control) {
            LookUp::Move(choice) => Some(choice),
            LookUp::Draws(moves) => {
                self.search_draws(&moves, line, &limits.after(start.elapsed()), control)
            }
            LookUp::Nothing => self.search(line, &limits.after(start.elapsed()), control),
        }
    }

    /// Looks a position up in books and tablebases, with a part of the limits of a search.
    pub(crate) fn look_up_within(
        &mut self,
        line: &Line<G>,
        limits: &Limits,
        control: &dyn Control<G::Move>,
    ) -> LookUp<G::Move> {
        let start = Instant::now();
        let time = limits.soft_time.or(limits.hard_time).map(|time| time / RANKING_SHARE);
        let lasts = || !control.should_stop() && time.is_none_or(|time| start.elapsed() < time);
        let nodes = limits.nodes.map_or(MAX_PROBES, |nodes| nodes.min(MAX_PROBES.into()) as u32);
        self.look_up(line, &ProbeBudget { positions: nodes, lasts: &lasts })
    }

    /// The move of book or tablebases, if they decide one; nothing is searched. In positions that
    /// the tablebases call drawn the search chooses among the moves that keep the draw: then, too,
    /// the result is `None`.
    pub fn consult(&mut self, line: &Line<G>) -> Option<Choice<G::Move>> {
        if line.position().outcome().is_some() {
            return None;
        }
        match self.look_up(line, &ProbeBudget::default()) {
            LookUp::Move(choice) => Some(choice),
            LookUp::Draws(_) | LookUp::Nothing => None,
        }
    }

    /// Looks a position up in books and tablebases. A win of which the tablebases are sure comes
    /// before the book.
    fn look_up(&mut self, line: &Line<G>, probe_budget: &ProbeBudget<'_>) -> LookUp<G::Move> {
        if let Some(tables) = &self.tables {
            tables.enter(0); // what the last search has read is near
        }
        let root_ranking = self.root_ranking(line, probe_budget);
        let is_won = root_ranking.as_ref().is_some_and(|a| a.wdl == Wdl::Win && a.is_sure);
        // A book may know nothing of a forced win; a win that the tables are sure of is not risked for it.
        if !is_won && let Some(mv) = self.book_move(line) {
            return LookUp::Move(Choice::from_book(mv));
        }
        let Some(RootRanking { moves, keeping, wdl, is_sure, remark }) = root_ranking else {
            return LookUp::Nothing;
        };
        self.remark(remark);
        if wdl == Wdl::Draw {
            return LookUp::Draws(moves[..keeping].iter().map(|m| m.mv).collect());
        }
        let choice = Choice::from_table(moves[0]);
        let score = match wdl {
            _ if is_sure => choice.score,
            Wdl::Loss => Some(Score::from_eval(-UNSURE)),
            Wdl::Win | Wdl::Draw => Some(Score::from_eval(UNSURE)),
        };
        let pv = self.table_line(line.position(), choice.mv, probe_budget);
        LookUp::Move(Choice { score, pv, ..choice })
    }

    /// A book's move, none after which the tablebases know that the other side wins.
    fn book_move(&mut self, line: &Line<G>) -> Option<G::Move> {
        let tables = self.tables.as_ref();
        let banned = &self.banned;
        self.opening_books.choose(
            line,
            self.options.rules,
            &|mv: G::Move, after: &Line<G>| {
                banned.contains(&mv)
                    || tables
                        .and_then(|tables| tables.probe(after, i32::MAX))
                        .is_some_and(TableValue::is_won)
            },
            &mut self.warnings,
        )
    }

    /// The tablebases' ranking of the moves that are not banned. `None` where all that keep the
    /// value are: then the search chooses among the others.
    fn root_ranking(
        &self,
        line: &Line<G>,
        probe_budget: &ProbeBudget<'_>,
    ) -> Option<RootRanking<G::Move>> {
        let mut root_ranking = G::advise(self.tables.as_ref()?, line, probe_budget)?;
        let is_free = |m: &RootMove<G::Move>| !self.banned.contains(&m.mv);
        // Before the others go: the moves that keep the value are the first ones of the list.
        root_ranking.keeping =
            root_ranking.moves[..root_ranking.keeping].iter().filter(|m| is_free(m)).count();
        root_ranking.moves.retain(is_free);
        (root_ranking.keeping > 0).then_some(root_ranking)
    }

    /// Reports the remark of the tablebases, once for as long as it stays the same.
    fn remark(&mut self, remark: Option<Message>) {
        let is_new = !std::mem::replace(&mut self.remarked, remark.is_some());
        self.warnings.extend(remark.filter(|_| is_new));
    }

    /// Searches without looking the root up in books or tablebases; tablebases are probed in the tree. To depth 0
    /// the [player without search](Playable::move_without_search) moves, if there is one.
    pub fn search(
        &mut self,
        line: &Line<G>,
        limits: &Limits,
        control: &dyn Control<G::Move>,
    ) -> Option<Choice<G::Move>> {
        self.run(line, limits, true, control)
    }

    /// Looks for the shortest forced mate or stalemate in at most `moves` moves, whatever book and
    /// tablebases have: see [`Searcher::find_mate`].
    pub fn find_mate(
        &mut self,
        line: &Line<G>,
        moves: u32,
        limits: &Limits,
        control: &dyn Control<G::Move>,
    ) -> MateSearch<G::Move> {
        let rules = self.options.rules;
        self.searcher.find_mate(&as_it_counts(line, rules), rules, moves, limits, control)
    }

    /// Searches only the moves that keep a draw, with draws hidden from it, so that it looks for
    /// the one that is hardest to answer.
    pub(crate) fn search_draws(
        &mut self,
        moves: &[G::Move],
        line: &Line<G>,
        limits: &Limits,
        control: &dyn Control<G::Move>,
    ) -> Option<Choice<G::Move>> {
        let choice = self.run_among(moves, line, limits, false, &Drawn(control));
        choice.map(|choice| Choice { score: choice.score.map(as_drawn), ..choice })
    }

    /// As [`search`](Self::search), among these moves only.
    #[cfg(feature = "engine")]
    pub(crate) fn search_among(
        &mut self,
        moves: &[G::Move],
        line: &Line<G>,
        limits: &Limits,
        control: &dyn Control<G::Move>,
    ) -> Option<Choice<G::Move>> {
        self.run_among(moves, line, limits, true, control)
    }

    /// Searches with all moves but these banned, for the search knows bans but no list of moves to choose from.
    fn run_among(
        &mut self,
        moves: &[G::Move],
        line: &Line<G>,
        limits: &Limits,
        shows_draws: bool,
        control: &dyn Control<G::Move>,
    ) -> Option<Choice<G::Move>> {
        let mut others = MoveList::new();
        line.position().legal_moves(&mut others);
        others.retain(|mv| !moves.contains(mv));
        let banned = self.banned.clone();
        self.ban(others.to_vec());
        let choice = self.run(line, limits, shows_draws, control);
        self.ban(banned);
        choice
    }

    /// The first legal move that is not banned.
    fn any_move(&self, position: &G) -> Option<G::Move> {
        let mut moves = MoveList::new();
        position.legal_moves(&mut moves);
        moves.into_iter().find(|mv| !self.banned.contains(mv))
    }

    fn run(
        &mut self,
        line: &Line<G>,
        limits: &Limits,
        shows_draws: bool,
        control: &dyn Control<G::Move>,
    ) -> Option<Choice<G::Move>> {
        if limits.depth == Some(0)
            && let Some(mv) = line.position().move_without_search(&self.banned)
        {
            return Some(Choice::unsearched(mv));
        }
        let rules = self.options.rules;
        let counting = as_it_counts(line, rules);
        let found = match &self.tables {
            Some(tables) => {
                let tablebase = HideDraws { tablebase: tables, shows_draws };
                self.searcher.run(&counting, rules, limits, &tablebase, control)
            }
            None => self.searcher.run(&counting, rules, limits, &(), control),
        };
        let SearchResult { best, score, depth, nodes, pv, .. } = found;
        // The search may look at a part of the moves only, and all of that may be banned.
        let mv = best.or_else(|| self.any_move(line.position()))?;
        let pv = if pv.first() == Some(&mv) { pv } else { vec![mv] };
        let source = MoveSource::Search;
        let score = Some(score);
        let table = None;
        Some(Choice { mv, source, score, table, depth, nodes, pv })
    }

    /// Best play by the tablebases from `mv` on, as far as it is worth showing and the probe budget lasts.
    fn table_line(
        &self,
        position: &G,
        mv: G::Move,
        probe_budget: &ProbeBudget<'_>,
    ) -> Vec<G::Move> {
        let mut position = position.clone();
        let mut moves = Vec::new();
        let mut next = Some(mv);
        while let Some(mv) = next.filter(|_| moves.len() < TABLE_LINE) {
            position.make(mv);
            moves.push(mv);
            if !(probe_budget.lasts)() {
                break;
            }
            let ranked = self.tables.as_ref().and_then(|tables| tables.ranked_moves(&position));
            next = ranked.and_then(|ranked| ranked.first().map(|best| best.mv));
        }
        moves
    }

    /// The tablebases' ranking without the moves that lose by the repetition rules here and now;
    /// those stay only where nothing else does.
    #[must_use]
    pub fn ranked_moves(&self, line: &Line<G>) -> Option<Vec<RootMove<G::Move>>> {
        let mut moves = self.tables.as_ref()?.ranked_moves(line.position())?;
        let rules = self.options.rules;
        moves.sort_by_cached_key(|m| loses_by_rule(line, m.mv, rules));
        Some(moves)
    }
}

/// The knowledge of books and tablebases about a position.
pub(crate) enum LookUp<M> {
    /// The move to play.
    Move(Choice<M>),
    /// It is drawn, and these moves keep the draw.
    Draws(Vec<M>),
    /// They do not know it.
    Nothing,
}

/// Reports a search among moves that keep a draw: its scores only distinguish the moves.
struct Drawn<'a, M>(&'a dyn Control<M>);

impl<M: Clone> Control<M> for Drawn<'_, M> {
    fn should_stop(&self) -> bool {
        self.0.should_stop()
    }

    fn is_pondering(&self) -> bool {
        self.0.is_pondering()
    }

    fn begin_move(&self, current: &CurrentMove<M>) {
        self.0.begin_move(current);
    }

    fn report(&self, iteration: &Iteration<M>) {
        let score = as_drawn(iteration.score);
        let wdl = if score == Score::DRAW { [0, 1000, 0] } else { iteration.wdl };
        self.0.report(&Iteration { score, wdl, ..iteration.clone() });
    }

    fn look(&self, table: &dyn Fn(Key) -> Option<HashEntry<M>>) {
        self.0.look(table);
    }
}

/// A score for a position that is drawn with best play; proved ones stay.
pub(crate) const fn as_drawn(score: Score) -> Score {
    if score.is_proved() { score } else { Score::DRAW }
}

fn open_books<G: Playable>(
    options: &EngineOptions<G::Rules>,
    warnings: &mut Vec<Message>,
) -> OpeningBooks {
    OpeningBooks::open::<G>(&options.books, options.select, options.seed, warnings)
}

fn open_tables<G: Playable>(
    options: &EngineOptions<G::Rules>,
    warnings: &mut Vec<Message>,
) -> Option<G::Tables> {
    if options.tables.folders.is_empty() {
        return None;
    }
    match G::Tables::open(&options.tables, options.rules) {
        Ok(tables) => {
            warnings.extend(tables.warnings());
            Some(tables)
        }
        Err(message) => {
            warnings.push(message!("playing without endgame tables: {message}"));
            None
        }
    }
}

/// Returns true if a transposition table of `mib` MiB fits into memory beside everything else, once
/// one of `freed` MiB is freed. Where that is not known, it is left to the allocation.
fn fits(mib: usize, freed: usize) -> bool {
    available_memory().is_none_or(|free| mib_bytes(mib) <= free.saturating_add(mib_bytes(freed)))
}

/// Bytes of a number of MiB.
const fn mib_bytes(mib: usize) -> u64 {
    (mib as u64).saturating_mul(1 << 20)
}

fn new_searcher<G: Playable>(
    options: &EngineOptions<G::Rules>,
) -> Result<Searcher<G>, EngineError> {
    let EngineOptions { hash_mib, threads, multipv, features, evaluation, .. } = *options;
    if hash_mib <= MAX_HASH_MIB && !fits(hash_mib, 0) {
        return Err(EngineError(SearchError::Memory { mib: hash_mib }));
    }
    let searcher = Searcher::new(SearchOptions { hash_mib, threads, multipv, evaluation });
    Ok(searcher.map_err(EngineError)?.with_features(features))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::xiangqi::{Move, Position, RuleSet};

    fn line(fen: &str, moves: &str) -> Line<Position> {
        let mut line = Line::new(Position::from_fen(fen).unwrap(), 0);
        moves.split_whitespace().for_each(|mv| line.push(Move::parse(mv).unwrap()));
        line
    }

    #[test]
    fn a_move_that_repeats_a_check_too_often_loses() {
        let fen = "9/4k4/9/9/9/9/9/9/2p6/3K1RBc1 w - - 0 1";
        let cycle = "f0e0 e8f8 e0f0 f8e8 ";
        let mv = Move::parse("e0f0").unwrap();
        let once = line(fen, "f0e0 e8f8");
        assert!(!loses_by_rule(&once, mv, RuleSet::Asian));
        let often = line(fen, &(cycle.repeat(2) + "f0e0 e8f8"));
        assert!(loses_by_rule(&often, mv, RuleSet::Asian));
        assert!(!loses_by_rule(&often, mv, RuleSet::None));
    }

    fn score_and_text(entry: Entry, value: TableValue) -> (String, String) {
        let mv = Move::parse("a0a1").unwrap();
        let root = RootMove { mv, entry, value, target: DistanceTarget::of_table(value) };
        (root.score().to_string(), root.to_string())
    }

    fn pair(score: &str, text: &str) -> (String, String) {
        (score.to_owned(), text.to_owned())
    }

    #[test]
    fn table_results_are_scores_and_texts() {
        let mv = Move::parse("a0a1").unwrap();
        let mate = score_and_text(Entry::win(0, 5), TableValue::Mate(5));
        assert_eq!(mate, pair("mate 3", "win, mate in 5 plies"));
        let mated = score_and_text(Entry::loss(0, 4), TableValue::Mated(4));
        assert_eq!(mated, pair("mate -2", "loss, mate in 4 plies"));
        let capture = score_and_text(Entry::win(0, 1), TableValue::Win(241));
        assert_eq!(capture, pair("cp 23759", "win, capture or mate in 1 ply"));
        assert_eq!(score_and_text(Entry::DRAW, TableValue::Draw), pair("cp 0", "draw"));
        for (target, text) in [
            (DistanceTarget::End, "win in 7 plies"),
            (DistanceTarget::EndAtMost, "win in at most 7 plies"),
        ] {
            let root = RootMove { mv, entry: Entry::win(0, 7), value: TableValue::Win(7), target };
            assert_eq!(root.to_string(), text);
        }
        let by_rule = score_and_text(Entry::win(1, 5), TableValue::Win(205));
        assert_eq!(by_rule, pair("cp 23795", "win by repetition, order 1, 5 plies"));
    }
}
