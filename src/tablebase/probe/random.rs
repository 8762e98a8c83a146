//! Positions of a table by chance.

use crate::game::Side;
use crate::tablebase::format::SideCounts;
use crate::tablebase::index::numbering::Index;
use crate::tablebase::material::Material;
use crate::tablebase::probe::tables::{ProbeError, Tables};
use crate::tablebase::solve::table::{exchanged, position_of};
use crate::tablebase::value::{Entry, Wdl};
use crate::xiangqi::Position;

/// Slots drawn independently of each other.
const DRAWN: u32 = 4_096;
/// Slots looked at in turn after these, from one that is drawn.
const WALKED: u32 = 4_000_000;

impl Tables {
    /// A position of a set drawn by chance, the first side of the canonical name being Red unless
    /// `swapped`; with a `wdl` one that has it for the side to move. `draw` gives a number below its
    /// argument. `None` if there is no such position, or none was found among some millions.
    ///
    /// All positions of a value are equally likely where a few thousand draws find one. Rarer ones are those that
    /// follow a slot that was drawn.
    ///
    /// # Errors
    ///
    /// If the table is missing or damaged.
    pub fn random_position(
        &self,
        (material, swapped): (Material, bool),
        wdl: Option<Wdl>,
        draw: &mut dyn FnMut(u32) -> u32,
    ) -> Result<Option<(Position, Entry)>, ProbeError> {
        let stats = self.stats(material)?;
        let sides: Vec<Side> = Side::ALL
            .into_iter()
            .filter(|&side| has_result(&stats.sides[side].counts, wdl))
            .collect();
        // A set of which there is a table has an index.
        let Ok(index) = Index::new(material) else { return Ok(None) };
        if sides.is_empty() {
            return Ok(None);
        }
        let mut first = 0;
        // Twice the slots at most: after that the walk has met each of them with each of `sides` to move.
        for step in 0..DRAWN + WALKED.min(index.slots.saturating_mul(2)) {
            let (side, slot) = if let Some(walked) = step.checked_sub(DRAWN) {
                // Each slot with one side to move, then with the other.
                let further = u64::from(walked) / sides.len() as u64;
                let slot = (u64::from(first) + further) % u64::from(index.slots);
                (sides[walked as usize % sides.len()], slot as u32)
            } else {
                first = draw(index.slots);
                (sides[draw(sides.len() as u32) as usize], first)
            };
            let Some(position) = position_of(&index, side.index(), slot) else { continue };
            // Slots of a side that could take the king stand for no position.
            let Ok(position) = Position::from_setup(&position.to_setup()) else { continue };
            let entry = self.probe(&position)?;
            if wdl.is_none_or(|wdl| wdl == entry.wdl) {
                let position = if swapped { exchanged(&position) } else { position };
                return Ok(Some((position, entry)));
            }
        }
        Ok(None)
    }
}

/// Returns true if there are positions of the result `wdl`, or any positions if it is `None`.
const fn has_result(counts: &SideCounts, wdl: Option<Wdl>) -> bool {
    match wdl {
        None => counts.win + counts.draw + counts.loss > 0,
        Some(Wdl::Win) => counts.win > 0,
        Some(Wdl::Draw) => counts.draw > 0,
        Some(Wdl::Loss) => counts.loss > 0,
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::tablebase::value::{Metric, Rules};
    use crate::tablebase::{GenerateOptions, NoProgress, generate_all};

    /// Positions of every value that a set has are found, however rare, and no others.
    #[test]
    fn positions_are_drawn_of_every_value() {
        let folder = tempfile::tempdir().unwrap();
        let material: Material = "KAvKP".parse().unwrap();
        generate_all(folder.path(), &[material], &GenerateOptions::default(), &NoProgress).unwrap();
        let tables = Tables::open(folder.path(), Rules::Check, Metric::Dtm).unwrap();
        let mut state = 1_u64;
        let mut draw = |below: u32| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            ((state >> 33) % u64::from(below)) as u32
        };
        let stats = tables.stats(material).unwrap();
        for swapped in [false, true] {
            for wdl in [Wdl::Win, Wdl::Draw, Wdl::Loss] {
                let is_there = Side::ALL.into_iter().any(|side| {
                    let counts = stats.sides[side].counts;
                    [counts.loss, counts.draw, counts.win][wdl as usize] > 0
                });
                let mut fens = BTreeSet::new();
                for _ in 0..20 {
                    let found = tables.random_position((material, swapped), Some(wdl), &mut draw);
                    let found = found.unwrap();
                    assert_eq!(found.is_some(), is_there, "{wdl:?}");
                    let Some((position, entry)) = found else { break };
                    assert_eq!(entry, tables.probe(&position).unwrap());
                    assert_eq!(entry.wdl, wdl);
                    assert_eq!(Material::of(&position), (material, swapped));
                    fens.insert(position.to_fen());
                }
                assert!(!is_there || fens.len() > 1, "{wdl:?}: {fens:?}");
            }
        }
    }
}
