//! The rows of a book under other keys, found by playing through the book from the start position.

use crate::book::file::reader::Book;
use crate::book::file::walk::{BookWalker, for_each_near};
use crate::book::model::error::BookError;
use crate::book::model::move_stats::RowKey;
use crate::game::{Notation, Packed, Symmetric};
use crate::hash::KeyTable;

/// Moves beside the book that are tried in a row.
const DETOUR: usize = 2;

/// Positions tried beside the book, at most.
const MAX_TRIES: u64 = 50_000_000;

/// Calls `visit` with a position of every row that can be reached, the row's place, and its place under the
/// keys of `table` (or the stored ones). Goes along the moves of the book, and where that does not reach all
/// of them, up to two moves beside it. Returns the number of rows that were not reached.
///
/// # Errors
///
/// [`BookError::OtherGame`], [`BookError::Damaged`], and those of `visit`.
pub(crate) fn for_each_rekeyed<G: Symmetric + Notation, E: From<BookError>>(
    book: &Book,
    table: Option<&KeyTable>,
    mut visit: impl FnMut(RowKey, RowKey) -> Result<(), E>,
) -> Result<u64, E> {
    book.expect_game::<G>()?;
    let mut rows = Vec::new();
    book.for_each_place(|place, _, _| {
        rows.push(place);
        Ok(())
    })?;
    let mut walker = BookWalker::<G>::new(book.foreign_keys(), rows);
    walker.enter_all(&G::starts());
    visit_rekeyed(&mut walker, book.foreign_keys(), table, &mut visit)?;
    for plies in 1..=DETOUR {
        if walker.unreached().next().is_none() {
            break;
        }
        let mut tries = MAX_TRIES;
        for mut root in roots::<G>(book, &walker)? {
            if tries == 0 {
                break;
            }
            for_each_near(&mut root, plies, &mut |position| {
                let Some(left) = tries.checked_sub(1) else { return false };
                tries = left;
                // Beyond a position that has rows the walk itself goes on.
                !walker.enter(position)
            });
        }
        visit_rekeyed(&mut walker, book.foreign_keys(), table, &mut visit)?;
    }
    Ok(walker.unreached().count() as u64)
}

/// Walks on from the positions entered and calls `visit` with both places of each legal row: that under
/// `keys` and that under `table`.
fn visit_rekeyed<G: Symmetric, E>(
    walker: &mut BookWalker<'_, G>,
    keys: Option<&KeyTable>,
    table: Option<&KeyTable>,
    visit: &mut impl FnMut(RowKey, RowKey) -> Result<(), E>,
) -> Result<(), E> {
    walker.run_rows(|position, places| {
        let canonical = position.canonical_with(keys);
        let other = position.canonical_with(table);
        for &(key, bits) in places {
            let Some(image) = G::Move::unpack(bits) else { continue };
            let mv = position.played_move(canonical, image);
            if position.is_legal(mv) {
                let to = position.canonical_move(other, mv).pack();
                visit((key, bits), (other.key.to_i64(), to))?;
            }
        }
        Ok(())
    })
}

/// The start, and the positions reached from there along the moves of the book.
fn roots<G: Symmetric + Notation>(
    book: &Book,
    walker: &BookWalker<'_, G>,
) -> Result<Vec<G>, BookError> {
    let mut positions = Vec::new();
    let mut again = BookWalker::<G>::new(book.foreign_keys(), walker.rows().to_vec());
    let entered: Vec<bool> = G::starts().iter().map(|start| again.enter(start)).collect();
    // The walk visits only positions that have rows, so a start without any is added here.
    if !entered.contains(&true) {
        positions.push(G::start());
    }
    again.run(usize::MAX, |_, position| {
        positions.push(position.clone());
        Ok::<(), BookError>(())
    })?;
    Ok(positions)
}
