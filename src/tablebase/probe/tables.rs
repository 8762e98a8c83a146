//! Answers for positions from a folder of tables.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::hash::BuildHasherDefault;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use crate::bytes::shelf::names_in;
use crate::game::{Game, MoveList, Side};
use crate::hash::KeyHasher;
use crate::message::message;
use crate::tablebase::format::{
    FoldedDigits, Section, Spot, Stored, TableError, TableFile, kind_of_file, material_of_file,
    prepare,
};
use crate::tablebase::material::Material;
use crate::tablebase::probe::cache::BlockCache;
use crate::tablebase::probe::memo::Memo;
use crate::tablebase::value::{Entry, Metric, Rules, Wdl};
use crate::xiangqi::{Move, Piece, Position, Role, Setup, Square};

/// Number of checks and answers that are followed to distinguish a loop from the way to it. A heuristic
/// bound: a way that leads to a loop over more answers than these is taken for the loop itself. That
/// may change which of several winning moves of the same order comes first, never a result.
pub(crate) const LOOP_DEPTH: u32 = 3;

/// The tables of one folder or several with one set of rules and one metric. Tables are opened when
/// first needed, with those that captures lead to, which must be the ones that they were built from;
/// decoded blocks (at most 128 MiB) are kept and shared by all threads.
///
/// ```no_run
/// use std::path::Path;
///
/// use juzhong::tablebase::{GenerateOptions, Metric, NoProgress, Rules, Tables, Wdl, generate_all};
/// use juzhong::xiangqi::Position;
///
/// let folder = Path::new("tables");
/// generate_all(folder, &["KRvK".parse()?], &GenerateOptions::default(), &NoProgress)?;
///
/// let tables = Tables::open(folder, Rules::Check, Metric::Dtm)?;
/// let position = Position::from_fen("3k5/9/9/9/9/9/9/9/4R4/4K4 w")?;
/// let entry = tables.probe(&position)?;
/// assert_eq!(entry.wdl, Wdl::Win);
/// println!("mate in {} plies", entry.distance);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Tables {
    dirs: Vec<PathBuf>,
    rules: Rules,
    metric: Metric,
    present: BTreeSet<Material>,
    /// In the order of `present`: which of the folders has the table.
    homes: Vec<usize>,
    most_men: usize,
    /// By material key of positions: the number of the table, and whether Black is its first side.
    numbers: HashMap<u64, (u32, bool), BuildHasherDefault<KeyHasher>>,
    /// In the order of `present`.
    open: Vec<OnceLock<TableFile>>,
    cache: BlockCache,
    /// By number of the table and spot: values that are not in the files.
    rebuilt: Memo,
}

/// The reasons for which a position could not be looked up: see [`TableError`].
pub type ProbeError = TableError;

/// The table of a position.
#[derive(Debug)]
struct FoundTable<'a> {
    file: &'a TableFile,
    number: u32,
    /// True if Black is its first side.
    swap: bool,
    /// Its side to move.
    side: usize,
}

/// The place of a position's value.
#[derive(Debug)]
struct ValueLocation<'a> {
    file: &'a TableFile,
    number: u32,
    side: usize,
    place: FoldedDigits,
}

impl<'a> FoundTable<'a> {
    /// Returns true if the position's result is not in the file.
    #[inline]
    fn rebuilds_result(&self, position: &Position) -> bool {
        self.file.is_rebuilt(Section::Wdl, self.side) && position.in_check()
    }

    /// The place of the position's value.
    #[inline]
    fn find(self, position: &Position) -> Result<ValueLocation<'a>, ProbeError> {
        let Self { file, number, swap, side } = self;
        let place = file.layout().place(position, swap).ok_or_else(|| TableError::Contents {
            path: file.path().to_owned(),
            what: message!("no place for {}", position.to_fen()),
        })?;
        Ok(ValueLocation { file, number, side, place })
    }
}

impl ValueLocation<'_> {
    /// A number that no other spot of the folder has.
    #[inline]
    fn key(&self, spot: Spot) -> u64 {
        // A spot has 38 bits at most: two of the stream, 18 of the block and 18 of the place.
        u64::from(self.number) << 38 | spot.number()
    }
}

