//! The numbering of positions in a file: every kind of piece of a side is a digit of its own, in an
//! order that each stream chooses, and mirror images are folded through one of the digits.
//!
//! It is independent of the generator's [`Index`]; [`Rows`] maps one to the other.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock, Mutex, OnceLock, PoisonError};

use arrayvec::ArrayVec;

use crate::game::Side;
use crate::tablebase::index::numbering::{BINOMIAL, Digits, Index, NO_DIGIT, next_combination};
use crate::tablebase::material::Material;
use crate::xiangqi::{Piece, Position, Role, Square, can_stand};

/// Kinds of pieces of both sides.
pub(crate) const MAX_COMPONENTS: usize = 14;
/// Pieces of a kind on one side.
const MAX_ALIKE: usize = 5;
/// A file slot that stands for no slot of the generator, or for one that a lower file slot stands for.
pub(crate) const NO_SLOT: u32 = u32::MAX;

/// One digit for each component, unfolded.
pub(crate) type Choices = ArrayVec<u32, MAX_COMPONENTS>;

/// All pieces of one kind of a side: a digit.
#[derive(Debug)]
struct Component {
    piece: Piece,
    count: usize,
    /// The squares on which such a piece can ever stand, ascending.
    points: Vec<Square>,
    /// The place of each square in `points`; `u8::MAX` if none.
    local: [u8; 90],
    /// The same of its mirror image.
    local_mirrored: [u8; 90],
    /// Number of placements.
    size: u32,
}

/// The digits of a material's files.
#[derive(Debug)]
pub(crate) struct Layout {
    components: Vec<Component>,
    /// The component through which mirror images are folded.
    pub(crate) fold: usize,
    folding: Arc<Folding>,
    /// From folded digits to those of the component; only where whole streams are read or written.
    unfolded: OnceLock<Vec<u32>>,
}

/// The digits of a component that are not greater than those of their mirror images, numbered: a
/// bit for each digit, and the number of bits set before each word.
#[derive(Debug)]
struct Folding {
    bits: Vec<u64>,
    before: Vec<u32>,
    count: u32,
}

/// Digits of a component whose folding is so slow that it is not left to the first probe.
const SLOW: u32 = 1 << 20;

/// The foldings made so far, by the kind of pieces and their number.
static FOLDINGS: LazyLock<Mutex<Foldings>> = LazyLock::new(Mutex::default);

type Foldings = HashMap<(Piece, usize), Arc<Folding>>;

/// Prepares the slow part of opening the files of a material: five pawns have 3.5 million placements.
pub(crate) fn prepare(material: Material) {
    for component in components(material).iter().filter(|c| c.size > SLOW) {
        Folding::of(component);
    }
}

impl Folding {
    /// That of a component, made once in a process.
    fn of(component: &Component) -> Arc<Self> {
        let mut known = FOLDINGS.lock().unwrap_or_else(PoisonError::into_inner);
        let entry = known.entry((component.piece, component.count));
        Arc::clone(entry.or_insert_with(|| Arc::new(Self::new(component))))
    }

    fn new(component: &Component) -> Self {
        let images: Vec<u8> = component
            .points
            .iter()
            .map(|&square: &Square| component.local_mirrored[square.index()])
            .collect();
        let mut chosen: ArrayVec<usize, MAX_ALIKE> = (0..component.count).collect();
        let mut bits = vec![0u64; component.size as usize / 64 + 1];
        for digit in 0..component.size {
            let mut mirrored: ArrayVec<u8, MAX_ALIKE> = chosen.iter().map(|&i| images[i]).collect();
            mirrored.sort_unstable();
            if digit <= rank(&mirrored) {
                bits[digit as usize / 64] |= 1 << (digit % 64);
            }
            next_combination(&mut chosen);
        }
        let mut count = 0;
        let before = bits.iter().map(|word| {
            let before = count;
            count += word.count_ones();
            before
        });
        Self { before: before.collect(), bits, count }
    }

