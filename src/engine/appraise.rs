//! Search and tables as sources of scores for books.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use super::playable::{Endgames, Playable, RootMove};
use super::tables::TableOptions;
use crate::book::{Appraisal, AppraiseError, Appraiser, Bound, Finding};
use crate::game::Line;
use crate::search::{Control, Iteration, Limits, Score, ScoreKind, SearchOptions, Searcher};
use crate::tablebase::{Entry, Metric, Wdl};

/// The own search.
#[derive(Debug)]
pub struct SearchAppraiser<G: Playable> {
    searcher: Searcher<G>,
    tables: Option<G::Tables>,
    rules: G::Rules,
    limits: Limits,
}

/// The name under which books keep the scores of the own search.
const NAME: &str = concat!("juzhong ", env!("CARGO_PKG_VERSION"));

/// The greatest evaluation.
const WON: i32 = 20_000;

impl<G: Playable> SearchAppraiser<G> {
    /// Searches with one thread, so that equal questions get equal answers (where no limit is a
    /// time); a caller with several threads makes one for each.
    ///
    /// # Errors
    ///
    /// If there is not memory enough.
    pub fn new(
        hash_mib: usize,
        rules: G::Rules,
        limits: Limits,
        tables: Option<G::Tables>,
    ) -> Result<Self, AppraiseError> {
        let options = SearchOptions { hash_mib, threads: 1, multipv: 1 };
        let searcher = Searcher::new(options).map_err(|error| AppraiseError {
            source_name: NAME.to_owned(),
            what: error.to_string(),
        })?;
        Ok(Self { searcher, tables, rules, limits })
    }
}

/// Passes on the wish to stop.
struct Stop<'a>(&'a AtomicBool);

impl<M> Control<M> for Stop<'_> {
    fn should_stop(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
    fn report(&self, _iteration: &Iteration<M>) {}
}

impl<G: Playable> Appraiser<G> for SearchAppraiser<G> {
    fn name(&self) -> &str {
        NAME
    }

    fn appraise(
        &mut self,
        line: &Line<G>,
        stop: &AtomicBool,
    ) -> Result<Option<Appraisal<G::Move>>, AppraiseError> {
        self.searcher.new_game(); // earlier questions must not matter
        let stop = Stop(stop);
        // The position alone counts, not the way on which the book reached it.
        let line = Line::new(line.position().clone(), 0);
        let found = match &self.tables {
            Some(tables) => self.searcher.run(&line, self.rules, &self.limits, tables, &stop),
            None => self.searcher.run(&line, self.rules, &self.limits, &(), &stop),
        };
        if found.depth == 0 {
            return Ok(None);
        }
        Ok(Some(Appraisal {
            finding: finding_of(found.score),
            bound: Bound::Exact,
            depth: found.depth,
            nodes: found.nodes,
            best: found.best,
        }))
    }
}

/// Converts a search score into a finding. A tablebase win that the search reaches later is no
/// proof for the position itself: it counts as the greatest evaluation.
fn finding_of(score: Score) -> Finding {
    let plies = |plies: u32| u16::try_from(plies).unwrap_or(u16::MAX);
    match score.kind() {
        ScoreKind::Centipawns(centipawns) => Finding::Centipawns(centipawns),
        ScoreKind::MateIn(n) => Finding::MateIn(plies(n)),
        ScoreKind::MatedIn(n) => Finding::MatedIn(plies(n)),
        ScoreKind::TableWin(n) => Finding::Centipawns(WON - i32::from(plies(n))),
        ScoreKind::TableLoss(n) => Finding::Centipawns(i32::from(plies(n)) - WON),
    }
}

/// Endgame tables.
#[derive(Debug)]
pub struct TableAppraiser<G: Playable> {
    tables: G::Tables,
    name: String,
}

impl<G: Playable> TableAppraiser<G> {
    /// The tables of a folder that fit `rules` best; of metric `dtm`, for books keep plies to mate.
    ///
    /// # Errors
    ///
    /// If there are none.
    pub fn open(folder: &Path, rules: G::Rules) -> Result<Self, AppraiseError> {
        let failed = |what| AppraiseError { source_name: "endgame tables".to_owned(), what };
        let options = TableOptions { metric: Some(Metric::Dtm), ..folder.into() };
        let tables = G::Tables::open(&options, rules).map_err(failed)?;
        let name = format!("tables {}", tables.rules_name());
        Ok(Self { tables, name })
    }
}

impl<G: Playable> Appraiser<G> for TableAppraiser<G> {
    fn name(&self) -> &str {
        &self.name
    }

    fn covers(&self, position: &G) -> bool {
        self.tables.covers(position)
    }

    /// Mate and stalemate are not looked up in tablebases.
    fn appraise(
        &mut self,
        line: &Line<G>,
        _stop: &AtomicBool,
    ) -> Result<Option<Appraisal<G::Move>>, AppraiseError> {
        let ranked = self.tables.ranked_moves(line.position());
        if let Some(what) = self.tables.trouble() {
            return Err(AppraiseError { source_name: self.name.clone(), what });
        }
        let best = ranked.and_then(|moves| moves.first().copied());
        Ok(best.map(|RootMove { mv, entry, .. }| Appraisal::proof(proof_of(entry), Some(mv))))
    }
}

const fn proof_of(Entry { wdl, order, distance }: Entry) -> Finding {
    match wdl {
        Wdl::Win => Finding::TableWin { order, distance },
        Wdl::Draw => Finding::TableDraw,
        Wdl::Loss => Finding::TableLoss { order, distance },
    }
}
