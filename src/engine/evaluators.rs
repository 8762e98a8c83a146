//! Search and tables as sources of scores for books.

use std::path::Path;

use super::endgames::{Endgames, RootMove, TableOptions};
use super::playable::Playable;
use crate::book::{Evaluation, Evaluator, EvaluatorError, SourceScore};
use crate::bytes::StopFlag;
use crate::game::{Bound, EvaluationKind, Line};
use crate::message::ToMessage;
use crate::search::{Limits, SearchOptions, Searcher};
use crate::tablebase::{Entry, Metric, Wdl};

/// The own search.
#[derive(Debug)]
pub struct SearchEvaluator<G: Playable> {
    searcher: Searcher<G>,
    name: &'static str,
    tables: Option<G::Tables>,
    rules: G::Rules,
    limits: Limits,
}

/// The name under which books keep the scores of the own search: another one for each evaluation, since their scores differ.
const fn source_name(evaluation: EvaluationKind) -> &'static str {
    match evaluation {
        EvaluationKind::Network => concat!("juzhong ", env!("CARGO_PKG_VERSION")),
        EvaluationKind::Classical => concat!("juzhong ", env!("CARGO_PKG_VERSION"), " classical"),
    }
}

impl<G: Playable> SearchEvaluator<G> {
    /// Searches by these options. With one thread, as usual, equal questions get equal answers (where no limit is a time);
    /// a caller with several threads makes one of these for each. Whatever the options say, a game with one evaluation
    /// is one source of scores, and the best line alone is searched for.
    ///
    /// # Errors
    ///
    /// If there is not memory enough.
    pub fn new(
        mut options: SearchOptions,
        rules: G::Rules,
        limits: Limits,
        tables: Option<G::Tables>,
    ) -> Result<Self, EvaluatorError> {
        options.multipv = 1;
        if !G::HAS_NETWORK {
            options.evaluation = EvaluationKind::default();
        }
        let name = source_name(options.evaluation);
        let searcher = Searcher::new(options).map_err(|error| EvaluatorError {
            source_name: name.to_owned(),
            what: error.message(),
        })?;
        Ok(Self { searcher, name, tables, rules, limits })
    }
}

impl<G: Playable> Evaluator<G> for SearchEvaluator<G> {
    fn name(&self) -> &str {
        self.name
    }

    fn evaluate(
        &mut self,
        line: &Line<G>,
        stop: &StopFlag,
    ) -> Result<Option<Evaluation<G::Move>>, EvaluatorError> {
        self.searcher.new_game(); // earlier questions must not matter
        // The position alone counts, not the way on which the book reached it.
        let line = Line::new(line.position().clone(), 0);
        let found = match &self.tables {
            Some(tables) => self.searcher.run(&line, self.rules, &self.limits, tables, stop),
            None => self.searcher.run(&line, self.rules, &self.limits, &(), stop),
        };
        // Books keep what holds; the loser of an early verdict may still leave the loop.
        if found.depth == 0 || found.score.is_early() {
            return Ok(None);
        }
        Ok(Some(Evaluation {
            score: found.score.kind().into(),
            bound: Bound::Exact,
            depth: found.depth,
            nodes: found.nodes,
            best: found.best,
        }))
    }
}

/// Endgame tables.
#[derive(Debug)]
pub struct TablebaseEvaluator<G: Playable> {
    tables: G::Tables,
    name: String,
}

impl<G: Playable> TablebaseEvaluator<G> {
    /// The tables of a folder that fit `rules` best; of metric `dtm`, for books keep plies to mate.
    ///
    /// # Errors
    ///
    /// If there are none.
    pub fn open(folder: &Path, rules: G::Rules) -> Result<Self, EvaluatorError> {
        let options = TableOptions { metric: Some(Metric::Dtm), ..folder.into() };
        let tables = G::Tables::open(&options, rules)
            .map_err(|what| EvaluatorError { source_name: "endgame tables".to_owned(), what })?;
        let name = format!("tables {}", tables.rules_name());
        Ok(Self { tables, name })
    }
}

impl<G: Playable> Evaluator<G> for TablebaseEvaluator<G> {
    fn name(&self) -> &str {
        &self.name
    }

    fn covers(&self, position: &G) -> bool {
        self.tables.covers(position)
    }

    /// Mate and stalemate are not looked up in tablebases.
    fn evaluate(
        &mut self,
        line: &Line<G>,
        _stop: &StopFlag,
    ) -> Result<Option<Evaluation<G::Move>>, EvaluatorError> {
        let ranked = self.tables.ranked_moves(line.position());
        if let Some(what) = self.tables.take_warning() {
            return Err(EvaluatorError { source_name: self.name.clone(), what });
        }
        let best = ranked.and_then(|moves| moves.first().copied());
        Ok(best.map(|RootMove { mv, entry, .. }| Evaluation::proof(proof_of(entry), Some(mv))))
    }
}

const fn proof_of(Entry { wdl, order, distance }: Entry) -> SourceScore {
    match wdl {
        Wdl::Win => SourceScore::TableWin { order, distance },
        Wdl::Draw => SourceScore::TableDraw,
        Wdl::Loss => SourceScore::TableLoss { order, distance },
    }
}