    /// The number of a digit that is not greater than its mirror image's.
    #[inline]
    fn number(&self, digit: u32) -> u32 {
        let word = digit as usize / 64;
        let bit = digit % 64;
        // Rank in a bit set: the sum up to the word is stored, the rest is counted in it. 12 bytes serve 64
        // digits.
        self.before[word] + (self.bits[word] & ((1 << bit) - 1)).count_ones()
    }

    /// The digits in the order of their numbers.
    fn digits(&self) -> Vec<u32> {
        (0..64 * self.bits.len() as u32)
            .filter(|digit: &u32| self.bits[*digit as usize / 64] >> (*digit % 64) & 1 == 1)
            .collect()
    }
}

/// The number of a set of places among all sets of as many, in colexicographic order.
#[inline]
fn rank(ascending: &[u8]) -> u32 {
    // The i-th smallest place p is preceded by all sets of i + 1 places below p.
    ascending.iter().enumerate().map(|(i, &p)| BINOMIAL[usize::from(p)][i + 1]).sum()
}

/// The stride of each component's digit in a stream.
#[derive(Debug, Clone)]
pub(crate) struct Strides(ArrayVec<u64, MAX_COMPONENTS>);

/// A position's digits and those of its mirror image, as far as they matter.
#[derive(Debug, Clone)]
pub(crate) struct FoldedDigits {
    /// With the fold component's digit folded.
    digits: Choices,
    /// The mirror image's digits, if the fold component is its own mirror image.
    mirrored: Option<Choices>,
}

impl Layout {
    /// The layout with its fold chosen: the component whose folding saves the most, the first of
    /// equals.
    pub(crate) fn new(material: Material) -> Self {
        let components = components(material);
        let fold = (0..components.len()).min_by_key(|&i| components[i].fixed_share()).unwrap_or(0);
        Self::folding(components, fold)
    }

    /// The layout that folds through a given component; `None` if there is no such component.
    pub(crate) fn with_fold(material: Material, fold: usize) -> Option<Self> {
        let components = components(material);
        (fold < components.len()).then(|| Self::folding(components, fold))
    }

    fn folding(components: Vec<Component>, fold: usize) -> Self {
        let folding = Folding::of(&components[fold]);
        Self { components, fold, folding, unfolded: OnceLock::new() }
    }

    /// The digits of the fold component for which its digits in a file stand.
    fn unfolded(&self) -> &[u32] {
        self.unfolded.get_or_init(|| self.folding.digits())
    }

    pub(crate) fn len(&self) -> usize {
        self.components.len()
    }

    /// The digit of a component for which its digit in a file stands.
    fn choice(&self, component: usize, digit: u32) -> u32 {
        if component == self.fold { self.unfolded()[digit as usize] } else { digit }
    }

    /// Number of values of a component's digit in a file.
    pub(crate) fn radix(&self, component: usize) -> u32 {
        if component == self.fold { self.folding.count } else { self.components[component].size }
    }

    pub(crate) fn piece(&self, component: usize) -> Piece {
        self.components[component].piece
    }

    /// File slots of a stream; `None` if there are more than 64 bits number.
    pub(crate) fn slots(&self) -> Option<u64> {
        (0..self.len()).try_fold(1u64, |all, c| all.checked_mul(u64::from(self.radix(c))))
    }

    /// The strides of an order, the slowest component first; `None` if it is no permutation of the
    /// components.
    pub(crate) fn strides(&self, order: &[u8]) -> Option<Strides> {
        let mut strides: ArrayVec<u64, MAX_COMPONENTS> = (0..self.len()).map(|_| 0).collect();
        if order.len() != self.len() {
            return None;
        }
        let mut stride = 1u64;
        for &component in order.iter().rev() {
            let component = usize::from(component);
            // A stride is never 0, so that one set already shows a component named twice.
            if *strides.get(component)? != 0 {
                return None;
            }
            strides[component] = stride;
            stride = stride.checked_mul(u64::from(self.radix(component)))?;
        }
        Some(Strides(strides))
    }

