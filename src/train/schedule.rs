//! The schedule by which an exercise comes again: the algorithm SM-2 of P. A. Woźniak ("Optimization of learning", Poznań 1990, section
//! 3.2: "Application of a computer to improve the results obtained in working with the SuperMemo method"), in whole days
//! and hundredths.
//!
//! The quality of an answer, which SM-2 has people state, is what the program saw: 5 for a move found at once, 3 for one
//! found with a hint, 1 for a wrong one. Two things are added: an interval has an upper bound, and an exercise that is
//! answered before its day keeps it, unless the answer is wrong.

use serde::{Deserialize, Serialize};

use super::day::Day;

/// The answer to an exercise, as it counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Grade {
    /// Right at once.
    Right,
    /// Right after a hint.
    Hinted,
    /// Wrong, or given up.
    Wrong,
}

/// The ease of an exercise that was never answered, in hundredths.
const FIRST_EASE: u16 = 250;
/// The least ease.
const LEAST_EASE: u16 = 130;
/// The most ease that a file may state: a century of right answers.
const MOST_EASE: u16 = 10_000;
/// The longest interval, in days: ten years.
const LONGEST: u32 = 3_650;

/// The state of an exercise in the schedule.
///
/// ```
/// use juzhong::train::{Day, Grade, Schedule};
///
/// let mut day: Day = "2026-01-01".parse()?;
/// let mut schedule = Schedule::default();
/// for next in ["2026-01-02", "2026-01-08", "2026-01-25"] {
///     assert!(schedule.is_due(day));
///     schedule.answer(Grade::Right, day);
///     day = next.parse()?;
///     assert_eq!(schedule.due, Some(day));
/// }
/// schedule.answer(Grade::Wrong, day);
/// assert_eq!(schedule.due, Some(day.after(1)));
/// # Ok::<(), juzhong::train::UnknownDay>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Schedule {
    /// The day from which on it is due; `None` if it was never answered: then it is.
    pub due: Option<Day>,
    /// The day of the last answer.
    pub last: Option<Day>,
    /// Days from the last answer that counted to the day on which it is due.
    pub interval: u32,
    /// Right answers that counted since the last wrong one.
    pub streak: u32,
    /// The factor by which intervals grow, in hundredths.
    pub ease: u16,
    /// Right answers, those with a hint among them.
    pub right: u32,
    /// Wrong answers.
    pub wrong: u32,
}

impl Default for Schedule {
    /// An exercise that was never answered.
    fn default() -> Self {
        Self { due: None, last: None, interval: 0, streak: 0, ease: FIRST_EASE, right: 0, wrong: 0 }
    }
}

impl Schedule {
    /// Returns true if the exercise is due on a day.
    #[must_use]
    pub fn is_due(&self, day: Day) -> bool {
        self.due.is_none_or(|due| due <= day)
    }

    /// Returns true if the exercise was never answered.
    #[must_use]
    pub const fn is_new(&self) -> bool {
        self.due.is_none()
    }

    /// Notes an answer of a day.
    pub fn answer(&mut self, grade: Grade, day: Day) {
        let is_due = self.is_due(day);
        self.last = Some(day);
        match grade {
            Grade::Wrong => {
                self.wrong = self.wrong.saturating_add(1);
                self.streak = 0;
                self.come_again_in(1, day);
            }
            Grade::Right | Grade::Hinted => {
                self.right = self.right.saturating_add(1);
                if is_due {
                    self.advance(grade, day);
                }
            }
        }
    }

    /// Goes on to the next interval: 1 day, 6 days, and then the last one times the ease, rounded up.
    fn advance(&mut self, grade: Grade, day: Day) {
        let interval = match self.streak {
            0 => 1,
            1 => 6,
            _ => {
                let interval = (u64::from(self.interval) * u64::from(self.ease)).div_ceil(100);
                // A file may state an interval of no days.
                interval.clamp(1, LONGEST.into()) as u32
            }
        };
        self.streak = self.streak.saturating_add(1);
        // 0.1 - (5 - q) * (0.08 + (5 - q) * 0.02), for q of 5 and 3.
        self.ease = match grade {
            Grade::Hinted => self.ease.saturating_sub(14).max(LEAST_EASE),
            Grade::Right | Grade::Wrong => self.ease.saturating_add(10).min(MOST_EASE),
        };
        self.come_again_in(interval, day);
    }

    fn come_again_in(&mut self, interval: u32, day: Day) {
        self.interval = interval;
        self.due = Some(day.after(interval));
    }

    /// Returns true if the numbers can be those of a schedule.
    #[must_use]
    pub(crate) fn is_sound(&self) -> bool {
        (LEAST_EASE..=MOST_EASE).contains(&self.ease)
            && self.interval <= LONGEST
            && self.due.is_some() == self.last.is_some()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn grade() -> impl Strategy<Value = Grade> {
        prop_oneof![Just(Grade::Right), Just(Grade::Hinted), Just(Grade::Wrong)]
    }

    /// The intervals of SM-2 with ease 2.5 and answers of quality 5, by its formulas in floating point.
    #[test]
    fn intervals_are_those_of_the_published_formulas() {
        let mut schedule = Schedule::default();
        let mut day = Day::new(2026, 1, 1).unwrap();
        let (mut ease, mut interval) = (2.5_f64, 0.0_f64);
        for number in 1..7 {
            interval = match number {
                1 => 1.0,
                2 => 6.0,
                _ => (interval * ease - 1e-9).ceil(),
            };
            ease += 0.1;
            schedule.answer(Grade::Right, day);
            assert_eq!(f64::from(schedule.interval), interval, "{number}");
            day = schedule.due.unwrap();
        }
    }

    #[test]
    fn an_interval_of_no_days_grows_all_the_same() {
        let day = Day::new(2026, 1, 1).unwrap();
        let (due, last) = (Some(day), Some(day));
        let mut schedule = Schedule { due, last, streak: 7, ..Schedule::default() };
        assert!(schedule.is_sound());
        schedule.answer(Grade::Right, day);
        assert_eq!(schedule.due, Some(day.after(1)));
    }

    proptest! {
        #[test]
        fn a_schedule_stays_sound_and_never_goes_back(
            answers in proptest::collection::vec((grade(), 0_u32..400), 0..60)
        ) {
            let mut schedule = Schedule::default();
            let mut day = Day::new(2026, 1, 1).unwrap();
            for (number, (grade, days)) in answers.into_iter().enumerate() {
                day = day.after(days);
                let before = schedule.clone();
                schedule.answer(grade, day);
                prop_assert!(schedule.is_sound());
                prop_assert!(schedule.due.unwrap() > day);
                prop_assert_eq!(schedule.right + schedule.wrong, number as u32 + 1);
                prop_assert!(grade == Grade::Wrong || !before.is_due(day) || schedule.streak == before.streak + 1);
                prop_assert!(grade == Grade::Wrong || before.is_due(day) || schedule.due == before.due);
                let text = serde_json::to_string(&schedule).unwrap();
                prop_assert_eq!(serde_json::from_str::<Schedule>(&text).unwrap(), schedule.clone());
            }
        }
    }
}
