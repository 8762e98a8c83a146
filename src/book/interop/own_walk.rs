//! Finding the positions of one of the program's own books, and the rows that no reader would find.

use std::collections::{BTreeSet, HashSet};
use std::marker::PhantomData;
use std::path::Path;

use crate::book::interop::diagnosis::{Heavy, note_mirrored};
use crate::book::interop::error::InteropError;
use crate::book::interop::hash_scheme::Scheme;
use crate::book::interop::index::Index;
use crate::book::interop::progress::Step;
use crate::book::interop::walk::{Reach, walk};
use crate::game::{MoveList, Notation, Packed, Symmetric};
use crate::gomoku::Board;
use crate::hash::KeyTable;
use crate::xiangqi::Position;

/// The findings of a walk through a book, beside the marks in the [`Index`].
#[derive(Debug, Default)]
pub(crate) struct WalkFindings {
    /// Different positions with legal moves in the book.
    pub(crate) positions: u64,
    /// True if the walk ended at its limit.
    pub(crate) is_cut: bool,
    /// The rows under keys or moves by which no reader looks.
    pub(crate) astray: Vec<usize>,
    /// The rows of one move under two of its images.
    pub(crate) mirrored: Vec<[usize; 2]>,
}

/// A game whose books can be examined.
pub(crate) trait Searched: Symmetric + Notation {
    /// Walks through a book whose keys are those of `keys`, or the stored ones. Marks the rows that it
    /// reaches and notes where their moves lead.
    fn search(
        path: &Path,
        keys: Option<&KeyTable>,
        index: &mut Index,
        heavy: &mut Heavy,
        reach: &Reach,
    ) -> Result<WalkFindings, InteropError>;
}

impl Searched for Position {
    fn search(
        path: &Path,
        keys: Option<&KeyTable>,
        index: &mut Index,
        heavy: &mut Heavy,
        reach: &Reach,
    ) -> Result<WalkFindings, InteropError> {
        let scheme = Scheme::own(keys);
        let mut mirrored = Vec::new();
        let mut astray = Vec::new();
        let walked = walk(path, &scheme, index, reach, &mut |position: &Self, hits| {
            note_mirrored(position, hits, &mut mirrored);
            heavy.note_hits(&scheme, position, hits);
            let keys = [false, true].map(|mirror| scheme.key(position, mirror));
            let least = keys[0].min(keys[1]);
            let most = keys[0].max(keys[1]);
            if least != most {
                astray.push(most);
            }
            Ok(())
        })?;
        Ok(WalkFindings {
            positions: walked.positions,
            is_cut: walked.is_cut,
            astray: astray.into_iter().flat_map(|key| index.of(key)).collect(),
            mirrored: mirrored.into_iter().map(|(one, other)| [one, other]).collect(),
        })
    }
}

impl Searched for Board {
    fn search(
        path: &Path,
        keys: Option<&KeyTable>,
        index: &mut Index,
        heavy: &mut Heavy,
        reach: &Reach,
    ) -> Result<WalkFindings, InteropError> {
        let seen = HashSet::new();
        let found = WalkFindings::default();
        let mut walker: Walker<'_, Self> =
            Walker { path, keys, index, heavy, reach, seen, looked: 0, found, game: PhantomData };
        walker.run()?;
        Ok(walker.found)
    }
}

/// A walk by the book's moves from the starts of a game, and by one other ply in between.
struct Walker<'a, G> {
    path: &'a Path,
    keys: Option<&'a KeyTable>,
    index: &'a mut Index,
    heavy: &'a mut Heavy,
    reach: &'a Reach,
    /// Canonical keys of the positions reached.
    seen: HashSet<u64>,
    /// Positions examined for plies that are not in the book.
    looked: u64,
    found: WalkFindings,
    game: PhantomData<G>,
}