    /// The place of a position of this material; `swap` if Black is the first side of the material.
    /// `None` if its pieces stand where they never can.
    pub(crate) fn place(&self, position: &Position, swap: bool) -> Option<FoldedDigits> {
        let mut squares: ArrayVec<ArrayVec<Square, MAX_ALIKE>, MAX_COMPONENTS> = ArrayVec::new();
        let mut digits = Choices::new();
        for component in &self.components {
            let mut men = ArrayVec::new();
            let side = component.piece.side();
            let real = if swap { !side } else { side };
            for square in position.pieces(real, component.piece.role()) {
                men.try_push(if swap { square.flipped() } else { square }).ok()?;
            }
            digits.push(component.digit(&men, &component.local)?);
            squares.push(men);
        }
        let own = digits[self.fold];
        let men = &squares[self.fold];
        let fold = &self.components[self.fold];
        let mirror = fold.digit(men, &fold.local_mirrored)?;
        // Of a digit and its image the smaller is stored; which of the two the position has decides whether
        // the others are mirrored too.
        let folded = self.folding.number(own.min(mirror));
        digits[self.fold] = folded;
        if own < mirror {
            return Some(FoldedDigits { digits, mirrored: None });
        }
        let mut mirrored = self.mirrored_digits(&squares)?;
        mirrored[self.fold] = folded;
        Some(if own > mirror {
            FoldedDigits { digits: mirrored, mirrored: None }
        } else {
            FoldedDigits { digits, mirrored: Some(mirrored) }
        })
    }

    /// The digits of the mirror image of pieces on squares, by component.
    fn mirrored_digits(&self, squares: &[ArrayVec<Square, MAX_ALIKE>]) -> Option<Choices> {
        let pairs = self.components.iter().zip(squares);
        pairs.map(|(component, men)| component.digit(men, &component.local_mirrored)).collect()
    }
}

impl FoldedDigits {
    /// The file slot in a stream: of a position and its mirror image the lower.
    #[inline]
    pub(crate) fn slot(&self, strides: &Strides) -> u64 {
        let own = strides.slot(&self.digits);
        self.mirrored.as_ref().map_or(own, |mirrored| own.min(strides.slot(mirrored)))
    }
}

impl Strides {
    /// The file slot of digits by component.
    #[inline]
    fn slot(&self, digits: &[u32]) -> u64 {
        digits.iter().zip(&self.0).map(|(&digit, &stride)| u64::from(digit) * stride).sum()
    }
}

/// The kinds of pieces of a material, the first side's in the order of names, then the second's.
fn components(material: Material) -> Vec<Component> {
    let pieces = Side::ALL.into_iter().flat_map(|side| Role::ALL.map(|role| (side, role)));
    pieces
        .filter(|&(side, role)| material.count(side, role) > 0)
        .map(|(side, role)| Component::new(side, role, material.count(side, role).into()))
        .collect()
}

impl Component {
    fn new(side: Side, role: Role, count: usize) -> Self {
        let piece = Piece::new(side, role);
        let points: Vec<Square> = Square::all().filter(|&s| can_stand(piece, s)).collect();
        let mut local = [u8::MAX; 90];
        for (i, square) in points.iter().enumerate() {
            local[square.index()] = i as u8;
        }
        let mut local_mirrored = local;
        for square in Square::all() {
            local_mirrored[square.index()] = local[square.mirrored().index()];
        }
        let size = BINOMIAL[points.len()][count];
        Self { piece, count, points, local, local_mirrored, size }
    }

    /// The number of a set of squares among all sets of as many, in colexicographic order.
    #[inline]
    fn digit(&self, men: &[Square], local: &[u8; 90]) -> Option<u32> {
        if men.len() != self.count {
            return None;
        }
        if let [man] = men {
            let local = local[man.index()];
            return (local != u8::MAX).then_some(u32::from(local));
        }
        let mut places: ArrayVec<u8, MAX_ALIKE> = ArrayVec::new();
        for man in men {
            places.try_push(local[man.index()]).ok()?;
        }
        places.sort_unstable();
        if places.last() == Some(&u8::MAX) || places.windows(2).any(|pair| pair[0] == pair[1]) {
            return None;
        }
        Some(rank(&places))
    }

