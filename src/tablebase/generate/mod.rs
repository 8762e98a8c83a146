//! Generating tables with the sub-sets that they need: order, memory, locks.

pub(crate) mod checkpoint;
pub(crate) mod estimate;
pub(crate) mod generator;
pub(crate) mod lock;
pub(crate) mod options;
pub(crate) mod subtable_pool;
