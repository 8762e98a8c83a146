use std::fmt;
use std::path::PathBuf;

use super::library::{Library, OwnBook};
use super::playable::{Endgames, Playable, RootMove};
use crate::book::SelectOptions;
use crate::bytes::machine::available_memory;
use crate::game::{Horizon, Line, MoveList, Verdict};
use crate::hash::Key;
use crate::search::{
    Control, Found, HashEntry, Limits, MAX_HASH_MIB, Oracle, Score, SearchError, SearchOptions,
    Searcher, TableValue, Techniques,
};
use crate::tablebase::{Entry, Wdl};

/// What an engine plays with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EngineOptions<R> {
    /// Opening books, the preferred one first.
    pub books: Vec<OwnBook>,
    /// How one of a book's moves is chosen.
    pub select: SelectOptions,
    /// The folder of endgame tables.
    pub tables: Option<PathBuf>,
    /// Size of the transposition table in MiB.
    pub hash_mib: usize,
    /// Threads that search.
    pub threads: usize,
    /// Best lines reported by search.
    pub multipv: usize,
    /// Seed of every random choice.
    pub seed: u64,
    /// Which rules judge repetitions.
    pub rules: R,
    /// What the search does beside looking at every move.
    pub techniques: Techniques,
}

impl<R: Default> Default for EngineOptions<R> {
    fn default() -> Self {
        Self {
            books: Vec::new(),
            select: SelectOptions::default(),
            tables: None,
            hash_mib: 64,
            threads: 1,
            multipv: 1,
            seed: 0,
            rules: R::default(),
            techniques: Techniques::ALL,
        }
    }
}

/// Why an engine cannot be set up. Missing or damaged books and tables are no errors: they are
/// [notices](Engine::take_notices), and play goes on without them.
#[derive(Debug, thiserror::Error)]
#[error("cannot set up the search: {0}")]
pub struct EngineError(SearchError);

/// Where a move comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Source {
    /// An opening book.
    Book,
    /// The endgame tables.
    Table,
    /// The search.
    Search,
}

impl Source {
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
    /// Where it comes from.
    pub source: Source,
    /// For the side to move; `None` from a book.
    pub score: Option<Score>,
    /// What the tables say, where they decided.
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

    /// A legal move that nothing speaks for: better than none where a search has failed.
    #[must_use]
    pub fn unsearched(mv: M) -> Self {
        Self { source: Source::Search, ..Self::from_book(mv) }
    }

    fn from_book(mv: M) -> Self {
        let (score, table) = (None, None);
        Self { mv, source: Source::Book, score, table, depth: 0, nodes: 0, pv: vec![mv] }
    }

    fn from_table(best: RootMove<M>) -> Self {
        Self {
            mv: best.mv,
            source: Source::Table,
            score: Some(best.score()),
            table: Some(best),
            depth: 0,
            nodes: 0,
            pv: vec![best.mv],
        }
    }
}

impl<M> RootMove<M> {
    /// The result as a search score: a mate where no repetition rule is needed.
    #[must_use]
    pub fn score(&self) -> Score {
        let Entry { wdl, order, distance } = self.entry;
        let plies = usize::from(distance);
        match wdl {
            Wdl::Draw => Score::DRAW,
            Wdl::Win if order == 0 && plies < LONGEST_MATE => Score::mate_in(plies),
            Wdl::Loss if order == 0 && plies < LONGEST_MATE => Score::mated_in(plies),
            Wdl::Win => Score::table_win(0),
            Wdl::Loss => Score::table_loss(0),
        }
    }
}

impl<M> fmt::Display for RootMove<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Entry { wdl, order, distance } = self.entry;
        f.write_str(wdl.name())?;
        let plies = if distance == 1 { "ply" } else { "plies" };
        match (wdl, order) {
            (Wdl::Draw, _) => Ok(()),
            (_, 0) => write!(f, ", mate in {distance} {plies}"),
            (_, order) => write!(f, " by repetition, order {order}, {distance} {plies}"),
        }
    }
}

