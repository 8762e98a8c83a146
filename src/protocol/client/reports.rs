//! Lines of play on their way from an engine to whoever shows them, no more of them than somebody can follow.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use crate::protocol::wire::info::InfoLine;

/// Lines that are handed on at once, at most.
const BURST: u32 = 200;
/// The time in which one more may be handed on.
const REFILL: Duration = Duration::from_millis(20);
/// The greatest number of a line that is looked at, of several that an engine reports.
const MAX_LINES: u32 = 512;

/// Hands on what an engine reports. Of lines that come faster than anybody reads, the latest of each number
/// waits, so that a flood costs neither memory nor time.
pub(crate) struct Reports<'a> {
    sink: &'a mut dyn FnMut(&InfoLine),
    /// Those that wait, by their numbers.
    waiting: BTreeMap<u32, InfoLine>,
    budget: u32,
    refilled: Instant,
}

impl<'a> Reports<'a> {
    pub(crate) fn new(sink: &'a mut dyn FnMut(&InfoLine)) -> Self {
        Self { sink, waiting: BTreeMap::new(), budget: BURST, refilled: Instant::now() }
    }

    /// A line has come.
    pub(crate) fn add(&mut self, line: InfoLine) {
        if (1..=MAX_LINES).contains(&line.multipv) {
            self.waiting.insert(line.multipv, line);
            self.hand_on();
        }
    }

    /// Hands on what waits, as far as it may.
    pub(crate) fn hand_on(&mut self) {
        let periods = self.refilled.elapsed().as_millis() / REFILL.as_millis();
        if periods > 0 {
            self.refilled = Instant::now();
            self.budget = self.budget.saturating_add(periods.min(BURST.into()) as u32).min(BURST);
        }
        while self.budget > 0 {
            let Some((_, line)) = self.waiting.pop_first() else { return };
            self.budget -= 1;
            (self.sink)(&line);
        }
    }

    /// Hands on all that waits, at the end.
    pub(crate) fn finish(mut self) {
        std::mem::take(&mut self.waiting).values().for_each(|line| (self.sink)(line));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::wire::info::Info;

    #[test]
    fn of_a_flood_the_last_line_of_each_number_comes_through() {
        let (mut count, mut last) = (0_u32, BTreeMap::new());
        let mut sink = |line: &InfoLine| {
            count += 1;
            last.insert(line.multipv, line.info.depth);
        };
        let mut reports = Reports::new(&mut sink);
        for depth in 1..=50_000 {
            for multipv in [1, 2, 100_000] {
                let info = Info { depth, ..Info::default() };
                reports.add(InfoLine { multipv, info });
            }
        }
        reports.finish();
        assert_eq!(last, BTreeMap::from([(1, 50_000), (2, 50_000)]));
        assert!(count < 20_000, "{count}");
    }
}
