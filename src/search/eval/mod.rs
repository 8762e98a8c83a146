//! Static evaluations.

mod gomoku;