/// Longest line of play told from the tables, in plies.
const TABLE_LINE: usize = 20;

/// Mates in fewer plies have a score of their own.
const LONGEST_MATE: usize = 1000;

/// A player. Answers depend on its options and the games since it was made, never on the time,
/// except where a limit is a time or several threads search.
#[derive(Debug)]
pub struct Engine<G: Playable> {
    options: EngineOptions<G::Rules>,
    library: Library,
    tables: Option<G::Tables>,
    searcher: Searcher<G>,
    /// Moves not to be played, in the position that is asked about next.
    banned: Vec<G::Move>,
    notices: Vec<String>,
}

impl<G: Playable> Engine<G> {
    /// Sets up a player.
    ///
    /// # Errors
    ///
    /// If the search cannot have the memory asked for.
    pub fn new(options: EngineOptions<G::Rules>) -> Result<Self, EngineError> {
        let mut notices = Vec::new();
        let library = Library::open::<G>(&options, &mut notices);
        let tables = open_tables::<G>(&options, &mut notices);
        let searcher = new_searcher(&options)?;
        Ok(Self { options, library, tables, searcher, banned: Vec::new(), notices })
    }

    /// Changes options; only what they concern is set up again.
    ///
    /// # Errors
    ///
    /// If the search cannot have the memory asked for; the options stay as they were then.
    pub fn set_options(&mut self, new: EngineOptions<G::Rules>) -> Result<(), EngineError> {
        let parts = |o: &EngineOptions<_>| (o.hash_mib, o.threads, o.multipv, o.techniques);
        if parts(&self.options) != parts(&new) {
            self.replace_searcher(&new)?;
        }
        let old = &self.options;
        if (&old.books, old.select, old.seed) != (&new.books, new.select, new.seed) {
            self.library = Library::open::<G>(&new, &mut self.notices);
        }
        if (&old.tables, old.rules) != (&new.tables, new.rules) {
            self.tables = open_tables::<G>(&new, &mut self.notices);
            self.searcher.new_game(); // what it remembers was found by other rules and tables
        }
        self.options = new;
        Ok(())
    }

    /// What the engine plays with.
    #[must_use]
    pub const fn options(&self) -> &EngineOptions<G::Rules> {
        &self.options
    }

    /// Whether endgame tables are open.
    #[must_use]
    pub const fn has_tables(&self) -> bool {
        self.tables.is_some()
    }

    /// What went wrong with books and tables since the last call, each thing once, for people.
    pub fn take_notices(&mut self) -> Vec<String> {
        let trouble = self.tables.as_ref().and_then(Endgames::trouble);
        self.notices.extend(trouble);
        std::mem::take(&mut self.notices)
    }

    /// A searcher for other options; the old one goes first where there is no room for both. It
    /// stays, or one like it, where the new one cannot be had.
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

    /// Moves that are not played in the positions asked about from now on, by book, tables or search.
    pub fn ban(&mut self, moves: Vec<G::Move>) {
        self.searcher.ban(moves.clone());
        self.banned = moves;
    }

    /// What the transposition table knows of `position`.
    #[must_use]
    pub fn probe(&self, position: &G) -> Option<HashEntry<G::Move>> {
        self.searcher.probe(position)
    }

    /// Forgets what was searched, not which moves of the books were played.
    pub fn clear_hash(&mut self) {
        self.searcher.new_game();
    }