impl Tables {
    /// Opens a folder. What is written into it afterwards is not seen.
    ///
    /// # Errors
    ///
    /// If the folder cannot be read.
    pub fn open(dir: &Path, rules: Rules, metric: Metric) -> Result<Self, TableError> {
        Self::open_all(&[dir.to_owned()], rules, metric)
    }

    /// Opens several folders as if they were one. Of tables that several of them have, those of the
    /// first count.
    ///
    /// # Errors
    ///
    /// If a folder cannot be read.
    pub fn open_all(dirs: &[PathBuf], rules: Rules, metric: Metric) -> Result<Self, TableError> {
        let mut homes = BTreeMap::new();
        for (number, dir) in dirs.iter().enumerate() {
            for name in names_in(dir).map_err(|source| unreadable(dir, source))? {
                if let Some(material) = material_of_file(&name, rules, metric) {
                    homes.entry(material).or_insert(number);
                }
            }
        }
        let present: BTreeSet<Material> = homes.keys().copied().collect();
        // Now, so that the first probe of a search does not wait for it.
        present.iter().copied().for_each(prepare);
        let mut numbers = HashMap::default();
        for (number, &material) in present.iter().enumerate() {
            // The swapped form first: of symmetric materials the plain one stays.
            for swap in [true, false] {
                numbers.insert(material_key(material, swap), (number as u32, swap));
            }
        }
        Ok(Self {
            dirs: dirs.to_vec(),
            rules,
            metric,
            most_men: present.iter().map(Material::men).max().unwrap_or(0),
            numbers,
            open: present.iter().map(|_| OnceLock::new()).collect(),
            present,
            homes: homes.into_values().collect(),
            cache: BlockCache::new(),
            rebuilt: Memo::default(),
        })
    }

    /// The rules and metrics of the tables of a folder, by their files' names, in order.
    ///
    /// # Errors
    ///
    /// If the folder cannot be read.
    pub fn kinds_in(dir: &Path) -> Result<BTreeSet<(Rules, Metric)>, TableError> {
        let names = names_in(dir).map_err(|source| unreadable(dir, source))?;
        Ok(names.iter().filter_map(|name| kind_of_file(name)).collect())
    }

    /// The repetition rules that the tables follow.
    #[must_use]
    pub const fn rules(&self) -> Rules {
        self.rules
    }

    /// The metric of distances.
    #[must_use]
    pub const fn metric(&self) -> Metric {
        self.metric
    }

    /// The materials of the folder.
    #[must_use]
    pub const fn materials(&self) -> &BTreeSet<Material> {
        &self.present
    }

    /// The most pieces (kings included) that any table of the folder has; 0 for an empty folder.
    #[must_use]
    pub const fn most_men(&self) -> usize {
        self.most_men
    }

    /// Returns true if the folder has the table of a position. Cheap: for search, before
    /// [`probe_wdl`](Self::probe_wdl).
    #[must_use]
    pub fn covers(&self, position: &Position) -> bool {
        self.numbers.contains_key(&position.material_key().0)
    }

    /// Forgets all decoded blocks and rebuilt values; for measurements.
    pub fn clear_cache(&self) {
        self.cache.clear();
        self.rebuilt.clear();
    }

    /// Win, draw or loss for the side to move.
    ///
    /// # Errors
    ///
    /// If a table that it needs is missing or damaged: the position's own or one that captures lead
    /// to.
    pub fn probe_wdl(&self, position: &Position) -> Result<Wdl, ProbeError> {
        self.bounded_wdl(position, Wdl::Loss, Wdl::Win)
    }

    /// The full value for the side to move.
    ///
    /// # Errors
    ///
    /// If a table that it needs is missing or damaged.
    pub fn probe(&self, position: &Position) -> Result<Entry, ProbeError> {
        let wdl = self.probe_wdl(position)?;
        self.probe_of(position, wdl)
    }