    /// The squares of a digit, ascending.
    fn squares(&self, digit: u32) -> ArrayVec<Square, MAX_ALIKE> {
        let mut rest = digit;
        let mut squares = ArrayVec::new();
        // Greedily from the highest piece down: BINOMIAL[p][k] sets of k pieces lie wholly below place p.
        for k in (1..=self.count).rev() {
            let p = (0..self.points.len()).rev().find(|&p| BINOMIAL[p][k] <= rest).unwrap_or(0);
            rest -= BINOMIAL[p][k];
            squares.push(self.points[p]);
        }
        squares.reverse();
        squares
    }

    fn mirrored(&self, digit: u32) -> u32 {
        self.digit(&self.squares(digit), &self.local_mirrored).unwrap_or(digit)
    }

    /// The share of the digits that are their own mirror image, in parts of a thousand million.
    fn fixed_share(&self) -> u64 {
        let fixed = (0..self.size).filter(|&digit| self.mirrored(digit) == digit).count() as u64;
        (fixed * 1_000_000_000).div_ceil(u64::from(self.size))
    }
}

/// A group of the generator's index in terms of components.
#[derive(Debug)]
struct GroupMap {
    /// Its components.
    parts: ArrayVec<usize, 3>,
    /// Its digits by those of its components, unfolded, the last part fastest; [`NO_DIGIT`] where
    /// pieces overlap.
    digits: Vec<u32>,
}

/// The maps that [`Rows`] needs whatever the order is.
#[derive(Debug)]
pub(crate) struct Maps {
    groups: Vec<GroupMap>,
    /// By component: the digits of mirror images.
    mirrors: Vec<Vec<u32>>,
}

impl Maps {
    pub(crate) fn new(layout: &Layout, index: &Index) -> Self {
        let squares: Vec<Vec<_>> =
            layout.components.iter().map(|c| (0..c.size).map(|d| c.squares(d)).collect()).collect();
        Self {
            groups: (0..index.groups.len())
                .map(|g| GroupMap::new(layout, index, g, &squares))
                .collect(),
            mirrors: layout
                .components
                .iter()
                .map(|c: &Component| (0..c.size).map(|digit| c.mirrored(digit)).collect())
                .collect(),
        }
    }
}

/// From the file slots of a stream, row by row of the fastest component, to slots of the generator.
#[derive(Debug)]
pub(crate) struct Rows<'a> {
    layout: &'a Layout,
    index: &'a Index,
    maps: &'a Maps,
    /// The components, the slowest first.
    order: Vec<usize>,
    /// The group of the fastest component.
    inner_group: usize,
    /// Its map with the fastest component last, and of that only the values in the file.
    inner_map: GroupMap,
    /// By component: its group and the stride of its choice there.
    worths: ArrayVec<(usize, usize), MAX_COMPONENTS>,
    /// Values of the fastest component.
    pub(crate) row_len: usize,
}

/// A row at hand.
struct StreamRow {
    /// Of the stream, by component.
    digits: Choices,
    /// The same unfolded.
    choices: Choices,
    /// By group: the place in its map where the row is or begins.
    places: ArrayVec<usize, MAX_COMPONENTS>,
}

impl<'a> Rows<'a> {
    /// `order` is a permutation of the components.
    pub(crate) fn new(layout: &'a Layout, index: &'a Index, maps: &'a Maps, order: &[u8]) -> Self {
        let order: Vec<usize> = order.iter().map(|&c| usize::from(c)).collect();
        let inner = order.last().copied().unwrap_or(0);
        let inner_group =
            maps.groups.iter().position(|g| g.parts.contains(&inner)).unwrap_or_default();
        let inner_map = maps.groups[inner_group].along(layout, inner);
        let row_len = layout.radix(inner) as usize;
        let worths = (0..layout.len())
            .map(|component: usize| {
                let group = (0..maps.groups.len())
                    .find(|&g: &usize| maps.groups[g].parts.contains(&component))
                    .unwrap_or_default();
                let map = if group == inner_group { &inner_map } else { &maps.groups[group] };
                (group, map.worth(layout, component, inner))
            })
            .collect();
        Self { layout, index, maps, order, inner_group, inner_map, worths, row_len }
    }

