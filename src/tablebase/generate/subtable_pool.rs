//! Finished tables at hand: those that the captures of tables still to build lead to.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::{Arc, Mutex, PoisonError};

use crate::game::Side;
use crate::tablebase::format::TableError;
use crate::tablebase::material::Material;
use crate::tablebase::solve::sub_values::SubValues;
use crate::tablebase::solve::table::Table;
use crate::xiangqi::Role;

/// The values of a table with one side to move: its number in the index.
type Half = (Material, usize);

/// Values of finished tables in memory, one side to move each, since captures need no more: the side
/// that has lost a piece is to move. A table that no table still to build needs is dropped at once;
/// of the rest, the ones needed latest go first when there is too much.
#[derive(Debug)]
pub(crate) struct SubtablePool {
    state: Mutex<PoolState>,
}

#[derive(Debug)]
struct PoolState {
    kept: HashMap<Half, Arc<SubValues>>,
    /// By half: the tables still to build that need it, by their place in the order of building.
    users: HashMap<Half, BTreeSet<usize>>,
    places: HashMap<Material, usize>,
}

/// The tables that captures by a side of a material lead to, and which side of their index is to move
/// then.
pub(crate) fn captures_of(
    material: Material,
    mover: Side,
) -> impl Iterator<Item = (Material, usize)> {
    Role::ALL.into_iter().filter_map(move |role| {
        let (left, swap) = material.without(!mover, role)?;
        let to_move = if swap { mover } else { !mover };
        Some((left, if left.is_symmetric() { 0 } else { to_move.index() }))
    })
}

/// The side of the index that is needed of each table that captures lead to.
pub(crate) fn needed_sides(material: Material) -> BTreeMap<Material, usize> {
    // Only a symmetric material comes to the same table by captures of either side, and then the
    // same side of it is to move.
    Side::ALL.into_iter().flat_map(|mover| captures_of(material, mover)).collect()
}

impl SubtablePool {
    /// A pool for the building of these tables, in this order.
    pub(crate) fn new(to_build: impl Iterator<Item = Material>) -> Self {
        let mut users: HashMap<Half, BTreeSet<usize>> = HashMap::new();
        let mut places = HashMap::new();
        for (place, material) in to_build.enumerate() {
            places.insert(material, place);
            for half in needed_sides(material) {
                users.entry(half).or_default().insert(place);
            }
        }
        Self { state: Mutex::new(PoolState { kept: HashMap::new(), users, places }) }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, PoolState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The tables that captures of a material lead to, each with the words of the side needed; those
    /// not at hand come from `load`.
    pub(crate) fn fetch(
        &self,
        material: Material,
        mut load: impl FnMut(Material, [bool; 2]) -> Result<Table, TableError>,
    ) -> Result<HashMap<Material, Arc<SubValues>>, TableError> {
        let mut found = HashMap::new();
        for half in needed_sides(material) {
            let (left, side) = half;
            // The lock is not held while a table is read. Two threads may read the same one; the first is
            // kept.
            let kept = self.lock().kept.get(&half).map(Arc::clone);
            let table = match kept {
                Some(table) => table,
                None => Arc::new(load(left, [side == 0, side == 1])?.into()),
            };
            self.lock().keep(half, &table);
            found.insert(left, table);
        }
        Ok(found)
    }

    /// Adds a finished table.
    pub(crate) fn put(&self, mut table: Table) {
        let material = table.index.material;
        let words = std::mem::take(&mut table.words);
        let mut state = self.lock();
        for (side, words) in words.into_iter().enumerate() {
            let half = (material, side);
            if state.is_needed(half) {
                let mut halves = vec![Vec::new(); table.index.sides()];
                // A half is kept by itself: captures need one side to move only, and halves are let go of
                // one by one.
                halves[side] = words;
                let index = Arc::clone(&table.index);
                let table = Table { index, words: halves, ranks: table.ranks.clone() };
                state.keep(half, &Arc::new(table.into()));
            }
        }
    }

    /// A table is built: tables that only it needed are dropped.
    pub(crate) fn finished(&self, material: Material) {
        let mut state = self.lock();
        let Some(&place) = state.places.get(&material) else { return };
        let PoolState { users, kept, .. } = &mut *state;
        for half in needed_sides(material) {
            if let Some(places) = users.get_mut(&half) {
                places.remove(&place);
                if places.is_empty() {
                    kept.remove(&half);
                }
            }
        }
    }

    /// Drops tables, those needed latest first, until the rest has at most `most` bytes.
    pub(crate) fn shrink(&self, most: u64) {
        let mut state = self.lock();
        while state.bytes() > most {
            let Some(latest) = state.kept.keys().copied().max_by_key(|half| {
                (state.users.get(half).and_then(BTreeSet::first).copied(), *half)
            }) else {
                return;
            };
            state.kept.remove(&latest);
        }
    }
}

impl PoolState {
    fn is_needed(&self, half: Half) -> bool {
        self.users.get(&half).is_some_and(|users| !users.is_empty())
    }

