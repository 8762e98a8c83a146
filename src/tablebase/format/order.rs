//! The choice of how a stream is laid out, by compressing samples of it.
//!
//! The order of the components is found greedily, the fastest first: each candidate is tried with the
//! others in a default order behind it. Then each component is tried in every other place.

use std::io;

use rayon::prelude::*;

use super::super::compress::Effort;
use super::reader::Section;
use super::symbols::{Filling, Packing};
use super::writer::{Coder, Plan, Scratch};
use crate::game::Side;
use crate::xiangqi::Role;

/// Slots of a sample at most.
const SAMPLE: u64 = 1 << 20;
/// A sample is at most this part of the blocks.
const PART: u64 = 4;
/// Components whose product may be the period that fillings look back.
const PERIODS: usize = 3;

/// The layout of a stream that compresses best among those tried.
pub(super) fn choose(coder: &Coder<'_>, section: Section, is_wide: bool) -> io::Result<Plan> {
    let packing = match section {
        Section::Wdl => Packing::Quads,
        Section::Distance if is_wide => Packing::Wide,
        Section::Distance => Packing::Bytes,
    };
    let mut best = Plan { order: default_order(coder), packing, filling: Filling::Before };
    best.order = greedy(coder, &best)?;
    best = cheapest(coder, rearranged(&best), Effort::Sample)?;
    best = cheapest(coder, with_fillings(coder, &best), Effort::Sample)?;
    if section == Section::Wdl {
        let packed = |packing| Plan { packing, ..best.clone() };
        best = cheapest(coder, Packing::WDL.map(packed).to_vec(), Effort::Sample)?;
    }
    Ok(best)
}

/// Elephants and advisors fastest, then attackers, the second side's king and then the first's
/// slowest.
fn default_order(coder: &Coder<'_>) -> Vec<u8> {
    let rank = |c: &u8| {
        let piece = coder.layout.piece(usize::from(*c));
        let kind = match (piece.role(), piece.side()) {
            (Role::King, _) => 0,
            (Role::Advisor, _) => 2,
            (Role::Elephant, _) => 3,
            _ => 1,
        };
        (kind, piece.side() == Side::Second, *c)
    };
    let mut order: Vec<u8> = (0..coder.layout.len() as u8).collect();
    order.sort_by_key(rank);
    order
}

/// Fixes one component after the other, from the fastest.
fn greedy(coder: &Coder<'_>, start: &Plan) -> io::Result<Vec<u8>> {
    let mut order = start.order.clone();
    for fixed in 0..order.len() - 1 {
        let left = order.len() - fixed;
        let moved = |from: usize| {
            let mut order = order.clone();
            let component = order.remove(from);
            order.insert(left - 1, component);
            Plan { order, ..start.clone() }
        };
        let plans = (0..left).rev().map(moved).collect();
        order = cheapest(coder, plans, Effort::Sample)?.order;
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
fn with_fillings(coder: &Coder<'_>, start: &Plan) -> Vec<Plan> {
    let radixes = start.order.iter().rev().map(|&c| coder.layout.radix(usize::from(c)) as usize);
    let periods = radixes.scan(1, |period, radix| {
        *period *= radix;
        Some(*period)
    });
    let filled =
        periods.take(PERIODS).map(|p| Plan { filling: Filling::Above(p), ..start.clone() });
    std::iter::once(start.clone()).chain(filled).collect()
}

/// The plan whose sample is the smallest; the first of equals.
fn cheapest(coder: &Coder<'_>, plans: Vec<Plan>, effort: Effort) -> io::Result<Plan> {
    let costs: Vec<u64> =
        plans.par_iter().map(|plan| cost(coder, plan, effort)).collect::<io::Result<_>>()?;
    let best = (0..plans.len()).min_by_key(|&i| costs[i]).unwrap_or(0);
    plans.into_iter().nth(best).ok_or_else(|| io::Error::other("no plan"))
}

/// Bytes of a sample of blocks for each 2^20 slots.
fn cost(coder: &Coder<'_>, plan: &Plan, effort: Effort) -> io::Result<u64> {
    let rows = coder.rows(&plan.order);
    let mut scratch = Scratch::new(effort);
    let blocks = coder.blocks(plan.packing);
    let sample = blocks.div_ceil(PART).min(SAMPLE / plan.packing.block_slots());
    let (mut bytes, mut slots) = (0, 0);
    for i in 0..sample {
        // Multiples of the golden ratio: even steps would meet the same squares again and again.
        let fraction = (i + 1).wrapping_mul(0x9e37_79b9) & 0xffff_ffff;
        let block = (fraction * blocks) >> 32;
        let range = coder.range(plan.packing, block);
        slots += range.end - range.start;
        bytes += coder.encode(&rows, plan, range, &mut scratch)?.cost() as u64;
    }
    Ok((bytes << 20) / slots.max(1))
}
