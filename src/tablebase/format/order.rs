//! The choice of how a stream is laid out, by compressing samples of it.
//!
//! The order of the components is found greedily, the fastest first: each candidate is tried with the
//! others in a default order behind it. Then each component is tried in every other place, twice.

use std::io;

use rayon::prelude::*;

use crate::game::Side;
use crate::tablebase::format::compress::Effort;
use crate::tablebase::format::encoder::{Encoder, Plan, Scratch};
use crate::tablebase::format::symbols::{Alphabet, Filling, Packing};
use crate::xiangqi::{Piece, Role};

/// Slots of a stream for which trials are worth their time.
const WORTHWHILE: u64 = 1 << 14;
/// Slots of a sample at most.
const SAMPLE: u64 = 1 << 22;
/// A sample is at most this part of a stream.
const PART: u64 = 2;
/// A piece of a sample is this part of a stream, but not shorter than [`PIECE`] and not longer than
/// a block.
const PIECES: u64 = 64;
/// Slots of a piece at least.
const PIECE: u64 = 1 << 14;
/// Halvings of the number of plans at most.
const ROUNDS: u32 = 6;
/// Number of rounds of changing an order in one place, at most.
const CLIMBS: usize = 2;
/// Part of the sample for the first order, which is only a beginning.
const FIRST: u64 = 8;
/// Part of the sample where few plans are compared.
const FEW: u64 = 4;
/// Components whose product may be the period that fillings look back.
const PERIODS: usize = 3;

/// The layout of a stream that compresses best among those tried.
pub(crate) fn choose(encoder: &Encoder<'_>, alphabet: Alphabet) -> io::Result<Plan> {
    let mut best = first_plan(encoder, alphabet);
    if encoder.numbering.layout.slots().is_none_or(|slots| slots < WORTHWHILE) {
        return Ok(best);
    }
    best.order = greedy(encoder, &best)?;
    for _ in 0..CLIMBS {
        let start = best;
        best = cheapest(encoder, rearranged(&start), 1)?;
        if best == start {
            break;
        }
    }
    best = cheapest(encoder, with_fillings(encoder, &best), FEW)?;
    if Packing::Quads.is_possible(alphabet) {
        best = cheapest(
            encoder,
            Packing::WDL.map(|packing| Plan { packing, ..best.clone() }).to_vec(),
            FEW,
        )?;
    }
    Ok(best)
}

/// The plan before any trial.
pub(crate) fn first_plan(encoder: &Encoder<'_>, alphabet: Alphabet) -> Plan {
    let packing = match alphabet {
        Alphabet::Results | Alphabet::LoopMarks => Packing::Quads,
        Alphabet::Numbers => Packing::Bytes,
        Alphabet::WideNumbers => Packing::Wide,
    };
    Plan { order: default_order(encoder), packing, filling: Filling::Before }
}

/// Bytes for each 2^20 slots of a stream before its order is chosen, from a sample.
pub(crate) fn first_rate(encoder: &Encoder<'_>, alphabet: Alphabet) -> io::Result<u64> {
    let mut trial = Trial::default();
    let plan = first_plan(encoder, alphabet);
    trial.go_on(encoder, &plan, FIRST, &mut Scratch::new(Effort::Sample))?;
    Ok(trial.rate())
}

/// Elephants and advisors fastest, then attackers, the second side's king and then the first's
/// slowest.
fn default_order(encoder: &Encoder<'_>) -> Vec<u8> {
    let layout = encoder.numbering.layout;
    let mut order: Vec<u8> = (0..layout.len() as u8).collect();
    order.sort_by_key(|&c| (default_rank(layout.piece(usize::from(c))), c));
    order
}

/// The rank of a kind of pieces in the default order, from the slowest on.
const fn default_rank(piece: Piece) -> (u8, bool) {
    let kind = match piece.role() {
        Role::King => 0,
        Role::Advisor => 2,
        Role::Elephant => 3,
        _ => 1,
    };
    (kind, matches!(piece.side(), Side::Second))
}

/// Fixes one component after the other, from the fastest.
fn greedy(encoder: &Encoder<'_>, start: &Plan) -> io::Result<Vec<u8>> {
    let mut order = start.order.clone();
    for fixed in 0..order.len() - 1 {
        let left = order.len() - fixed;
        let plans = (0..left)
            .rev()
            .map(|from: usize| {
                let mut order = order.clone();
                let component = order.remove(from);
                order.insert(left - 1, component);
                Plan { order, ..start.clone() }
            })
            .collect();
        order = cheapest(encoder, plans, FIRST)?.order;
    }
    Ok(order)
}

