//! Generating tables with the sub-sets that they need: order, memory, locks.

pub(super) mod checkpoint;
pub(super) mod estimate;
pub(super) mod generator;
pub(super) mod lock;
pub(super) mod subtable_pool;
