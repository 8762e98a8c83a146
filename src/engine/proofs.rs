//! Gomoku's proved positions as the search and the root probe them.

use std::cmp::Reverse;

use super::endgames::{DistanceTarget, Endgames, RootMove, RootRanking, TableOptions};
use crate::bytes::visible::ShowPath;
use crate::game::{Adjudicate, Game, Line, MoveList};
use crate::gomoku::{Board, Point};
use crate::message::{Message, message};
use crate::search::{MAX_TABLE_DISTANCE, TableValue, TablebaseProbe};
use crate::solve::{Proved, ProvedPositions, Value};
use crate::tablebase::{Entry, Wdl};

/// The books with proved positions that an engine plays with.
#[derive(Debug)]
pub struct ProvedTables {
    /// Those that count first, first.
    books: Vec<ProvedPositions>,
    /// Nodes of less depth are not looked up.
    probe_depth: i32,
}

impl ProvedTables {
    fn proved(&self, board: &Board) -> Option<Proved> {
        self.books.iter().find_map(|book| book.probe(board))
    }

    /// The ranking of the moves of a position, where enough is proved about them.
    pub(crate) fn ranking(&self, board: &Board) -> Option<RootRanking<Point>> {
        let moves = self.ranked_moves(board)?;
        let wdl = moves.first()?.entry.wdl;
        let keeping = moves.iter().take_while(|ranked| ranked.entry.wdl == wdl).count();
        Some(RootRanking { moves, keeping, wdl, is_sure: true, remark: None })
    }
}

/// The value as endgame tables state it.
fn entry(proved: Proved) -> Entry {
    match proved.value {
        Value::Win => Entry::win(0, proved.distance),
        Value::Loss => Entry::loss(0, proved.distance),
        Value::Draw | Value::Unknown => Entry::DRAW,
    }
}

/// The value as the search sees it. Only the shortest wins are plies to the end.
fn value(entry: Entry, is_shortest: bool) -> TableValue {
    let distance = entry.distance.min(MAX_TABLE_DISTANCE);
    match (entry.wdl, is_shortest) {
        (Wdl::Draw, _) => TableValue::Draw,
        (Wdl::Win, true) => TableValue::Mate(distance),
        (Wdl::Win, false) => TableValue::Win(distance),
        (Wdl::Loss, true) => TableValue::Mated(distance),
        (Wdl::Loss, false) => TableValue::Loss(distance),
    }
}

impl TablebaseProbe<Board> for ProvedTables {
    const PRESENT: bool = true;

    fn probe(&self, line: &Line<Board>, depth: i32) -> Option<TableValue> {
        if depth < self.probe_depth {
            return None;
        }
        let proved = self.proved(line.position())?;
        Some(value(entry(proved), proved.kind.is_shortest()))
    }
}

impl Endgames<Board> for ProvedTables {
    fn open(options: &TableOptions, _rules: <Board as Adjudicate>::Rules) -> Result<Self, Message> {
        let books: Vec<ProvedPositions> = options
            .folders
            .iter()
            .map(|path: &std::path::PathBuf| {
                ProvedPositions::open(path).map_err(|error| message!("{}: {error}", path.shown()))
            })
            .collect::<Result<_, _>>()?;
        let probe_depth = i32::try_from(options.probe_depth).unwrap_or(i32::MAX);
        Ok(Self { books, probe_depth })
    }

    fn warnings(&self) -> Vec<Message> {
        Vec::new()
    }

    fn covers(&self, position: &Board) -> bool {
        self.proved(position).is_some()
    }

    fn rules_name(&self) -> &'static str {
        "none"
    }

    fn ranked_moves(&self, position: &Board) -> Option<Vec<RootMove<Point>>> {
        let mut moves = MoveList::new();
        position.legal_moves(&mut moves);
        let all = moves.len();
        let here = self.proved(position);
        let mut after = position.clone();
        let ranked = moves.into_iter().filter_map(|mv| {
            let undo = after.make(mv);
            let proved = self.proved(&after);
            after.unmake(mv, undo);
            let is_best = here.is_some_and(|here| here.best == Some(mv));
            let (entry, kind) = match proved {
                Some(proved) => (entry(proved).before(), proved.kind),
                None => here.filter(|_| is_best).map(|here| (entry(here), here.kind))?,
            };
            let is_shortest = kind.is_shortest();
            let target = if is_shortest { DistanceTarget::End } else { DistanceTarget::EndAtMost };
            Some(RootMove { mv, entry, value: value(entry, is_shortest), target })
        });
        let mut known: Vec<RootMove<Point>> = ranked.collect();
        known.sort_by_key(|ranked| Reverse(ranked.entry));
        let is_won = known.first().is_some_and(|best| best.entry.wdl == Wdl::Win);
        (is_won || known.len() == all && all > 0).then_some(known)
    }

    fn take_warning(&self) -> Option<Message> {
        None
    }
}
