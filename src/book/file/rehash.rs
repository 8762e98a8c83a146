//! The rows of a book under other keys, found by playing through the book from the start position.

use crate::book::file::reader::Book;
use crate::book::file::walk::Walker;
use crate::book::model::error::BookError;
use crate::book::model::move_stats::Place;
use crate::game::{MoveList, Notation, Packed, Symmetric};
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
pub(in crate::book) fn for_each_rekeyed<G: Symmetric + Notation, E: From<BookError>>(
    book: &Book,
    table: Option<&KeyTable>,
    mut visit: impl FnMut(Place, Place) -> Result<(), E>,
) -> Result<u64, E> {
    book.expect_game::<G>()?;
    let mut rows = Vec::new();
    book.for_each_place(|place, _, _| {
        rows.push(place);
        Ok(())
    })?;
    let mut walker = Walker::<G>::new(book.foreign_keys(), rows);
    walker.enter(&G::start());
    let mut go = |walker: &mut Walker<'_, G>| -> Result<(), E> {
        walker.run_rows(|position, places| {
            let canonical = position.canonical_with(book.foreign_keys());
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
    };
    go(&mut walker)?;
    for plies in 1..=DETOUR {
        if walker.unreached().next().is_none() {
            break;
        }
        let mut tries = MAX_TRIES;
        for position in roots::<G>(book, &walker)? {
            detour(&mut walker, position, plies, &mut tries);
        }
        go(&mut walker)?;
    }
    Ok(walker.unreached().count() as u64)
}

/// The start, and the positions reached from there along the moves of the book.
fn roots<G: Symmetric + Notation>(
    book: &Book,
    walker: &Walker<'_, G>,
) -> Result<Vec<G>, BookError> {
    let mut positions = Vec::new();
    let mut again = Walker::<G>::new(book.foreign_keys(), walker.rows().to_vec());
    if !again.enter(&G::start()) {
        positions.push(G::start());
    }
    again.run(usize::MAX, |_, position| {
        positions.push(position.clone());
        Ok::<(), BookError>(())
    })?;
    Ok(positions)
}

/// Enters the positions of the book that up to `plies` moves lead to, whatever moves they are.
fn detour<G: Symmetric>(
    walker: &mut Walker<'_, G>,
    mut position: G,
    plies: usize,
    tries: &mut u64,
) {
    let mut moves = MoveList::new();
    position.legal_moves(&mut moves);
    for mv in moves {
        let Some(left) = tries.checked_sub(1) else { return };
        *tries = left;
        let undo = position.make(mv);
        if !walker.enter(&position) && plies > 1 {
            detour(walker, position.clone(), plies - 1, tries);
        }
        position.unmake(mv, undo);
    }
}
