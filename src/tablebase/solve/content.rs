//! The content hash of a table: BLAKE3 over its values in an order that depends on nothing but the
//! material, so that any program can recompute it. [`FORMAT.md`](crate::tablebase::format) describes it.

use arrayvec::ArrayVec;
use rayon::prelude::*;

use crate::game::Side;
use crate::tablebase::index::numbering::{Digits, Index, NO_DIGIT};
use crate::tablebase::solve::table::Table;
use crate::tablebase::value::Wdl;
use crate::xiangqi::{Piece, Role, Square, can_stand};

/// Values hashed by one task at most, roughly.
const TASK: usize = 1 << 17;
/// Tasks whose values are in memory at once.
const BATCH: usize = 32;
const ILLEGAL: i16 = i16::MIN;
/// All ways to place the pieces of one role and side.
struct Component {
    side: Side,
    role: Role,
    choices: Vec<ArrayVec<Square, 5>>,
}

/// The nested loops.
struct Loops<'a> {
    index: &'a Index,
    components: Vec<Component>,
    /// By group: the digits by the choices of its components, the last fastest.
    digits: Vec<Vec<u32>>,
    /// By group: its components.
    parts: Vec<Vec<usize>>,
}

/// The content hash of a table whose illegal positions are marked.
pub(crate) fn content_hash(table: &Table) -> [u8; 32] {
    let mut hasher = blake3::Hasher::new();
    hasher.update(&(table.ranks.len() as u32).to_le_bytes());
    for (order, distance) in &table.ranks {
        hasher.update(&order.to_le_bytes());
        hasher.update(&distance.to_le_bytes());
    }
    let loops = Loops::new(&table.index);
    let values = value_map(table);
    let inner = loops.components.last().map_or(1, |last| last.choices.len());
    let outer: usize = loops.components.iter().map(|c| c.choices.len()).product::<usize>() / inner;
    let step = (TASK / inner).max(1);
    let starts: Vec<usize> = (0..outer).step_by(step).collect();
    for side in Side::ALL {
        for batch in starts.chunks(BATCH) {
            let parts: Vec<Vec<u8>> = batch
                .par_iter()
                .map(|&start| loops.values(table, &values, side, start..outer.min(start + step)))
                .collect();
            for part in parts {
                hasher.update(&part);
            }
        }
    }
    *hasher.finalize().as_bytes()
}

/// From words to the values that are hashed.
fn value_map(table: &Table) -> Vec<i16> {
    (0..=crate::tablebase::solve::table::DRAW)
        .map(|word: u16| match table.checked_meaning(word) {
            None => ILLEGAL,
            Some(entry) => {
                let rank = (word.wrapping_sub(1) / 2).cast_signed();
                match entry.wdl {
                    Wdl::Draw => 0,
                    Wdl::Win => 1 + rank,
                    Wdl::Loss => -1 - rank,
                }
            }
        })
        .collect()
}

impl<'a> Loops<'a> {
    fn new(index: &'a Index) -> Self {
        let mut components = Vec::new();
        for side in Side::ALL {
            for role in Role::ALL {
                let count = index.material.count(side, role);
                if count > 0 {
                    components.push(Component::new(side, role, count.into()));
                }
            }
        }
        let parts: Vec<Vec<usize>> = index
            .groups
            .iter()
            .map(|group| {
                let men = &index.men[group.men.clone()];
                let pieces = components.iter().map(Component::piece).enumerate();
                let own = pieces.filter(|&(_, piece)| men.iter().any(|man| man.piece == piece));
                own.map(|(component, _)| component).collect()
            })
            .collect();
        let digits = parts
            .iter()
            .enumerate()
            .map(|(group, parts)| group_digits(index, group, &components, parts))
            .collect();
        Self { index, components, digits, parts }
    }

