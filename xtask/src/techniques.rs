//! The nodes that search visits with and without its techniques.

use juzhong::game::{Adjudicate, EvaluationKind, Line};
use juzhong::search::{Features, Limits, SearchOptions, Searcher};
use juzhong::xiangqi::Position;

/// Size of the transposition table in MiB.
const HASH_MIB: usize = 64;
/// Plies counted by default.
const DEPTH: u32 = 6;

/// No technique but alpha-beta and quiescence; each depth by itself.
const ALPHA_BETA: Features =
    Features { ordering: false, zero_window: false, deepening: false, ..Features::FULL_WIDTH };

/// The searches compared: name, techniques, and the nodes that the source document reports from
/// depth 1 on.
const SEARCHES: [(&str, Features, &[u64]); 4] = [
    ("alpha-beta", ALPHA_BETA, &[45, 523, 10_689, 72_954]),
    ("pvs", Features { zero_window: true, ..ALPHA_BETA }, &[45, 552, 5_302, 46_361]),
    ("pvs, hash, history", Features { tt: true, ..Features::FULL_WIDTH }, &[]),
    ("full", Features::ALL, &[45, 164, 1_567, 6_895, 55_623]),
];

/// Counts the nodes of searches with more and more techniques, from the start position.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Maximum depth; plain alpha-beta takes about twenty times as long for each additional ply.
    #[arg(long, default_value_t = DEPTH, value_parser = clap::value_parser!(u32).range(1..=12))]
    depth: u32,
}

/// The nodes that one search visited at one depth.
struct Count {
    nodes: u64,
    quiescence: u64,
    document: Option<u64>,
}

/// Counts the nodes of each search at each depth, from the start position, quiescence included,
/// iterations before the last one too where there are any.
pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    let mut searches = Vec::new();
    for (name, techniques, document) in SEARCHES {
        let mut counts = Vec::new();
        for depth in 1..=args.depth {
            let document = document.get(depth as usize - 1).copied();
            counts.push(count(techniques, EvaluationKind::default(), depth, document)?);
        }
        searches.push((name, counts));
    }
    println!("{:<20} depth       nodes  quiescence    document", "search");
    for (name, counts) in &searches {
        for (i, Count { nodes, quiescence, document }) in counts.iter().enumerate() {
            let document = document.map_or_else(|| "-".to_owned(), |n| n.to_string());
            let depth = i + 1;
            println!("{name:<20} {depth:>5} {nodes:>11} {quiescence:>11} {document:>11}");
        }
    }
    Ok(())
}

fn count(
    features: Features,
    evaluation: EvaluationKind,
    depth: u32,
    document: Option<u64>,
) -> anyhow::Result<Count> {
    let options = SearchOptions { hash_mib: HASH_MIB, evaluation, ..SearchOptions::default() };
    let searcher = Searcher::<Position>::new(options)?;
    let rules = <Position as Adjudicate>::Rules::default();
    let line = Line::new(Position::start(), 0);
    let mut searcher = searcher.with_features(features);
    let found = searcher.run(&line, rules, &Limits::depth(depth), &(), &());
    Ok(Count { nodes: found.nodes, quiescence: found.quiescence_nodes, document })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_search_visits_fewer_nodes_than_the_plainer_ones() {
        for evaluation in EvaluationKind::ALL {
            let nodes = SEARCHES
                .map(|(_, techniques, _)| count(techniques, evaluation, 4, None).unwrap().nodes);
            // Without a good order of moves, the zero windows of principal variation search gain little: more with
            // an evaluation that differs more from move to move.
            let [alpha_beta, zero_windows, ordered, full] = nodes;
            let part = if evaluation == EvaluationKind::Classical { 5 } else { 3 };
            assert!(alpha_beta.abs_diff(zero_windows) < alpha_beta / part, "{nodes:?}");
            assert!(full < ordered && ordered < zero_windows.min(alpha_beta), "{nodes:?}");
        }
    }

    #[test]
    fn the_full_search_needs_a_tenth_of_the_documents_nodes() {
        for evaluation in EvaluationKind::ALL {
            let full = count(Features::ALL, evaluation, 5, None).unwrap();
            assert!(10 * full.nodes <= 55_623, "{}", full.nodes);
        }
    }
}
