//! Alpha-beta search.

mod eval;