impl<G: Symmetric + Notation> Walker<'_, G> {
    fn run(&mut self) -> Result<(), InteropError> {
        for mut start in G::starts() {
            self.descend(&mut start)?;
        }
        if self.reach.plies > 0 {
            let mut stepped = HashSet::new();
            for mut start in G::starts() {
                self.step(&mut start, &mut stepped)?;
            }
        }
        Ok(())
    }

    fn key(&self, position: &G) -> u64 {
        position.canonical_with(self.keys).key.0
    }

    /// Marks the rows of a position and of those that the book's moves lead to from there.
    fn descend(&mut self, position: &mut G) -> Result<(), InteropError> {
        let canonical = position.canonical_with(self.keys);
        if !self.seen.insert(canonical.key.0) {
            return Ok(());
        }
        self.reach.check_stop(self.path)?;
        let images = 0..position.symmetries();
        // In the order of the keys: what is found first is given as an example.
        let images: BTreeSet<u64> =
            images.map(|s| position.symmetric_key(s, self.keys).0).collect();
        for key in images.into_iter().filter(|&key| key != canonical.key.0) {
            self.found.astray.extend(self.index.of(key));
        }
        let rows = self.index.of(canonical.key.0);
        let mut moves = Vec::with_capacity(rows.len());
        for row in rows.clone() {
            let image = G::Move::unpack(self.index.row(row).mv);
            let mv = image.map(|image| position.played_move(canonical, image));
            let mv = mv.filter(|&mv| position.is_legal(mv));
            self.index.mark(row, mv.is_some());
            let Some(mv) = mv else { continue };
            moves.push((row, mv));
            let packed = position.canonical_move(canonical, mv).pack();
            if packed != self.index.row(row).mv {
                match rows.clone().find(|&other| self.index.row(other).mv == packed) {
                    Some(twin) => self.found.mirrored.push([twin, row]),
                    None => self.found.astray.push(row),
                }
            }
        }
        if moves.is_empty() {
            return Ok(());
        }
        self.found.positions += 1;
        let reached = self.index.reached() as u64;
        let of = self.index.rows().len() as u64;
        self.reach.progress.report(Step::Walking, reached, of);
        // Recursion is as deep as a game is long: each stone takes a point of the board.
        for (row, mv) in moves {
            let undo = position.make(mv);
            let keys = self.keys;
            self.heavy.note(row, || vec![position.canonical_with(keys).key.0]);
            let descended = self.descend(position);
            position.unmake(mv, undo);
            descended?;
        }
        Ok(())
    }

    fn step_on(
        &mut self,
        position: &mut G,
        key: u64,
        stepped: &mut HashSet<u64>,
    ) -> Result<(), InteropError> {
        if self.index.has_unreached(key) {
            self.descend(position)?;
        }
        if self.seen.contains(&key) {
            self.step(position, stepped)?;
        }
        Ok(())
    }

    /// Tries every move in a position and in those that the book's moves lead to from there, for rows that are
    /// not reached yet.
    fn step(&mut self, position: &mut G, stepped: &mut HashSet<u64>) -> Result<(), InteropError> {
        let key = self.key(position);
        if self.index.is_exhausted() || !stepped.insert(key) {
            return Ok(());
        }
        if self.looked >= self.reach.positions {
            self.found.is_cut = true;
            return Ok(());
        }
        self.reach.check_stop(self.path)?;
        let mut moves = MoveList::new();
        position.legal_moves(&mut moves);
        self.looked += moves.len() as u64;
        for mv in moves {
            let undo = position.make(mv);
            let after = self.key(position);
            let gone = self.step_on(position, after, stepped);
            position.unmake(mv, undo);
            gone?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::book::file::reader::{Book, BookEntry};
    use crate::book::interop::issue::Issue;
    use crate::book::interop::own_book::OwnWriter;
    use crate::book::interop::{DoctorOptions, examine_gomoku, repair_gomoku};
    use crate::book::model::annotation::Annotation;
    use crate::book::model::move_stats::MoveStats;
    use crate::bytes::StopFlag;
    use crate::game::Game;
    use crate::gomoku::Point;

    fn after(line: &str) -> Board {
        let moves = line.split_whitespace().map(|text| Point::parse(text).unwrap());
        moves.fold(Board::start(), |board, mv| board.play(mv).unwrap())
    }

    fn entry(key: u64, mv: u16) -> BookEntry {
        let stats = MoveStats { games: 1, draws: 1, ..MoveStats::default() };
        BookEntry { key: key.cast_signed(), mv, stats, weight: None, mark: Annotation::default() }
    }

    /// The row of a move of a position, as a build writes it.
    fn row(line: &str, mv: &str) -> BookEntry {
        let (board, mv) = (after(line), Point::parse(mv).unwrap());
        let canonical = board.canonical();
        entry(canonical.key.0, board.canonical_move(canonical, mv).pack())
    }

    /// A row after h8 under another image of its move.
    fn other_image(mv: &str) -> BookEntry {
        let (centre, mv) = (after("h8"), Point::parse(mv).unwrap());
        let image = (0..8).map(|s| centre.map_move(mv, s)).max().unwrap();
        entry(centre.canonical().key.0, image.pack())
    }

    fn write(path: &Path, mut entries: Vec<BookEntry>) {
        entries.sort_by_key(|entry| (entry.key, entry.mv));
        let mut writer = OwnWriter::create(path, &StopFlag::default()).unwrap();
        entries.iter().for_each(|entry| writer.add(entry).unwrap());
        writer.finish::<Board>(&[]).unwrap();
    }

    fn found(path: &Path, plies: u8) -> (Vec<(Issue, u64)>, u64) {
        let reach = Reach { plies, ..Reach::default() };
        let options = DoctorOptions { reach, ..DoctorOptions::default() };
        let diagnosis = examine_gomoku(path, &options).unwrap();
        let issues = diagnosis.findings.iter().map(|found| (found.issue, found.count));
        (issues.collect(), diagnosis.unreached)
    }

    #[test]
    fn rows_that_no_reader_finds_are_faults() {
        let folder = tempfile::tempdir().unwrap();
        let [whole, sick, clean] =
            ["healthy", "sick", "clean"].map(|name| folder.path().join(name));
        let healthy = [row("", "h8"), row("h8", "h9"), row("h8 h9", "a1"), row("h8 h9 a1", "b2")];
        write(&whole, healthy.to_vec());
        assert_eq!(found(&whole, 0), (vec![], 0));
        // A stone stands there.
        let occupied =
            entry(row("h8", "h9").key.cast_unsigned(), Point::parse("h8").unwrap().pack());
        // Another image of the position.
        let board = after("h8 h9 a1");
        let image = (0..8).map(|s| board.symmetric_key(s, None)).max().unwrap();
        let astray = entry(image.0, row("h8 h9 a1", "b2").mv);
        // Another image of a move that has a row, and of one that has none.
        let faults = [occupied, astray, other_image("h9"), other_image("i9")];
        write(&sick, healthy.iter().chain(&faults).cloned().collect());
        let expected =
            vec![(Issue::NotCanonical, 2), (Issue::IllegalMove, 1), (Issue::MirrorDuplicate, 1)];
        assert_eq!(found(&sick, 0), (expected, 1), "the row under another image");
        let report = repair_gomoku(&sick, &clean, &DoctorOptions::default());
        assert_eq!(report.unwrap().dropped, 3);
        assert_eq!(found(&clean, 0).0, [(Issue::MirrorDuplicate, 1)]);
        Book::open(&clean).unwrap().verify().unwrap();
    }

    #[test]
    fn other_plies_reach_what_stands_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("book");
        write(&path, vec![row("", "h8"), row("h8 a2", "c3"), row("h8 a2 c3", "d4")]);
        assert_eq!(found(&path, 0), (vec![], 2));
        assert_eq!(found(&path, 1), (vec![], 0));
    }

    #[test]
    fn a_file_that_is_no_book_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("book");
        std::fs::write(&path, "SQLite format 4").unwrap();
        let error = examine_gomoku(&path, &DoctorOptions::default()).unwrap_err();
        assert!(matches!(error, InteropError::NotOwn { .. }), "{error}");
    }
}
