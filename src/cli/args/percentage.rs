//! Percentages with any number of decimals.

/// A number from 0 to 100.
pub(crate) fn percentage(text: &str) -> Result<f64, String> {
    let number = text.parse().ok().filter(|number| (0.0..=100.0).contains(number));
    number.ok_or_else(|| "a number from 0 to 100 is needed".to_owned())
}

/// A number above 0, up to 100.
pub(crate) fn positive_percentage(text: &str) -> Result<f64, String> {
    let number = percentage(text).ok().filter(|&number| number > 0.0);
    number.ok_or_else(|| "a number above 0, up to 100, is needed".to_owned())
}