    /// The beginning of a row.
    fn row(&self, row: u64) -> StreamRow {
        let mut rest = row;
        let none: Choices = (0..self.order.len()).map(|_| 0).collect();
        let places = (0..self.maps.groups.len()).map(|_| 0).collect();
        let mut row = StreamRow { digits: none.clone(), choices: none, places };
        for &component in self.order.iter().rev().skip(1) {
            let radix = u64::from(self.layout.radix(component));
            self.turn(&mut row, component, (rest % radix) as u32);
            rest /= radix;
        }
        row
    }

    /// Goes on to the next row.
    fn step(&self, row: &mut StreamRow) {
        for &component in self.order.iter().rev().skip(1) {
            let next = row.digits[component] + 1;
            if next < self.layout.radix(component) {
                self.turn(row, component, next);
                return;
            }
            self.turn(row, component, 0);
        }
    }

    /// Sets the digit of a component.
    fn turn(&self, row: &mut StreamRow, component: usize, digit: u32) {
        let choice = self.layout.choice(component, digit);
        let (group, worth) = self.worths[component];
        let place = &mut row.places[group];
        // The new choice is added first: the difference may be negative.
        *place = *place + choice as usize * worth - row.choices[component] as usize * worth;
        row.digits[component] = digit;
        row.choices[component] = choice;
    }

    /// The digits of the index, that of the fastest component's group at the beginning of the row;
    /// `None` if pieces of one group overlap throughout the row.
    fn index_digits(&self, row: &StreamRow) -> Option<Digits> {
        let mut digits = Digits::new();
        for (g, group) in self.maps.groups.iter().enumerate() {
            let digit = if g == self.inner_group { 0 } else { group.digits[row.places[g]] };
            if digit == NO_DIGIT {
                return None;
            }
            digits.push(digit);
        }
        Some(digits)
    }

    /// Compares a row with its mirror image, which lies before it, after it, or is the row itself,
    /// the fold component being its own mirror image.
    fn mirror_row(&self, choices: &Choices) -> std::cmp::Ordering {
        for &c in &self.order[..self.order.len() - 1] {
            if c != self.layout.fold {
                let own = choices[c];
                let mirror = self.maps.mirrors[c][choices[c] as usize];
                if own != mirror {
                    return mirror.cmp(&own);
                }
            }
        }
        std::cmp::Ordering::Equal
    }

    /// Marks the file slots of a row whose mirror images come earlier.
    fn drop_images(&self, choices: &Choices, slots: &mut [u32]) {
        let inner = self.order[self.order.len() - 1];
        let fold = self.layout.fold;
        // A mirror image has a file slot of its own only if the fold component is its own mirror image.
        if inner != fold && !self.is_fixed(choices[fold]) {
            return;
        }
        let row = self.mirror_row(choices);
        for (i, slot) in slots.iter_mut().enumerate() {
            let is_image = if inner == fold {
                row.is_lt() && self.is_fixed(self.layout.unfolded()[i])
            } else {
                row.is_lt() || (row.is_eq() && (self.maps.mirrors[inner][i] as usize) < i)
            };
            if is_image {
                *slot = NO_SLOT;
            }
        }
    }

    /// Returns true if a choice of the fold component is its own mirror image.
    fn is_fixed(&self, choice: u32) -> bool {
        self.maps.mirrors[self.layout.fold][choice as usize] == choice
    }

    /// Appends the slots of the generator for the file slots of a range to `out`, [`NO_SLOT`] where
    /// there is none or where the mirror image's file slot is lower.
    pub(crate) fn slots(&self, range: std::ops::Range<u64>, out: &mut Vec<u32>) {
        let row_len = self.row_len as u64;
        let skip = (range.start % row_len) as usize;
        let first = out.len();
        let rows = range.start / row_len..range.end.div_ceil(row_len);
        let mut row = self.row(rows.start);
        for _ in rows {
            let start = out.len();
            match self.index_digits(&row) {
                None => out.resize(start + self.row_len, NO_SLOT),
                Some(mut digits) => {
                    let place = row.places[self.inner_group];
                    let along = &self.inner_map.digits[place..][..self.row_len];
                    self.index.slots_along(&mut digits, self.inner_group, along, |slot| {
                        out.push(slot.unwrap_or(NO_SLOT));
                    });
                    self.drop_images(&row.choices, &mut out[start..]);
                }
            }
            self.step(&mut row);
        }
        out.drain(first..first + skip);
        out.truncate(first + (range.end - range.start) as usize);
    }

