//! Days of the calendar, as numbers that can be counted with.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A day, from 1970-01-01 to 9999-12-31 of the Gregorian calendar.
///
/// ```
/// use juzhong::train::Day;
///
/// let day: Day = "2026-02-27".parse()?;
/// assert_eq!(day.after(2).to_string(), "2026-03-01");
/// assert_eq!(day.after(2).days_since(day), 2);
/// assert!("2026-02-29".parse::<Day>().is_err());
/// # Ok::<(), juzhong::train::UnknownDay>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Day(u32);

/// The text that names no day.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error, crate::message::ToMessage)]
#[error("no day from 1970 to 9999; write it as 2026-01-31")]
pub struct UnknownDay;

/// The number of the last day.
const LAST: u32 = 2_932_896;

/// The years, months and days of an era of 400 years, whose first is March 1 of a year that 400 divides; the method is that
/// of Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms" (2013).
const DAYS_OF_ERA: u32 = 146_097;
/// The days from 0000-03-01 to 1970-01-01.
const BEFORE_1970: u32 = 719_468;

impl Day {
    /// The day of a year, a month and a day of it, each from 1; `None` where there is none.
    #[must_use]
    pub fn new(year: u32, month: u32, day: u32) -> Option<Self> {
        let is_known = (1970..=9999).contains(&year) && (1..=12).contains(&month) && day >= 1;
        if !is_known || day > days_of_month(year, month) {
            return None;
        }
        // The year begins in March, so that the leap day is its last.
        let year = if month <= 2 { year - 1 } else { year };
        let (era, year) = (year / 400, year % 400);
        // From March on, each five months have 31, 30, 31, 30 and 31 days: 153 in all.
        let day = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
        let of_era = 365 * year + year / 4 - year / 100 + day;
        Some(Self(era * DAYS_OF_ERA + of_era - BEFORE_1970))
    }

    /// The day a number of days later; the last day where there is none so late.
    #[must_use]
    pub const fn after(self, days: u32) -> Self {
        let number = self.0.saturating_add(days);
        Self(if number > LAST { LAST } else { number })
    }

    /// The number of days from another day to this one; 0 where that is later.
    #[must_use]
    pub const fn days_since(self, other: Self) -> u32 {
        self.0.saturating_sub(other.0)
    }

    /// The year, the month and the day of it.
    const fn parts(self) -> (u32, u32, u32) {
        let days = self.0 + BEFORE_1970;
        let (era, day) = (days / DAYS_OF_ERA, days % DAYS_OF_ERA);
        // Leap days are taken out first (every 4 years, not 100, but 400): then years are alike.
        let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
        let day = day - (365 * year + year / 4 - year / 100);
        let month = (5 * day + 2) / 153;
        let day = day - (153 * month + 2) / 5 + 1;
        let month = if month < 10 { month + 3 } else { month - 9 };
        let year = year + 400 * era;
        (if month <= 2 { year + 1 } else { year }, month, day)
    }
}

/// The number of days of a month.
const fn days_of_month(year: u32, month: u32) -> u32 {
    match month {
        2 if year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400)) => {
            29
        }
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

impl fmt::Display for Day {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (year, month, day) = self.parts();
        write!(f, "{year:04}-{month:02}-{day:02}")
    }
}

impl FromStr for Day {
    type Err = UnknownDay;

    fn from_str(text: &str) -> Result<Self, UnknownDay> {
        // Numbers alone could have signs, and more or fewer digits.
        let is_plain = text.len() == 10 && text.bytes().all(|b| b == b'-' || b.is_ascii_digit());
        let mut parts = text.split('-').map(str::parse);
        match (is_plain, parts.next(), parts.next(), parts.next(), parts.next()) {
            (true, Some(Ok(year)), Some(Ok(month)), Some(Ok(day)), None) => {
                Self::new(year, month, day).ok_or(UnknownDay)
            }
            _ => Err(UnknownDay),
        }
    }
}

impl Serialize for Day {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Day {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_follow_each_other_without_a_gap() {
        let mut day = Day::new(1970, 1, 1).unwrap();
        assert_eq!(day, Day(0));
        for year in 1970..=9999 {
            for month in 1..=12 {
                for of_month in 1..=days_of_month(year, month) {
                    assert_eq!(
                        (Some(day), day.parts()),
                        (Day::new(year, month, of_month), (year, month, of_month))
                    );
                    day = Day(day.0 + 1);
                }
            }
        }
        assert_eq!(day, Day(LAST + 1));
        assert_eq!(Day(LAST).after(1), Day(LAST));
    }

    #[test]
    fn texts_that_name_no_day_are_refused() {
        for text in [
            "",
            "2026-13-01",
            "2026-00-01",
            "2026-1-1",
            "2100-02-29",
            "1969-12-31",
            "2026-01-32",
            "+026-01-01",
            "2026-01-01x",
            "２０２６-01-01",
        ] {
            assert_eq!(text.parse::<Day>(), Err(UnknownDay), "{text}");
        }
        for text in ["1970-01-01", "2000-02-29", "2024-02-29", "9999-12-31"] {
            assert_eq!(text.parse::<Day>().unwrap().to_string(), text);
        }
    }
}