    /// The full value of a position of this result.
    fn probe_of(&self, position: &Position, wdl: Wdl) -> Result<Entry, ProbeError> {
        if wdl == Wdl::Draw {
            return Ok(Entry::DRAW);
        }
        self.value_at(position, wdl, &self.find(position)?)
    }

    /// The full value of a position of this result, not drawn, found here.
    fn value_at(
        &self,
        position: &Position,
        wdl: Wdl,
        found: &ValueLocation<'_>,
    ) -> Result<Entry, ProbeError> {
        if found.file.is_rebuilt(Section::Distance, found.side) {
            return self.rebuilt_value(position, wdl, found);
        }
        let spot = found.file.spot(Section::Distance, found.side, &found.place);
        let symbol = self.symbol(found, spot)?;
        let (order, distance) = found.file.rank(symbol, spot, wdl)?;
        let mut best = Entry { wdl, order, distance };
        for_each_capture(position, |after| {
            // Only captures of the same result can be better than the stored value.
            if let Some(value) = self.value_if(after, -wdl)? {
                best = best.max(self.metric.before_capture(value));
            }
            Ok(true)
        })?;
        Ok(best)
    }

    /// The value of a position, neither drawn nor with its distance in the file: that of its best
    /// move, which is at distance 1 if a mark says so.
    fn rebuilt_value(
        &self,
        position: &Position,
        wdl: Wdl,
        found: &ValueLocation<'_>,
    ) -> Result<Entry, ProbeError> {
        let spot = found.file.spot(Section::Distance, found.side, &found.place);
        if let Some(value) = self.rebuilt.get(found.key(spot)) {
            return Ok(value);
        }
        let value = self.value_of_best_move(position, wdl, found, spot)?;
        self.rebuilt.put(found.key(spot), value);
        Ok(value)
    }

    fn value_of_best_move(
        &self,
        position: &Position,
        wdl: Wdl,
        found: &ValueLocation<'_>,
        spot: Spot,
    ) -> Result<Entry, ProbeError> {
        let mut best = None;
        for_each_move(position, |after, is_capture| {
            if let Some(value) = self.value_if(after, -wdl)? {
                best = best.max(Some(self.metric.before_move(value, is_capture)));
            }
            Ok(true)
        })?;
        match best {
            None if wdl == Wdl::Win => Err(found.file.damaged(spot)),
            // A lost position with no move that keeps the loss has no move at all.
            None => Ok(Entry::loss(0, 0)),
            Some(best) if wdl == Wdl::Win && best.order > 0 => {
                let is_in_loop = found.file.is_in_loop(self.symbol(found, spot)?, spot)?;
                Ok(if is_in_loop { Entry { distance: 1, ..best } } else { best })
            }
            Some(best) => Ok(best),
        }
    }

    /// The full value after a move from a position whose result is the opposite of `wdl`; `None` if it
    /// has another result: a won position has other moves than winning ones.
    fn value_if(&self, position: &Position, wdl: Wdl) -> Result<Option<Entry>, ProbeError> {
        let table = self.find_table(position)?;
        if wdl == Wdl::Loss && table.rebuilds_result(position) {
            let is_lost = self.bounded_wdl(position, Wdl::Loss, Wdl::Draw)? == Wdl::Loss;
            return is_lost.then(|| self.probe_of(position, wdl)).transpose();
        }
        let found = table.find(position)?;
        // From a lost position every move leads to a win, so that only wins need this look.
        if wdl == Wdl::Loss && self.wdl_at(position, &found, Wdl::Loss, Wdl::Draw)? != Wdl::Loss {
            return Ok(None);
        }
        self.value_at(position, wdl, &found).map(Some)
    }

    /// The result of a position, exact if it lies between `low` and `high`; otherwise a result on
    /// the same side of them: an alpha-beta search of captures over the stored results. A stored
    /// result is never better than the result, and worse only where a capture gives more. Where
    /// none is stored, in check, all moves are searched.
    fn bounded_wdl(&self, position: &Position, low: Wdl, high: Wdl) -> Result<Wdl, ProbeError> {
        let table = self.find_table(position)?;
        if table.rebuilds_result(position) {
            return self.rebuilt_wdl(position, &table.find(position)?, low, high);
        }
        self.wdl_at(position, &table.find(position)?, low, high)
    }

