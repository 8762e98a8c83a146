//! The values of the options, and their meaning for the engine.

use std::time::Duration;

use crate::bytes::machine::{available_memory, cores};
use crate::engine::clock::OVERHEAD;
use crate::engine::{EngineOptions, Handicap, Level, OwnBook, Playable, handicap_of_elo};
use crate::game::{Heuristics, Side};
use crate::protocol::session::engine_handle::MachineOptions;
use crate::protocol::wire::ranks::Ranks;
use crate::search::{Features, MAX_THREADS, Score, elo_score, normal_score};

/// Plies of a book, and misses, at most.
pub(crate) const MAX_BOOK_PLIES: usize = 1000;
/// The rating to which the engine is held where it is to be held to one and none was set.
const USUAL_ELO: u16 = 1500;
/// The bounds of the transposition table's size, in MiB, where the engine chooses it.
const AUTO_HASH: (usize, usize) = (16, 1024);

/// Options as the GUI sees them; [`engine_options`](Self::engine_options) is their meaning for the engine,
/// the fields are their meaning for the session.
#[derive(Debug)]
pub(crate) struct Settings<G: Playable> {
    pub(crate) options: EngineOptions<G::Rules>,
    pub(crate) own_book: bool,
    pub(crate) use_tables: bool,
    pub(crate) level: Level,
    /// The rating holds the engine back, not the level.
    pub(crate) limits_strength: bool,
    /// A rating in the range of the game's.
    pub(crate) elo: u16,
    pub(crate) randomness: Degree,
    pub(crate) pruning: Degree,
    /// The scale of the scores that are reported.
    pub(crate) scale: Scale,
    /// The chances of win, draw and loss are reported.
    pub(crate) show_wdl: bool,
    /// Every search is an analysis: no move comes from a book.
    pub(crate) analyse: bool,
    /// More is reported.
    pub(crate) debug: bool,
    /// UCCI: commands wait until a search has ended.
    pub(crate) batch: bool,
    /// UCCI: clocks are milliseconds, not seconds.
    pub(crate) milliseconds: bool,
    /// The GUI will let the engine ponder.
    pub(crate) ponder: bool,
    /// Sixty moves without a capture draw, as the rules say.
    pub(crate) sixty_moves: bool,
    /// The time that passes until a move has reached the GUI.
    pub(crate) overhead: Duration,
    /// The way in which ranks are counted, where the dialect leaves it open.
    pub(crate) ranks: Ranks,
    /// The style, which decides about offers of a draw.
    pub(crate) style: Style,
}

/// UCCI's four steps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Degree {
    None,
    Small,
    Medium,
    Large,
}

/// The scales on which scores can be reported.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Scale {
    /// See [`elo_score`].
    Elo,
    /// See [`normal_score`].
    Normal,
    /// Centipawns of the evaluation.
    Raw,
}

impl Scale {
    /// A score of a search from `position` on this scale.
    pub(crate) fn of<G: Heuristics>(self, score: Score, position: &G) -> Score {
        match self {
            Self::Elo => elo_score(score, position.phase(), &G::RESULT_MODEL),
            Self::Normal => normal_score(score, position.phase(), &G::RESULT_MODEL),
            Self::Raw => score,
        }
    }
}

/// UCCI's styles of play. Here they only decide about offers of a draw.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Style {
    Solid,
    Normal,
    Risky,
}

pub(crate) const DEGREES: [(&str, Degree); 4] = [
    ("none", Degree::None),
    ("small", Degree::Small),
    ("medium", Degree::Medium),
    ("large", Degree::Large),
];

pub(crate) const STYLES: [(&str, Style); 3] =
    [("solid", Style::Solid), ("normal", Style::Normal), ("risky", Style::Risky)];

/// The scales of reported scores, by the names that they have in other engines.
pub(crate) const SCALES: [(&str, Scale); 3] =
    [("Elo", Scale::Elo), ("PawnValueNormalized", Scale::Normal), ("Raw", Scale::Raw)];

/// The ways in which ranks are counted.
pub(crate) const VARIANTS: [(&str, Ranks); 2] =
    [("xiangqi09", Ranks::FromZero), ("xiangqi", Ranks::FromOne)];

impl Style {
    /// Centipawns up to which an offered draw is accepted.
    pub(crate) const fn draw_up_to(self) -> i32 {
        match self {
            Self::Solid => 30,
            Self::Normal => 0,
            Self::Risky => -50,
        }
    }
}

