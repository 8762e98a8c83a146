//! Positions of a set of pieces and their numbers: the slots.

pub(super) mod board;
pub(super) mod numbering;
pub(super) mod slot_cursor;