    /// The same of a position in check whose result is not in the file.
    fn rebuilt_wdl(
        &self,
        position: &Position,
        found: &ValueLocation<'_>,
        low: Wdl,
        high: Wdl,
    ) -> Result<Wdl, ProbeError> {
        let key = found.key(found.file.spot(Section::Wdl, found.side, &found.place));
        if let Some(value) = self.rebuilt.get(key) {
            return Ok(value.wdl);
        }
        let mut best = Wdl::Loss;
        for_each_move(position, |after, _is_capture| {
            // Alpha-beta: bounds change places and signs with the side to move, and what is found already
            // raises the lower one.
            best = best.max(-self.bounded_wdl(after, -high, -low.max(best))?);
            Ok(best < high)
        })?;
        // A result at a bound may be better or worse than it says, unless nothing lies beyond that bound.
        // Only exact ones are remembered, for other bounds may ask next.
        let is_exact = (best > low || low == Wdl::Loss) && (best < high || high == Wdl::Win);
        if is_exact {
            self.rebuilt.put(key, Entry { wdl: best, order: 0, distance: 0 });
        }
        Ok(best)
    }

    /// The same of a position whose result is stored here.
    fn wdl_at(
        &self,
        position: &Position,
        found: &ValueLocation<'_>,
        low: Wdl,
        high: Wdl,
    ) -> Result<Wdl, ProbeError> {
        let mut best = self.stored_wdl(found)?;
        if best >= high {
            return Ok(best);
        }
        for_each_capture(position, |after| {
            let value = -self.bounded_wdl(after, -high, -low.max(best))?;
            best = best.max(value);
            Ok(best < high)
        })?;
        Ok(best)
    }

    /// The value of every legal move for the side that makes it, in the order of generation.
    /// Distances count from this position.
    ///
    /// # Errors
    ///
    /// If a table that it needs is missing or damaged.
    pub fn probe_children(&self, position: &Position) -> Result<Vec<(Move, Entry)>, ProbeError> {
        self.children(position, |quiet| self.metric.before_quiet(quiet))
    }

    /// The same with the values of quiet moves as `before_quiet` makes them from those after them.
    fn children(
        &self,
        position: &Position,
        before_quiet: impl Fn(Entry) -> Entry,
    ) -> Result<Vec<(Move, Entry)>, ProbeError> {
        let mut moves = MoveList::new();
        position.legal_moves(&mut moves);
        let mut after = position.clone();
        let mut values = Vec::with_capacity(moves.len());
        for mv in moves {
            let undo = after.make(mv);
            let value = self.probe(&after);
            after.unmake(mv, undo);
            let value = value?;
            let is_capture = undo.captured().is_some();
            let value =
                if is_capture { self.metric.before_capture(value) } else { before_quiet(value) };
            values.push((mv, value));
        }
        Ok(values)
    }

    /// The same without the limit of the metric: moves inside a deciding loop, which need not be
    /// decided before the limit one by one.
    pub(crate) fn loop_children(
        &self,
        position: &Position,
    ) -> Result<Vec<(Move, Entry)>, ProbeError> {
        self.children(position, Entry::before)
    }