impl<G: Playable> Settings<G> {
    pub(crate) fn new(options: EngineOptions<G::Rules>) -> Self {
        Self {
            options,
            own_book: true,
            use_tables: true,
            level: Level::FULL,
            limits_strength: false,
            elo: USUAL_ELO,
            randomness: Degree::None,
            pruning: Degree::Large,
            scale: Scale::Raw,
            show_wdl: false,
            analyse: false,
            debug: false,
            batch: false,
            milliseconds: false,
            ponder: false,
            sixty_moves: true,
            overhead: OVERHEAD,
            ranks: Ranks::FromZero,
            style: Style::Normal,
        }
    }

    pub(crate) fn engine_options(&self) -> EngineOptions<G::Rules> {
        let mut options = self.options.clone();
        if !self.own_book {
            options.books.clear();
        }
        if !self.use_tables {
            options.tables = Default::default();
        }
        options.tables.minds_limit = self.sixty_moves;
        if self.margin().is_some() {
            options.multipv = options.multipv.max(Level::LINES);
        }
        let all = options.features;
        options.features = match self.pruning {
            Degree::None => Features { pruning: false, reductions: false, ..all },
            Degree::Small => Features { pruning: false, ..all },
            Degree::Medium | Degree::Large => all,
        };
        options
    }

    /// Lines that the GUI wants to see.
    pub(crate) const fn multipv(&self) -> usize {
        self.options.multipv
    }

    /// Seed of every random choice, if one is set.
    pub(crate) const fn seed(&self) -> Option<u64> {
        self.options.seed
    }

    /// The most centipawns by which a move played for variety may be worse than the best.
    pub(crate) fn margin(&self) -> Option<i32> {
        let wanted = match self.randomness {
            Degree::None => None,
            Degree::Small => Some(10),
            Degree::Medium => Some(30),
            Degree::Large => Some(80),
        };
        wanted.max(self.handicap().margin)
    }

    /// What the rating or the level holds the engine to when it chooses a move.
    pub(crate) fn handicap(&self) -> Handicap {
        let rated = if self.limits_strength { handicap_of_elo::<G>(self.elo) } else { None };
        rated.unwrap_or_else(|| self.level.handicap())
    }

    /// Goes back to what the engine has where it could not have what was wished.
    pub(crate) const fn keep(&mut self, kept: MachineOptions) {
        self.options.hash_mib = kept.hash_mib;
        self.options.threads = kept.threads;
    }

    /// Sets the size of the transposition table in MiB; 0 lets the engine choose.
    pub(crate) fn set_hash(&mut self, wished: usize) {
        self.options.hash_mib = if wished == 0 { auto_hash() } else { wished };
    }

    /// Sets the number of threads; 0 is one for each processor.
    pub(crate) fn set_threads(&mut self, wished: usize) {
        self.options.threads = if wished == 0 { cores().get().min(MAX_THREADS) } else { wished };
    }

    /// The books for one side, or for both.
    pub(crate) fn books(&self, side: Option<Side>) -> impl Iterator<Item = &OwnBook> {
        self.options.books.iter().filter(move |book| book.side == side)
    }

    /// Replaces the books of one sort, each as `FILE:policy=P:plies=N` and so on. Those for one side are
    /// consulted before those for both.
    pub(crate) fn set_books(&mut self, side: Option<Side>, texts: &[&str]) {
        let books = &mut self.options.books;
        books.retain(|book| book.side != side);
        books.extend(texts.iter().map(|text| OwnBook { side, ..OwnBook::parse(text) }));
        books.sort_by_key(|book| book.side.is_none());
    }

    /// Plies of the books that are used; 0 for all.
    pub(crate) const fn book_plies(&self) -> usize {
        match self.options.select.ply_limit {
            usize::MAX => 0,
            plies => plies,
        }
    }

    /// Sets the plies of the books that are used; 0 for all.
    pub(crate) const fn set_book_plies(&mut self, plies: usize) {
        self.options.select.ply_limit = if plies == 0 { usize::MAX } else { plies };
    }
}

/// The size that the engine chooses for its transposition table, in MiB: an eighth of the free memory within
/// limits.
fn auto_hash() -> usize {
    let (least, most) = AUTO_HASH;
    let eighth = available_memory().map_or(64, |free| (free >> 23) as usize);
    eighth.clamp(least, most)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::xiangqi::Position;

    #[test]
    fn tables_mind_the_limit_of_moves_as_play_does() {
        let mut settings = Settings::<Position>::new(EngineOptions::default());
        for (value, minds_limit) in [("false", false), ("true", true)] {
            settings.set_named("Sixty Move Rule", value).unwrap();
            assert_eq!(settings.engine_options().tables.minds_limit, minds_limit);
        }
    }
}
