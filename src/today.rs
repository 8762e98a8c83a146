//! The day of exercises: the library is told it, and never looks at a calendar.

use juzhong::train::Day;

/// Today where this machine is, by its clock and its time zone.
pub(crate) fn today() -> Day {
    use chrono::Datelike;
    let date = chrono::Local::now().date_naive();
    let year = u32::try_from(date.year()).unwrap_or_default();
    let year = year.clamp(1970, 9999);
    Day::new(year, date.month(), date.day()).unwrap_or_default()
}