/// The plan, and it with each component in every other place.
fn rearranged(start: &Plan) -> Vec<Plan> {
    let components = start.order.len();
    let mut plans = vec![start.clone()];
    for (from, to) in (0..components).flat_map(|from| (0..components).map(move |to| (from, to))) {
        let mut order = start.order.clone();
        let component = order.remove(from);
        order.insert(to, component);
        let plan = Plan { order, ..start.clone() };
        if !plans.contains(&plan) {
            plans.push(plan);
        }
    }
    plans
}

/// The plan, and it with fillings that look back to the last value of a slower component.
fn with_fillings(encoder: &Encoder<'_>, start: &Plan) -> Vec<Plan> {
    let radixes =
        start.order.iter().rev().map(|&c| encoder.numbering.layout.radix(usize::from(c)) as usize);
    let periods = radixes.scan(1, |period, radix| {
        *period *= radix;
        Some(*period)
    });
    let filled =
        periods.take(PERIODS).map(|p| Plan { filling: Filling::Above(p), ..start.clone() });
    std::iter::once(start.clone()).chain(filled).collect()
}

/// The plan that compresses best, the first of equals. All are tried on a little of the sample, the
/// better half of them on twice as much, and so on (successive halving), the last ones on one in
/// `part` of it.
fn cheapest(encoder: &Encoder<'_>, mut plans: Vec<Plan>, part: u64) -> io::Result<Plan> {
    let mut trials: Vec<Trial> = plans.iter().map(|_| Trial::default()).collect();
    // As many halvings as lead from all plans to one.
    let rounds = plans.len().next_power_of_two().trailing_zeros().clamp(1, ROUNDS);
    for round in (0..rounds).rev() {
        plans.par_iter().zip(&mut trials).try_for_each_init(
            || Scratch::new(Effort::Sample),
            |scratch, (plan, trial)| trial.go_on(encoder, plan, part << round, scratch),
        )?;
        let mut ranking: Vec<usize> = (0..plans.len()).collect();
        // Stable, so that the first of equal plans stays first; the second sort restores the order of the
        // plans.
        ranking.sort_by_key(|&i| trials[i].rate());
        ranking.truncate(if round == 0 { 1 } else { plans.len().div_ceil(2) });
        ranking.sort_unstable();
        plans = ranking.iter().map(|&i| plans[i].clone()).collect();
        trials = ranking.iter().map(|&i| trials[i].clone()).collect();
    }
    plans.into_iter().next().ok_or_else(|| io::Error::other("no plan"))
}

/// The result of a plan on a sample.
#[derive(Debug, Clone, Default)]
struct Trial {
    pieces: u64,
    bytes: u64,
    slots: u64,
}

impl Trial {
    /// Encodes more pieces, until it is one in `part` of the sample.
    fn go_on(
        &mut self,
        encoder: &Encoder<'_>,
        plan: &Plan,
        part: u64,
        scratch: &mut Scratch,
    ) -> io::Result<()> {
        let rows = encoder.rows(&plan.order);
        let all = encoder.numbering.layout.slots().unwrap_or(0);
        let piece = piece_slots(all, plan.packing);
        let sample = (all / PART).min(SAMPLE) / part;
        while self.slots < sample.max(1) {
            self.pieces += 1;
            // Multiples of the golden ratio: even steps would meet the same squares again and again.
            let fraction = self.pieces.wrapping_mul(0x9e37_79b9) & 0xffff_ffff;
            let start = ((fraction * all.div_ceil(piece)) >> 32) * piece;
            let range = start..(start + piece).min(all);
            self.slots += range.end - range.start;
            // A trial goes on where the last one ended: what the plan has shown in earlier rounds counts
            // too.
            self.bytes += encoder.encode(&rows, plan, range, scratch)?.cost() as u64;
        }
        Ok(())
    }

    /// Bytes for each 2^20 slots.
    fn rate(&self) -> u64 {
        (self.bytes << 20) / self.slots.max(1)
    }
}

/// Slots of a piece of a stream of `all` slots: whole bytes in each packing.
fn piece_slots(all: u64, packing: Packing) -> u64 {
    let piece = (all / PIECES).clamp(PIECE, packing.block_slots());
    // Twenty is a multiple of four and of five symbols a byte.
    piece / 20 * 20
}