    /// Forgets the last game.
    pub fn new_game(&mut self) {
        self.library.new_game();
        self.searcher.new_game();
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

    /// The answer of the first of book, tables and search that has one.
    fn choose_first(
        &mut self,
        line: &Line<G>,
        limits: &Limits,
        control: &dyn Control<G::Move>,
    ) -> Option<Choice<G::Move>> {
        if line.position().outcome().is_some() {
            return None;
        }
        let tables = self.tables.as_ref();
        let banned = self.after_banned_moves(line.position());
        let is_won = |after: &G| {
            banned.contains(&after.key())
                || tables.is_some_and(|tables| tables.probe(after) == Some(TableValue::Win))
        };
        if let Some(mv) = self.library.pick(line, self.options.rules, &is_won, &mut self.notices) {
            return Some(Choice::from_book(mv));
        }
        let mut ranked = self.ranked_moves(line);
        if let Some(moves) = &mut ranked {
            moves.retain(|m| !self.banned.contains(&m.mv));
        }
        if let Some(best) = ranked.as_ref().and_then(|moves| moves.first())
            && best.entry.wdl != Wdl::Draw
        {
            let pv = self.table_line(line.position(), best.mv);
            return Some(Choice { pv, ..Choice::from_table(*best) });
        }
        let choice = self.search(line, limits, control)?;
        Some(keep_draw(choice, ranked.as_deref()))
    }

    /// Searches without asking book or tables for the move itself; tables are probed in the tree.
    pub fn search(
        &mut self,
        line: &Line<G>,
        limits: &Limits,
        control: &dyn Control<G::Move>,
    ) -> Option<Choice<G::Move>> {
        // Where the rules on repetition have ended the game and play goes on all the same, every
        // move would seem to be judged already: search as if nothing had gone before.
        let judged = G::judge(line, self.options.rules, Horizon::Game).verdict != Verdict::None;
        let found = if judged {
            self.run(&Line::new(line.position().clone(), 0), limits, control)
        } else {
            self.run(line, limits, control)
        };
        let Found { best, score, depth, nodes, pv, .. } = found;
        // The search may look at a part of the moves only, and all of that may be banned.
        let mv = best.or_else(|| self.any_move(line.position()))?;
        let pv = if pv.first() == Some(&mv) { pv } else { vec![mv] };
        let (source, score, table) = (Source::Search, Some(score), None);
        Some(Choice { mv, source, score, table, depth, nodes, pv })
    }

    /// Keys of the positions that banned moves lead to.
    fn after_banned_moves(&self, position: &G) -> Vec<Key> {
        let mut after = position.clone();
        let legal = self.banned.iter().filter(|&&mv| position.is_legal(mv));
        legal
            .map(|&mv| {
                let undo = after.make(mv);
                let key = after.key();
                after.unmake(mv, undo);
                key
            })
            .collect()
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
        control: &dyn Control<G::Move>,
    ) -> Found<G::Move> {
        let rules = self.options.rules;
        match &self.tables {
            Some(tables) => self.searcher.run(line, rules, limits, tables, control),
            None => self.searcher.run(line, rules, limits, &(), control),
        }
    }

    /// Best play by the tables from `mv` on, as far as it is worth telling.
    fn table_line(&self, position: &G, mv: G::Move) -> Vec<G::Move> {
        let mut position = position.clone();
        let mut moves = Vec::new();
        let mut next = Some(mv);
        while let Some(mv) = next.filter(|_| moves.len() < TABLE_LINE) {
            position.make(mv);
            moves.push(mv);
            let ranked = self.tables.as_ref().and_then(|tables| tables.ranked_moves(&position));
            next = ranked.and_then(|ranked| ranked.first().map(|best| best.mv));
        }
        moves
    }

    /// The tables' ranking without the moves that lose by the repetition rules here and now; those
    /// stay only where nothing else does.
    fn ranked_moves(&self, line: &Line<G>) -> Option<Vec<RootMove<G::Move>>> {
        let mut moves = self.tables.as_ref()?.ranked_moves(line.position())?;
        let rules = self.options.rules;
        moves.sort_by_cached_key(|m| loses_by_rule(line, m.mv, rules));
        Some(moves)
    }
}

/// Whether playing `mv` at the end of `line` loses at once by the rules on repetition.
pub(super) fn loses_by_rule<G: Playable>(line: &Line<G>, mv: G::Move, rules: G::Rules) -> bool {
    let mover = line.position().side_to_move();
    let mut after = line.clone();
    after.push(mv);
    G::judge(&after, rules, Horizon::Game).verdict == Verdict::Loses(mover)
}

/// In a position that the tables call drawn, the search's move if it keeps the draw, else the
/// tables' first choice.
fn keep_draw<M: Copy + Eq>(choice: Choice<M>, ranked: Option<&[RootMove<M>]>) -> Choice<M> {
    let Some(ranked) = ranked else { return choice };
    let keeps = |m: &RootMove<M>| m.mv == choice.mv && m.entry.wdl != Wdl::Loss;
    match ranked.first() {
        Some(first) if !ranked.iter().any(keeps) => Choice::from_table(*first),
        _ => choice,
    }
}

fn open_tables<G: Playable>(
    options: &EngineOptions<G::Rules>,
    notices: &mut Vec<String>,
) -> Option<G::Tables> {
    let folder = options.tables.as_ref()?;
    match G::Tables::open(folder, options.rules) {
        Ok(tables) => Some(tables),
        Err(message) => {
            notices.push(format!("playing without endgame tables: {message}"));
            None
        }
    }
}

/// Whether a transposition table of `mib` MiB fits into memory beside everything else, once one of
/// `freed` MiB has gone. Where that is not known, allocation will tell.
fn fits(mib: usize, freed: usize) -> bool {
    let bytes = |mib: usize| (mib as u64).saturating_mul(1 << 20);
    available_memory().is_none_or(|free| bytes(mib) <= free.saturating_add(bytes(freed)))
}

fn new_searcher<G: Playable>(
    options: &EngineOptions<G::Rules>,
) -> Result<Searcher<G>, EngineError> {
    let EngineOptions { hash_mib, threads, multipv, techniques, .. } = *options;
    if hash_mib <= MAX_HASH_MIB && !fits(hash_mib, 0) {
        return Err(EngineError(SearchError::Memory { mib: hash_mib }));
    }
    let searcher = Searcher::new(SearchOptions { hash_mib, threads, multipv });
    Ok(searcher.map_err(EngineError)?.with_techniques(techniques))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::Notation;
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
        let loses = |moves: String, rules| loses_by_rule(&line(fen, &moves), mv, rules);
        assert!(!loses("f0e0 e8f8".to_owned(), RuleSet::Asian));
        assert!(loses(cycle.repeat(2) + "f0e0 e8f8", RuleSet::Asian));
        assert!(!loses(cycle.repeat(2) + "f0e0 e8f8", RuleSet::None));
    }

    #[test]
    fn a_drawn_root_keeps_the_draw() {
        let [a, b] = ["a0a1", "b0a2"].map(|text| Position::parse_move(text).unwrap());
        let draw = RootMove { mv: a, entry: Entry::DRAW };
        let loss = RootMove { mv: b, entry: Entry::loss(0, 8) };
        let kept = keep_draw(Choice::unsearched(b), Some(&[draw, loss]));
        assert_eq!((kept.mv, kept.source), (a, Source::Table));
        let kept = keep_draw(Choice::unsearched(a), Some(&[draw, loss]));
        assert_eq!((kept.mv, kept.source), (a, Source::Search));
        assert_eq!(keep_draw(Choice::unsearched(b), None).mv, b);
    }

    #[test]
    fn table_results_are_scores() {
        let mv = Move::parse("a0a1").unwrap();
        let score = |entry| RootMove { mv, entry }.score().to_string();
        assert_eq!(score(Entry::win(0, 5)), "mate 3");
        assert_eq!(score(Entry::loss(0, 4)), "mate -2");
        assert_eq!(score(Entry::DRAW), "cp 0");
        assert!(score(Entry::win(1, 5)).starts_with("cp 2"));
    }
}
