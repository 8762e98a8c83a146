//! Positions of a set of pieces and their numbers: the slots.

pub(crate) mod board;
pub(crate) mod numbering;
pub(crate) mod slot_cursor;