    fn keep(&mut self, half: Half, table: &Arc<SubValues>) {
        if self.is_needed(half) {
            self.kept.entry(half).or_insert_with(|| Arc::clone(table));
        }
    }

    fn bytes(&self) -> u64 {
        self.kept.values().map(|table| table.bytes()).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tablebase::index::numbering::Index;

    fn material(name: &str) -> Material {
        name.parse().unwrap()
    }

    fn table(name: &str) -> Table {
        let index = Arc::new(Index::new(material(name)).unwrap());
        let words = vec![vec![1; index.slots as usize]; index.sides()];
        Table { index, words, ranks: vec![(0, 1)] }
    }

    /// The tables that captures of a material lead to, by name, and the side needed of each.
    fn sides(name: &str) -> Vec<(String, usize)> {
        let sides = needed_sides(material(name)).into_iter();
        sides.map(|(left, side)| (left.to_string(), side)).collect()
    }

    #[test]
    fn who_lost_a_man_is_to_move() {
        // Red loses the rook: KNvK with the knight's side, Black, not to move.
        assert_eq!(sides("KRvKN"), [("KNvK".to_owned(), 1), ("KRvK".to_owned(), 1)]);
        assert_eq!(sides("KRvKR"), [("KRvK".to_owned(), 1)]);
        assert_eq!(
            sides("KRNvKR"),
            [("KRvKN", 1), ("KRvKR", 0), ("KRNvK", 1)].map(|(n, s)| (n.to_owned(), s))
        );
    }

    /// Every table needs one side of each smaller one, so that a map by material loses nothing.
    #[test]
    fn one_side_suffices() {
        for material in Material::all_up_to(6) {
            let mut sides: BTreeMap<Material, BTreeSet<usize>> = BTreeMap::new();
            for (left, side) in Side::ALL.into_iter().flat_map(|s| captures_of(material, s)) {
                sides.entry(left).or_default().insert(side);
            }
            assert!(sides.values().all(|sides| sides.len() == 1), "{material}");
        }
    }

    #[test]
    fn tables_stay_as_long_as_they_are_needed() {
        let pool = SubtablePool::new(["KRvKN", "KRvKR"].into_iter().map(material));
        pool.put(table("KRvK"));
        pool.put(table("KNvK"));
        pool.put(table("KPvK"));
        assert_eq!(pool.lock().kept.len(), 2);
        let found = pool.fetch(material("KRvKN"), |left, _| panic!("{left}")).unwrap();
        let half = u64::from(Index::count_slots(material("KRvK")).unwrap());
        assert_eq!(found[&material("KRvK")].bytes(), half);
        pool.finished(material("KRvKN"));
        assert_eq!(pool.lock().kept.keys().copied().collect::<Vec<_>>(), [(material("KRvK"), 1)]);
        pool.shrink(10);
        let mut loads = 0;
        let mut load = |left: Material, sides: [bool; 2]| {
            loads += 1;
            assert_eq!((left, sides), (material("KRvK"), [false, true]));
            Ok(table("KRvK"))
        };
        pool.fetch(material("KRvKR"), &mut load).unwrap();
        pool.fetch(material("KRvKR"), &mut load).unwrap();
        assert_eq!(loads, 1);
    }
}
