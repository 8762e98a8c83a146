//! Best play by the tables, and the loop behind a value that the repetition rule decides.

use crate::game::{Adjudicate, Game, Horizon, Judgement, Line};
use crate::tablebase::probe::tables::{ProbeError, Tables};
use crate::tablebase::value::{Entry, Metric, Rules, Wdl};
use crate::xiangqi::repetition::chased;
use crate::xiangqi::{Bitboard, Move, Position, RuleSet};

/// Best play of both sides, up to the event that its value counts: mate, a capture
/// ([`Metric::Dtc`]), or once around the deciding loop.
#[derive(Debug, Clone)]
pub struct BestLine {
    /// The value of the position where the line begins.
    pub entry: Entry,
    /// The moves, each with the position before it and its value for the side that makes it.
    pub moves: Vec<BestMove>,
    /// The position after the moves.
    pub position: Position,
    /// The end of the line.
    pub end: LineEnd,
    /// The loop at the end of the line, if it ends with one.
    pub repeated: Option<DecidingLoop>,
}

/// A move of a [`BestLine`].
#[derive(Debug, Clone)]
pub struct BestMove {
    /// The position before it.
    pub before: Position,
    /// The move.
    pub mv: Move,
    /// Its value for the side that makes it, counted from before the move.
    pub value: Entry,
}

/// The ways in which a [`BestLine`] ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum LineEnd {
    /// The side to move is in check and has no move.
    Mate,
    /// The side to move is not in check and has no move.
    Stalemate,
    /// The last move is a capture, up to which distances count.
    Capture,
    /// The last position has occurred before.
    Loop,
    /// Neither side can win.
    Draw,
    /// As many plies as wanted.
    Limit,
}

impl LineEnd {
    /// `mate`, `stalemate`, `capture`, `loop`, `draw` or `limit`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Mate => "mate",
            Self::Stalemate => "stalemate",
            Self::Capture => "capture",
            Self::Loop => "loop",
            Self::Draw => "draw",
            Self::Limit => "limit",
        }
    }
}

/// Moves from a position back to itself, and the judgement of the repetition rule on them.
#[derive(Debug, Clone)]
pub struct DecidingLoop {
    /// Index of its first move in the line.
    pub start: usize,
    /// The checks and chases of each of its moves.
    pub moves: Vec<LoopMove>,
    /// The verdict under the tables' rules.
    pub judgement: Judgement,
}

/// The checks and chases of a move of a loop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LoopMove {
    /// It checks.
    pub check: bool,
    /// The pieces of the other side that it newly chases.
    pub chases: Bitboard,
}

impl Tables {
    /// The best line from a position, of at most `plies` plies.
    ///
    /// ```
    /// use juzhong::tablebase::{GenerateOptions, LineEnd, Metric, NoProgress, Rules, Tables};
    /// use juzhong::tablebase::{Wdl, generate_all};
    /// use juzhong::xiangqi::Position;
    ///
    /// let folder = tempfile::tempdir()?;
    /// let options = GenerateOptions::default();
    /// generate_all(folder.path(), &["KRvK".parse()?], &options, &NoProgress)?;
    ///
    /// let tables = Tables::open(folder.path(), Rules::default(), Metric::Dtm)?;
    /// let position = Position::from_fen("3k5/9/9/9/9/9/9/9/4R4/4K4 w")?;
    /// let entry = tables.probe(&position)?;
    /// let line = tables.best_line(&position, 100)?;
    /// assert_eq!(entry.wdl, Wdl::Win);
    /// assert_eq!(line.moves.len(), usize::from(entry.distance));
    /// // Who cannot move has lost, in check or not.
    /// assert!(matches!(line.end, LineEnd::Mate | LineEnd::Stalemate));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If a table is missing or damaged.
    pub fn best_line(&self, position: &Position, plies: usize) -> Result<BestLine, ProbeError> {
        let entry = self.probe(position)?;
        let mut line = BestLine {
            entry,
            moves: Vec::new(),
            position: position.clone(),
            end: LineEnd::Limit,
            repeated: None,
        };
        while !line.has_ended(self.metric()) && line.moves.len() < plies {
            let best = self.probe_root(&line.position)?;
            let Some(&(mv, value)) = best.first() else { break };
            let before = line.position.clone();
            line.position.make(mv);
            line.moves.push(BestMove { before, mv, value });
        }
        line.repeated = line.last_loop(rule_set(self.rules()));
        Ok(line)
    }
}

/// The rules of play that tables follow.
const fn rule_set(rules: Rules) -> RuleSet {
    match rules {
        Rules::None => RuleSet::None,
        Rules::Check => RuleSet::Check,
        Rules::Asian => RuleSet::Asian,
    }
}

impl BestLine {
    /// Notes why the line has ended, if it has.
    fn has_ended(&mut self, metric: Metric) -> bool {
        self.end = if !self.position.has_legal_move() {
            if self.position.in_check() { LineEnd::Mate } else { LineEnd::Stalemate }
        } else if self.entry.wdl == Wdl::Draw {
            LineEnd::Draw
        } else if metric.ends_with_capture()
            && self
                .moves
                .last()
                .is_some_and(|last: &BestMove| last.before.piece_at(last.mv.to()).is_some())
        {
            LineEnd::Capture
        } else if self.first_occurrence().is_some() {
            LineEnd::Loop
        } else {
            LineEnd::Limit
        };
        self.end != LineEnd::Limit
    }

    /// The index of the earlier occurrence of the last position.
    fn first_occurrence(&self) -> Option<usize> {
        self.moves.iter().position(|step| step.before == self.position)
    }

    fn last_loop(&self, rules: RuleSet) -> Option<DecidingLoop> {
        let start = self.first_occurrence()?;
        let mut line = Line::new(self.position.clone(), 0);
        let mut moves = Vec::new();
        for step in &self.moves[start..] {
            let check = step.before.gives_check(step.mv);
            moves.push(LoopMove { check, chases: chased(&step.before, step.mv) });
            line.push(step.mv);
        }
        let judgement = Position::judge(&line, rules, Horizon::Search { root: 0 });
        Some(DecidingLoop { start, moves, judgement })
    }
}
