//! Boards, choices, lists and evaluations as people read them in the terminal.

pub(crate) mod bar;
pub(crate) mod describe;
pub(crate) mod evaluation;
pub(crate) mod listing;
pub(crate) mod opening_names;
pub(crate) mod point_values;
pub(crate) mod read_summary;
pub(crate) mod terminal;
pub(crate) mod verdict_explanation;

/// A share in percent; 0 of nothing.
pub(crate) fn percent_of(part: u64, whole: u64) -> f64 {
    100.0 * part as f64 / whole.max(1) as f64
}
