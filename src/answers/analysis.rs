//! The answer of an analysis: the best lines of a position, as deep as they were searched.

use std::time::Duration;

use serde::Serialize;

use crate::answers::described::Described;
use crate::answers::line::{line_text, move_texts};
use crate::answers::score::ScoreInNumbers;
use crate::engine::{Choice, Endgames, Playable};
use crate::game::{Horizon, Line, Verdict};
use crate::search::{Iteration, SearchResult};
use crate::tablebase::Wdl;
use crate::xiangqi::notation::MoveNotation;

/// Plies of a line that tables continue, at most.
const LONGEST_LINE: usize = 600;

/// The line whose last position is analysed, with the rules and the endgame tables by which lines from there go on.
#[derive(Debug)]
pub struct Analysed<'a, G: Playable> {
    /// The line to the position.
    pub line: &'a Line<G>,
    /// The rules that judge repetitions.
    pub rules: G::Rules,
    /// The endgame tables, if there are some.
    pub tables: Option<&'a G::Tables>,
}

impl<G: Playable> Analysed<'_, G> {
    /// The moves of a line, and where tables know the value of its end, best play from there to the end of the
    /// game, or until a position comes again.
    #[must_use]
    pub fn continued(&self, moves: &[G::Move]) -> Vec<G::Move> {
        let mut line = self.line.clone();
        moves.iter().for_each(|&mv| line.push(mv));
        let mut moves = moves.to_vec();
        let Some(tables) = self.tables else { return moves };
        while moves.len() < LONGEST_LINE
            && line.position().outcome().is_none()
            && G::judge(&line, self.rules, Horizon::Game).verdict == Verdict::None
            && tables.covers(line.position())
            && line.earlier_occurrences().next().is_none()
        {
            let ranked = tables.ranked_moves(line.position()).unwrap_or_default();
            let Some(best) = ranked.first().filter(|best| best.entry.wdl != Wdl::Draw) else {
                break;
            };
            line.push(best.mv);
            moves.push(best.mv);
        }
        moves
    }
}

/// The outcome of an analysis: what was known without a search, and what the search found.
#[derive(Debug)]
pub struct Analysis<M> {
    /// The move of the book or the tables.
    pub known: Option<Choice<M>>,
    /// No mate can be forced in this many moves.
    pub no_mate_in: Option<u32>,
    /// The result of the search.
    pub found: SearchResult<M>,
    /// The lines of the last depth, the best first.
    pub lines: Vec<Iteration<M>>,
    /// The time that it took.
    pub time: Duration,
}

/// The answer: schema `juzhong.analyse/1`.
#[derive(Debug, Serialize)]
pub struct AnalysisAnswer {
    /// The schema.
    pub schema: &'static str,
    /// The position with its counters.
    pub fen: String,
    /// The best move by its coordinates; none where the game is over.
    pub best: Option<String>,
    /// The score for the side to move.
    #[serde(flatten)]
    pub score: ScoreInNumbers,
    /// No mate can be forced in this many moves; null unless that was asked and proved.
    pub no_mate_in: Option<u32>,
    /// Plies of the last finished iteration.
    pub depth: u32,
    /// Moves made.
    pub nodes: u64,
    /// Positions found in tables.
    pub table_hits: u64,
    /// The move that the book or the tables know.
    pub known: Option<KnownMove>,
    /// Milliseconds.
    pub time_ms: u64,
    /// The line of play expected.
    pub pv: Vec<String>,
    /// The lines of the last depth, the best first.
    pub lines: Vec<AnalysedLine>,
    /// The name of the engine that has searched, if it is another than this program's own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub engine: Option<String>,
    /// The best move in the notation that was asked for; null where there is no move.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<Option<String>>,
}

/// A move that the book or the tables know.
#[derive(Debug, Serialize)]
pub struct KnownMove {
    /// The move by its coordinates.
    #[serde(rename = "move")]
    pub mv: String,
    /// Its source, such as `book`.
    pub source: &'static str,
    /// Its value by the tables, if they decided.
    pub value: Option<String>,
    /// The move in the notation that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
}