    /// The values of a range of choices of all components but the last.
    fn values(
        &self,
        table: &Table,
        values: &[i16],
        side: Side,
        outer: std::ops::Range<usize>,
    ) -> Vec<u8> {
        let swap = self.index.is_symmetric() && side == Side::Second;
        let words = &table.words[if swap { 0 } else { side.index() }];
        let last = self.components.len() - 1;
        let inner = self.components[last].choices.len();
        let mut bytes = Vec::with_capacity(outer.len() * inner * 2);
        for flat in outer {
            let choices = self.choices(flat);
            let (digits, group) = self.outer_digits(&choices, last);
            let along = &self.digits[group][self.place(group, &choices)..][..inner];
            let mut push = |slot: Option<u32>| {
                let value = slot.map_or(ILLEGAL, |s| values[usize::from(words[s as usize])]);
                bytes.extend_from_slice(&value.to_le_bytes());
            };
            match digits {
                None => (0..inner).for_each(|_| push(None)),
                Some(digits) if swap => {
                    let mut digits = self.index.swapped(&digits);
                    // The last component is the second side's, whose groups are now in the first half.
                    let group = group - digits.len() / 2;
                    self.index.slots_along(&mut digits, group, along, push);
                }
                Some(mut digits) => self.index.slots_along(&mut digits, group, along, push),
            }
        }
        bytes
    }

    /// The choice of each component; 0 for the last.
    fn choices(&self, flat: usize) -> Vec<usize> {
        let last = self.components.len() - 1;
        let mut rest = flat;
        let mut choices = vec![0; last + 1];
        for c in (0..last).rev() {
            let len = self.components[c].choices.len();
            choices[c] = rest % len;
            rest /= len;
        }
        choices
    }

    /// The digits of all groups but that of the last component (0 there), and that group. `None` if
    /// pieces of one group overlap.
    fn outer_digits(&self, choices: &[usize], last: usize) -> (Option<Digits>, usize) {
        let inner_group = self.parts.iter().position(|parts| parts.contains(&last)).unwrap_or(0);
        let digits = (0..self.parts.len())
            .map(|group| {
                if group == inner_group {
                    return Some(0);
                }
                let digit = self.digits[group][self.place(group, choices)];
                (digit != NO_DIGIT).then_some(digit)
            })
            .collect();
        (digits, inner_group)
    }

    fn place(&self, group: usize, choices: &[usize]) -> usize {
        self.parts[group]
            .iter()
            .fold(0, |place, &c: &usize| place * self.components[c].choices.len() + choices[c])
    }
}

impl Component {
    fn new(side: Side, role: Role, count: usize) -> Self {
        let piece = Piece::new(side, role);
        let points: Vec<Square> = Square::all().filter(|&s| can_stand(piece, s)).collect();
        let mut choices = Vec::new();
        let mut chosen = ArrayVec::new();
        choose(&points, count, &mut chosen, &mut choices);
        Self { side, role, choices }
    }

    /// The pieces that it places.
    fn piece(&self) -> Piece {
        Piece::new(self.side, self.role)
    }
}

fn choose(
    points: &[Square],
    count: usize,
    chosen: &mut ArrayVec<Square, 5>,
    out: &mut Vec<ArrayVec<Square, 5>>,
) {
    if chosen.len() == count {
        out.push(chosen.clone());
        return;
    }
    for (i, &point) in points.iter().enumerate() {
        chosen.push(point);
        choose(&points[i + 1..], count, chosen, out);
        chosen.pop();
    }
}

/// The digits of a group by the choices of its components.
fn group_digits(
    index: &Index,
    group: usize,
    components: &[Component],
    parts: &[usize],
) -> Vec<u32> {
    let total = parts.iter().map(|&c| components[c].choices.len()).product();
    (0..total)
        .into_par_iter()
        .map(|flat: usize| {
            let mut rest = flat;
            let mut squares: Vec<&[Square]> = Vec::new();
            for &c in parts.iter().rev() {
                let choices = &components[c].choices;
                squares.push(&choices[rest % choices.len()]);
                rest /= choices.len();
            }
            squares.reverse();
            index.groups[group].digit(&squares.concat()).unwrap_or(NO_DIGIT)
        })
        .collect()
}
