//! Shares and other numbers as answers have them.

/// A number with four digits after the point.
pub(crate) fn rounded(number: f64) -> f64 {
    (number * 1e4).round() / 1e4
}

/// The greatest number with four digits after the point that is not above this one.
pub(crate) fn rounded_down(number: f64) -> f64 {
    (number * 1e4).floor() / 1e4
}

/// The share of a part in a whole, from 0 to 1, with four digits after the point; 0 of nothing.
///
/// ```
/// use juzhong::answers::book::share;
///
/// assert_eq!(share(1, 3), 0.3333);
/// assert_eq!(share(0, 0), 0.0);
/// ```
#[must_use]
pub fn share(part: u64, whole: u64) -> f64 {
    if whole == 0 { 0.0 } else { rounded(part as f64 / whole as f64) }
}
