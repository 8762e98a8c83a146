//! Measurements of the search: its signature, and its mates against tables.

use std::time::Duration;

use serde::Serialize;

use crate::answers::error::{AnswerError, ErrorKind};
use crate::bytes::clock::Instant;
use crate::engine::MateReport;
use crate::game::{Adjudicate, Line};
use crate::search::{Limits, SearchOptions, Searcher};
use crate::tablebase::Entry;
use crate::xiangqi::Position;

/// The search depth of the signature, in plies.
const DEPTH: u32 = 12;
/// Size of the transposition table of the signature's searches, in MiB; part of the signature.
const HASH_MIB: usize = 16;

/// Openings, middle games, endings and mates.
const POSITIONS: [&str; 28] = [
    "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w - - 0 1",
    "r1bakabr1/9/1cn3nc1/p1p1p1p1p/9/9/P1P1P1P1P/1C2C1N2/9/RNBAKABR1 w - - 0 1",
    "1rbakabnr/9/2n1c2c1/p1p1p1p1p/9/9/P1P1P1P1P/1C2C1N2/9/RNBAKABR1 w - - 0 1",
    "1rbakabnr/9/2n1c2c1/p1p1p1p1p/9/9/P1P1P1P1P/1C2B1NC1/8R/RNBAKA3 w - - 0 1",
    "1rbakabnr/9/2n1c2c1/p1p1p1p1p/9/9/P1P1P1P1P/1C3CN2/9/RNBAKABR1 w - - 0 1",
    "1rbakab2/9/4c1nr1/pCp5p/1R4p2/4R4/P1P1P1P1P/6N2/9/2BAKAB2 b - - 0 1",
    "2b1ka1n1/4a4/2n1b2c1/p1pRp3p/6p2/9/P1P1P1P1P/Nr2C4/4N4/2BAKAB2 w - - 0 1",
    "1rb1ka2r/2n1an3/2c1b1c2/6p1p/p8/1CB2C3/P3P1P1P/N5N2/R8/3AKAB1R b - - 0 1",
    "2bakabr1/9/2n1c4/p1p1p3p/6p2/9/P1P1P1c1P/N1r1C1N1B/RR7/2BAKA3 w - - 0 1",
    "r1bk2b2/9/1cn1c4/p1p1p2R1/9/9/PnP1P1p1P/N5N2/9/R1BAKAB2 b - - 0 1",
    "2bak2Cr/4a2R1/2n3c1b/p3p3p/2pr2p2/9/P3P1P1P/N3B1N2/4A4/2RAK1B2 w - - 0 1",
    "1r1aka3/4n4/b1c3c2/p3R4/2C6/6B2/n1P1P1P1P/C5N2/9/2BAKA3 w - - 0 1",
    "3ak4/4a4/1r4n1b/pCR6/3R2p1p/9/P1P5P/4r4/4N4/3AKA3 w - - 0 1",
    "R1b1ka3/4an3/3nb4/4p3p/6p2/1r7/P1P1P1P1P/N3B3C/9/2BAKANc1 w - - 0 1",
    "2b1ka2r/4a4/4b2n1/3n2p1p/p8/2B3C2/4P1P1P/1r1N2N1R/3RA4/c3KAB2 w - - 0 1",
    "2b1k1b2/4n4/9/p1R6/3r5/P8/1nPc4P/N3B4/4Ac3/3RKAB2 w - - 0 1",
    "3ak4/4a4/3cb3b/2R5p/p1p3p2/9/P3r1P1P/4B2r1/1N2A4/2RAKNB2 w - - 0 1",
    "3aka3/4n4/2c6/5c3/2R6/3r5/4P3P/4B1N2/4A4/3AK1B2 w - - 0 1",
    "2b1ka3/4a2cC/4b4/4p4/3N2n2/9/2P1P3P/1n2BN3/4A4/2BAK4 w - - 0 1",
    "4ka3/4a4/9/9/2p6/1N7/2P1R4/4B3n/4K4/3A1A3 w - - 0 1",
    "3a5/5k3/4ba3/5N3/p5R2/1p7/c2r2P2/4B1N2/4A4/3AK1B2 w - - 0 1",
    "3aka3/9/4b4/9/2b6/4P4/9/4BA3/4A4/2B1K2R1 w - - 0 1",
    "3k5/4a4/3a5/9/9/5N3/4P4/4B4/4A4/3AK1B2 w - - 0 1",
    "4k4/4a4/4ba3/9/2b6/2B6/4C4/3A5/4A4/3K1RB2 w - - 0 1",
    "2b1k4/4a4/b4a3/9/3n5/4p4/9/4B4/4A4/2B1KA3 b - - 0 1",
    "4k4/3P2P2/b2N2R2/7r1/2b6/9/9/3n5/4p3r/2R2K3 w - - 0 1",
    "3a1k3/2R1P4/5a3/9/9/9/9/3A5/1r2r4/3K1A3 w - - 0 1",
    "9/4k4/9/9/9/9/4p4/3p5/9/3K1R3 w - - 0 1",
];

