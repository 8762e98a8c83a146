//! Fits the part of an advantage that counts in each set of few men to the results that its table has.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use anyhow::Context;
use juzhong::bytes::atomic;
use juzhong::bytes::visible::ShowPath;
use juzhong::game::{Game, Heuristics, MoveList, Side};
use juzhong::search::eval::xiangqi::{ending_key, explain};
use juzhong::tablebase::{Entry, Material, Tables, Wdl};
use juzhong::xiangqi::Position;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;
use rayon::prelude::*;

use super::random_position;
use crate::tuning::logistic;

/// Centipawns from an even chance to 73 %, as in training.
const SCALE: f64 = 250.0;
/// The parts that are tried, in 64ths: so much of an advantage is left that the search still prefers the greater one.
const PARTS: std::ops::RangeInclusive<u8> = 4..=64;
/// The rooks, horses, cannons and pawns among the pieces of a side.
const ATTACKERS: std::ops::Range<usize> = 1..5;
/// Positions that are drawn for one that is quiet.
const DRAWS: u32 = 20;
/// A set in which the side has the advantage in fewer positions has no part of its own.
const FEWEST: usize = 300;

/// The advantage of a side in centipawns, and the points that it gets.
type Sample = (f64, f64);

pub(super) fn run(
    tables: &Tables,
    men: usize,
    positions: u32,
    seed: u64,
    file: &Path,
) -> anyhow::Result<()> {
    let materials: Vec<Material> =
        tables.materials().iter().copied().filter(|material| material.men() <= men).collect();
    let by_set: Vec<BTreeMap<u32, Vec<Sample>>> = (0..materials.len())
        .into_par_iter()
        .map(|number| {
            let mut chance = ChaCha8Rng::seed_from_u64(seed);
            chance.set_stream(number as u64);
            samples(tables, materials[number], positions, &mut chance)
        })
        .collect::<anyhow::Result<_>>()?;
    let samples = by_set.into_iter().flatten().filter(|(_, samples)| samples.len() >= FEWEST);
    let parts: BTreeMap<u32, u8> =
        samples.map(|(key, samples)| (key, best_part(&samples))).collect();
    println!("{} sets of {} tables", parts.len(), materials.len());
    let note = format!("--men {men} --positions {positions} --seed {seed}");
    atomic::write(file, text(&parts, &note).as_bytes()).with_context(|| file.shown().to_string())
}

/// Quiet positions of a set by the pieces of the side with the advantage and of the other.
fn samples(
    tables: &Tables,
    material: Material,
    positions: u32,
    chance: &mut ChaCha8Rng,
) -> anyhow::Result<BTreeMap<u32, Vec<Sample>>> {
    let mut found = BTreeMap::<u32, Vec<Sample>>::new();
    for _ in 0..positions {
        let Some((position, entry)) = quiet_position(tables, material, chance)? else { continue };
        let advantage: i32 = explain(&position)
            .terms
            .iter()
            .map(|term| term.value.first.now - term.value.second.now)
            .sum();
        let ahead = if advantage > 0 { Side::First } else { Side::Second };
        let men = position.material();
        // A side that has nothing but guards beside its king wins nothing.
        if men[ahead][ATTACKERS].iter().all(|&count| count == 0) {
            continue;
        }
        let Some(key) = ending_key(men[ahead], men[!ahead]) else { continue };
        let points = match entry.wdl {
            Wdl::Draw => 0.5,
            decided => f64::from((decided == Wdl::Win) == (position.turn() == ahead)),
        };
        found.entry(key).or_default().push((f64::from(advantage.abs()), points));
    }
    Ok(found)
}

/// A position of a set in which nothing can be taken and nobody is in check.
fn quiet_position(
    tables: &Tables,
    material: Material,
    chance: &mut ChaCha8Rng,
) -> anyhow::Result<Option<(Position, Entry)>> {
    for _ in 0..DRAWS {
        if let Some((position, entry)) = random_position(tables, material, None, chance)?
            && is_quiet(&position)
        {
            return Ok(Some((position, entry)));
        }
    }
    Ok(None)
}

fn is_quiet(position: &Position) -> bool {
    let mut moves = MoveList::new();
    position.legal_moves(&mut moves);
    !position.in_check() && !moves.iter().any(|&mv| position.is_noisy(mv))
}

/// The part with the least squared error of the expected points.
fn best_part(samples: &[Sample]) -> u8 {
    let error = |part: u8| -> f64 {
        let scale = f64::from(part) / 64.0;
        let errors =
            samples.iter().map(|&(advantage, points)| logistic(advantage * scale / SCALE) - points);
        errors.map(|error| error * error).sum()
    };
    PARTS.min_by(|&one, &other| error(one).total_cmp(&error(other))).unwrap_or(64)
}

/// The source file.
fn text(parts: &BTreeMap<u32, u8>, note: &str) -> String {
    let mut text = format!(
        "//! Parts of an advantage in endings, written by
//! `cargo xtask endings TABLES {note} --fit FILE`; a change by hand needs a match.

/// Sets of pieces by [`ending_key`](super::ending_key), each with the part of an advantage that counts, in 64ths.
#[rustfmt::skip]
pub(crate) static SCALES: [(u32, u8); {}] = [
",
        parts.len()
    );
    let parts: Vec<_> = parts.iter().collect();
    for row in parts.chunks(6) {
        let words: Vec<String> = row
            .iter()
            .map(|(key, part)| format!("(0x{:04x}_{:04x}, {part}),", *key >> 16, *key & 0xffff))
            .collect();
        // A string takes every line.
        let _ = writeln!(text, "    {}", words.join(" "));
    }
    text + "];\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_part_is_found() {
        let points = |advantage: f64| logistic(advantage * 0.25 / SCALE);
        let samples: Vec<Sample> =
            (0..80).map(|i| f64::from(i) * 9.0).map(|a| (a, points(a))).collect();
        assert_eq!(best_part(&samples), 16);
        let text = text(&BTreeMap::from([(1, 16), (0x40_0000, 64)]), "--men 3");
        assert!(
            text.contains("[(u32, u8); 2]")
                && text.contains("(0x0000_0001, 16), (0x0040_0000, 64),")
        );
    }
}