/// A line of an analysis.
#[derive(Debug, Serialize)]
pub struct AnalysedLine {
    /// Its number, 1 the best.
    pub multipv: u32,
    /// The score for the side to move.
    #[serde(flatten)]
    pub score: ScoreInNumbers,
    /// Nominal plies.
    pub depth: u32,
    /// The longest line looked at, in plies.
    pub seldepth: u32,
    /// The moves by their coordinates.
    pub pv: Vec<String>,
    /// Best play by the tables from the end of the line on, where they know it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub table_line: Option<Vec<String>>,
    /// The whole line in the notation that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
}

impl AnalysisAnswer {
    /// The answer about a position with that text, with texts of moves in `notation`, if one was asked for.
    ///
    /// ```
    /// use std::time::Duration;
    ///
    /// use juzhong::answers::{Analysed, Analysis, AnalysisAnswer, Described, LineRequest};
    /// use juzhong::search::{Limits, SearchOptions, Searcher};
    /// use juzhong::xiangqi::{Position, RuleSet};
    ///
    /// let fen = Some("3k5/9/9/9/9/9/9/9/4R4/4K4 w".to_owned());
    /// let line = LineRequest { fen, ..LineRequest::default() }.read::<Position>()?.line;
    /// let rules = RuleSet::default();
    /// let mut searcher = Searcher::<Position>::new(SearchOptions::default())?;
    /// let found = searcher.run(&line, rules, &Limits::depth(6), &(), &());
    /// let analysis = Analysis {
    ///     known: None,
    ///     no_mate_in: None,
    ///     found,
    ///     lines: Vec::new(),
    ///     time: Duration::ZERO,
    /// };
    /// let analysed = Analysed { line: &line, rules, tables: None };
    /// let fen = Position::line_text(&line, 1);
    /// let answer = AnalysisAnswer::of(fen, &analysed, &analysis, None);
    /// assert_eq!(serde_json::to_value(&answer)?["schema"], "juzhong.analyse/1");
    /// assert!(answer.score.mate.is_some());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn of<G: Described + Playable>(
        fen: String,
        analysed: &Analysed<'_, G>,
        analysis: &Analysis<G::Move>,
        notation: Option<MoveNotation>,
    ) -> Self {
        let Analysis { known, no_mate_in, found, lines, time } = analysis;
        let position = analysed.line.position();
        let lines = lines.iter().map(|line| AnalysedLine::of(analysed, line, notation));
        Self {
            schema: "juzhong.analyse/1",
            fen,
            best: found.best.map(G::move_text),
            score: found.score.into(),
            no_mate_in: *no_mate_in,
            depth: found.depth,
            nodes: found.nodes,
            table_hits: found.table_hits,
            known: known.as_ref().map(|known| KnownMove {
                mv: G::move_text(known.mv),
                source: known.source.name(),
                value: known.table.as_ref().map(ToString::to_string),
                text: notation.map(|notation| position.write_move(known.mv, notation)),
            }),
            time_ms: time.as_millis() as u64,
            pv: move_texts::<G>(&found.pv),
            lines: lines.collect(),
            engine: None,
            text: notation.map(|notation| found.best.map(|mv| position.write_move(mv, notation))),
        }
    }
}

impl AnalysedLine {
    fn of<G: Described + Playable>(
        analysed: &Analysed<'_, G>,
        line: &Iteration<G::Move>,
        notation: Option<MoveNotation>,
    ) -> Self {
        let whole = analysed.continued(&line.pv);
        let by_tables = &whole[line.pv.len()..];
        Self {
            multipv: line.multipv,
            score: line.score.into(),
            depth: line.depth,
            seldepth: line.seldepth,
            pv: move_texts::<G>(&line.pv),
            table_line: (!by_tables.is_empty()).then(|| move_texts::<G>(by_tables)),
            text: line_text(analysed.line.position(), &whole, notation),
        }
    }
}