/// A fixed set of positions searched to a depth on one thread: schema `juzhong.bench/1`.
///
/// ```
/// let answer = juzhong::answers::BenchAnswer::measure(2)?;
/// assert_eq!(answer.signature, answer.main_nodes + answer.quiescence_nodes);
/// # Ok::<(), juzhong::answers::AnswerError>(())
/// ```
#[derive(Debug, Clone, Serialize)]
pub struct BenchAnswer {
    /// The schema.
    pub schema: &'static str,
    /// The depth in plies.
    pub depth: u32,
    /// All nodes: at the [usual](BenchAnswer::DEPTH) depth the signature of the search.
    pub signature: u64,
    /// Those of the main search.
    pub main_nodes: u64,
    /// Those of the quiescence search.
    pub quiescence_nodes: u64,
    /// Nodes in a second.
    pub nodes_per_second: u64,
    /// Milliseconds that all took.
    pub time_ms: u64,
    /// The positions.
    pub positions: Vec<BenchRow>,
}

/// A position that was searched.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct BenchRow {
    /// The position.
    pub fen: &'static str,
    /// All nodes.
    pub nodes: u64,
    /// Those of the quiescence search.
    pub quiescence_nodes: u64,
    /// The best move, or `none`.
    pub best: String,
    /// Its score.
    pub score: String,
}

impl BenchAnswer {
    /// The depth for which the signature is defined, in plies.
    pub const DEPTH: u32 = DEPTH;

    /// Searches the positions.
    ///
    /// # Errors
    ///
    /// There is no memory for the transposition table.
    pub fn measure(depth: u32) -> Result<Self, AnswerError> {
        let start = Instant::now();
        let positions = search_all(depth)?;
        let time = start.elapsed();
        let signature = positions.iter().map(|row| row.nodes).sum();
        let quiescence_nodes = positions.iter().map(|row| row.quiescence_nodes).sum();
        Ok(Self {
            schema: "juzhong.bench/1",
            depth,
            signature,
            main_nodes: signature - quiescence_nodes,
            quiescence_nodes,
            nodes_per_second: per_second(signature, time),
            time_ms: time.as_millis() as u64,
            positions,
        })
    }
}

fn searcher(hash_mib: usize) -> Result<Searcher<Position>, AnswerError> {
    let options = SearchOptions { hash_mib, ..SearchOptions::default() };
    Searcher::new(options).map_err(|error| AnswerError::new(ErrorKind::Unavailable, error))
}

fn search_all(depth: u32) -> Result<Vec<BenchRow>, AnswerError> {
    let mut searcher = searcher(HASH_MIB)?;
    let rules = <Position as Adjudicate>::Rules::default();
    let mut rows = Vec::with_capacity(POSITIONS.len());
    for fen in POSITIONS {
        let position = Position::from_fen(fen);
        let position = position.map_err(|error| AnswerError::new(ErrorKind::BadData, error))?;
        searcher.new_game();
        let found = searcher.run(&Line::new(position, 0), rules, &Limits::depth(depth), &(), &());
        rows.push(BenchRow {
            fen,
            nodes: found.nodes,
            quiescence_nodes: found.quiescence_nodes,
            best: found.best.map_or_else(|| "none".to_owned(), |mv| mv.to_string()),
            score: found.score.to_string(),
        });
    }
    Ok(rows)
}

fn per_second(nodes: u64, time: Duration) -> u64 {
    (nodes as f64 / time.as_secs_f64().max(1e-6)) as u64
}

/// The mates that searches claim, compared with tables: schema `juzhong.bench.mates/1`.
#[derive(Debug, Clone, Serialize)]
pub struct MatesAnswer {
    /// The schema.
    pub schema: &'static str,
    /// The repetition rules: `check` or `asian`.
    pub rules: String,
    /// Nodes of each search.
    pub nodes: u64,
    /// The sums over the positions.
    #[serde(flatten)]
    pub report: MateReport,
}

impl MatesAnswer {
    /// The answer for searches of that number of nodes under these rules.
    #[must_use]
    pub fn new(report: MateReport, rules: &str, nodes: u64) -> Self {
        Self { schema: "juzhong.bench.mates/1", rules: rules.to_owned(), nodes, report }
    }
}

/// A position for such searches, with its value in the tables.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SampledPosition {
    /// The position.
    pub fen: String,
    /// `win`, `draw` or `loss` for the side to move.
    pub wdl: &'static str,
    /// The round of the repetition rule that decides; 0 if none is needed.
    pub order: u16,
    /// Plies; 0 for draws.
    pub distance: u16,
}

impl SampledPosition {
    /// A position with its value.
    #[must_use]
    pub fn new(position: &Position, entry: Entry) -> Self {
        let Entry { wdl, order, distance } = entry;
        Self { fen: position.to_fen(), wdl: wdl.name(), order, distance }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_position_is_legal_and_has_moves() {
        for fen in POSITIONS {
            let position = Position::from_fen(fen).unwrap();
            assert!(position.has_legal_move(), "{fen}");
            assert_eq!(position.to_fen(), fen);
        }
    }

    #[test]
    fn the_signature_is_reproducible() {
        assert_eq!(search_all(6).unwrap(), search_all(6).unwrap());
    }
}