    /// The value of every legal move for the side that makes it, best first: wins by order, then
    /// distance; draws; losses, the longest resistance first. Distances count from this position.
    /// Equally good moves come in the order of their squares.
    ///
    /// # Errors
    ///
    /// If a table is missing or damaged.
    pub fn probe_root(&self, position: &Position) -> Result<Vec<(Move, Entry)>, ProbeError> {
        let mut position = position.clone();
        let mut values = self.probe_children(&position)?;
        self.prefer_loops(&mut position, &mut values)?;
        values.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(&b.0)));
        Ok(values)
    }

    /// At distance 1 of a win by rule the position itself is in the deciding loop: there a quiet move
    /// that is no check and stays in the loop comes before every other, and has the position's
    /// value.
    fn prefer_loops(
        &self,
        position: &mut Position,
        values: &mut [(Move, Entry)],
    ) -> Result<(), ProbeError> {
        let own = self.probe(position)?;
        if own.wdl != Wdl::Win || own.order == 0 || own.distance != 1 {
            return Ok(());
        }
        let mut found = false;
        let unlimited = self.without_limit(position, values)?;
        for ((mv, value), &(_, in_loop)) in values.iter_mut().zip(&unlimited) {
            if !stays(position, *mv, in_loop, own.order) || position.gives_check(*mv) {
                continue;
            }
            let undo = position.make(*mv);
            let in_loop = self.in_loop(position, own.order, LOOP_DEPTH);
            position.unmake(*mv, undo);
            if in_loop? {
                *value = own;
                found = true;
            }
        }
        if self.rules == Rules::Asian && !found {
            self.prefer_chases(position, values, &unlimited, own)?;
        }
        Ok(())
    }

    /// The values of the moves of a position, which are `values`, as those inside a loop.
    fn without_limit(
        &self,
        position: &Position,
        values: &[(Move, Entry)],
    ) -> Result<Vec<(Move, Entry)>, ProbeError> {
        let has_limit = self.metric.limit().is_some();
        if has_limit { self.loop_children(position) } else { Ok(values.to_vec()) }
    }

    /// Returns true if a position lost in `order` belongs to the deciding loop, and not only to the
    /// way there: every move but those that lose in a lower order, or by a capture, is a check, and
    /// each of these checks has a quiet answer that leads back into the loop. Answers are followed
    /// `depth` times.
    fn in_loop(&self, position: &mut Position, order: u16, depth: u32) -> Result<bool, ProbeError> {
        for (mv, value) in self.loop_children(position)? {
            let leaves = value.order < order || position.piece_at(mv.to()).is_some();
            if leaves {
                continue;
            }
            if !position.gives_check(mv) {
                return Ok(false);
            }
            if depth > 0 {
                let undo = position.make(mv);
                let answered = self.has_answer(position, order, depth - 1);
                position.unmake(mv, undo);
                if !answered? {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }

    fn has_answer(
        &self,
        position: &mut Position,
        order: u16,
        depth: u32,
    ) -> Result<bool, ProbeError> {
        for (mv, value) in self.loop_children(position)? {
            if !stays(position, mv, value, order) {
                continue;
            }
            let undo = position.make(mv);
            let in_loop = self.in_loop(position, order, depth);
            position.unmake(mv, undo);
            if in_loop? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The table of a material, opened.
    pub(crate) fn file(&self, material: Material) -> Result<&TableFile, ProbeError> {
        // Tables are numbered in the order of their materials.
        let number = self.present.range(..material).count();
        if self.present.contains(&material) {
            self.numbered_file(number as u32, material)
        } else {
            Err(self.missing(material))
        }
    }

    pub(crate) fn missing(&self, material: Material) -> ProbeError {
        let rules = self.rules;
        let metric = self.metric;
        let dir = self.dirs.first().cloned().unwrap_or_default();
        TableError::Missing { material, dir, rules, metric }
    }

    fn numbered_file(&self, number: u32, material: Material) -> Result<&TableFile, ProbeError> {
        let place = &self.open[number as usize];
        if let Some(file) = place.get() {
            return Ok(file);
        }
        // Two threads may open it at once; one of them keeps it.
        let dir = &self.dirs[self.homes[number as usize]];
        let file = TableFile::open(dir, material, self.rules, self.metric)?;
        // The values that captures give are left to the smaller tables: they must be those that it
        // was built from. Missing and damaged ones are errors when they are needed.
        file.check_dependencies(|left| self.file(left).ok().map(|smaller| smaller.header.content))?;
        Ok(place.get_or_init(|| file))
    }

    /// The place of a position's value.
    #[inline]
    fn find(&self, position: &Position) -> Result<ValueLocation<'_>, ProbeError> {
        self.find_table(position)?.find(position)
    }

    /// The table of a position, and its side there.
    #[inline]
    fn find_table(&self, position: &Position) -> Result<FoundTable<'_>, ProbeError> {
        let number = self.numbers.get(&position.material_key().0);
        let Some(&(number, swap)) = number else {
            return Err(self.missing(Material::of(position).0));
        };
        let file = match self.open[number as usize].get() {
            Some(file) => file,
            None => self.numbered_file(number, Material::of(position).0)?,
        };
        let turn = position.turn();
        // A symmetric table has one side to move only: for the other the colours are exchanged.
        let swap = swap || (file.sides() == 1 && turn == Side::Second);
        let side = if swap { !turn } else { turn };
        Ok(FoundTable { file, number, swap, side: side.index() })
    }

    #[inline]
    fn stored_wdl(&self, found: &ValueLocation<'_>) -> Result<Wdl, ProbeError> {
        let spot = found.file.spot(Section::Wdl, found.side, &found.place);
        let symbol = self.symbol(found, spot)?;
        found.file.wdl(symbol, spot)
    }

    /// The symbol stored at a spot, through the cache.
    fn symbol(&self, found: &ValueLocation<'_>, spot: Spot) -> Result<u16, ProbeError> {
        let file = found.file;
        if let Stored::Constant(byte) = file.stored(spot) {
            return Ok(file.constant_symbol(byte, spot));
        }
        let key = u64::from(found.number) << 34 | (spot.stream as u64) << 32 | spot.block as u64;
        if let Some(symbol) = self.cache.read(key, |raw| file.symbol(raw, spot)) {
            return Ok(symbol);
        }
        thread_local! {
            static RAW: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
        }
        RAW.with_borrow_mut(|raw| {
            file.decode(spot.stream, spot.block, raw)?;
            self.cache.put(key, raw.as_slice().into());
            Ok(file.symbol(raw, spot))
        })
    }
}

/// The error of a folder that cannot be read.
fn unreadable(dir: &Path, source: io::Error) -> TableError {
    TableError::Read { path: dir.to_owned(), source }
}

/// Calls `visit` with the position after each legal capture until it returns `false`.
fn for_each_capture(
    position: &Position,
    mut visit: impl FnMut(&Position) -> Result<bool, ProbeError>,
) -> Result<(), ProbeError> {
    let mut captures = MoveList::new();
    position.append_captures(&mut captures);
    make_each(position, &captures, |after, _is_capture| visit(after))
}

/// Calls `visit` with the position after each legal move, and whether that was a capture, until it
/// returns `false`.
fn for_each_move(
    position: &Position,
    visit: impl FnMut(&Position, bool) -> Result<bool, ProbeError>,
) -> Result<(), ProbeError> {
    let mut moves = MoveList::new();
    position.legal_moves(&mut moves);
    make_each(position, &moves, visit)
}

fn make_each(
    position: &Position,
    moves: &[Move],
    mut visit: impl FnMut(&Position, bool) -> Result<bool, ProbeError>,
) -> Result<(), ProbeError> {
    if moves.is_empty() {
        return Ok(());
    }
    let mut after = position.clone();
    for &mv in moves {
        let undo = after.make(mv);
        // Where the walk ends the board is not needed any more: the move is not taken back.
        if !visit(&after, undo.captured().is_some())? {
            break;
        }
        after.unmake(mv, undo);
    }
    Ok(())
}

/// The material key of positions with these pieces; `swap` with the colours exchanged.
fn material_key(material: Material, swap: bool) -> u64 {
    let mut setup = Setup::empty();
    let mut squares = Square::all();
    for side in Side::ALL {
        for role in Role::ALL {
            for _ in 0..material.count(side, role) {
                if let Some(square) = squares.next() {
                    let side = if swap { !side } else { side };
                    setup.board[square.index()] = Some(Piece::new(side, role));
                }
            }
        }
    }
    Position::from_setup_unchecked(&setup).material_key().0
}

/// Returns true if a move of the winner keeps to a win of `order` without a capture.
pub(crate) fn stays(position: &Position, mv: Move, value: Entry, order: u16) -> bool {
    value.wdl == Wdl::Win && value.order == order && position.piece_at(mv.to()).is_none()
}