    /// The other slot of the generator that holds the mirror image of a slot, if there is one.
    pub(crate) fn twin(&self, slot: u32) -> Option<u32> {
        let digits = self.index.digits(slot);
        if !self.index.is_self_mirrored(&digits) {
            return None;
        }
        let twin = self.index.slot(&self.index.mirrored(&digits));
        (twin != slot).then_some(twin)
    }
}

impl GroupMap {
    /// `squares`: of every component by its digits.
    fn new(
        layout: &Layout,
        index: &Index,
        group: usize,
        squares: &[Vec<ArrayVec<Square, MAX_ALIKE>>],
    ) -> Self {
        let men = &index.men[index.groups[group].men.clone()];
        // The group's pieces come kings first, then advisors, then elephants: the order of components.
        let parts: ArrayVec<usize, 3> = (0..layout.len())
            .filter(|&c: &usize| men.iter().any(|man| man.piece == layout.piece(c)))
            .collect();
        let total: usize = parts.iter().map(|&c| squares[c].len()).product();
        let digits = (0..total)
            .map(|flat: usize| {
                let mut stride = total;
                let mut all: ArrayVec<Square, 16> = ArrayVec::new();
                for &c in &parts {
                    stride /= squares[c].len();
                    all.extend(squares[c][flat / stride % squares[c].len()].iter().copied());
                }
                index.groups[group].digit(&all).unwrap_or(NO_DIGIT)
            })
            .collect();
        Self { parts, digits }
    }

    /// The stride of one of its parts; `inner` is taken as the last part, and only its values in
    /// the file count.
    fn worth(&self, layout: &Layout, component: usize, inner: usize) -> usize {
        let faster = self.parts.iter().rev().take_while(|&&c: &&usize| c != component);
        let radixes =
            faster.map(|&c| if c == inner { layout.radix(c) } else { layout.components[c].size });
        radixes.map(|radix| radix as usize).product()
    }

    /// The same map with one of its parts last, and of that part only the values in the file.
    fn along(&self, layout: &Layout, inner: usize) -> Self {
        let place = self.parts.iter().position(|&c| c == inner).unwrap_or(0);
        let sizes = self.parts[place + 1..].iter().map(|&c| layout.components[c].size as usize);
        let faster: usize = sizes.product();
        let own = layout.components[inner].size as usize;
        let outers = self.digits.len() / own;
        let digits = (0..outers)
            .flat_map(|outer: usize| {
                // The digits of slower and faster parts with 0 between them, where that of `inner` stood.
                let start = outer / faster * own * faster + outer % faster;
                (0..layout.radix(inner))
                    .map(move |d| start + layout.choice(inner, d) as usize * faster)
            })
            .map(|at| self.digits[at])
            .collect();
        let mut parts = self.parts.clone();
        parts.remove(place);
        parts.push(inner);
        Self { parts, digits }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folding_numbers_the_lower_of_two_mirror_images() {
        // Half of the placements, and half of those that are their own mirror images.
        for (name, count) in [("KPPPvKAABB", 13_219), ("KRRvKP", 2_045), ("KPPPPPvK", 1_740_777)] {
            let components = components(name.parse().unwrap());
            let attackers = components.iter().find(|c| c.count > 1).unwrap();
            let folding = Folding::of(attackers);
            let digits = folding.digits();
            assert_eq!((digits.len(), folding.count), (count as usize, count), "{name}");
            for (number, &digit) in digits.iter().enumerate().step_by(97) {
                assert!(digit <= attackers.mirrored(digit), "{name} {digit}");
                assert_eq!(folding.number(digit), number as u32, "{name} {digit}");
            }
            let sample = (0..attackers.size).step_by(131);
            let mut lower = sample.filter(|&digit| digit <= attackers.mirrored(digit));
            assert!(lower.all(|digit| digits.binary_search(&digit).is_ok()), "{name}");
        }
    }
}
