//! Reading a table around its damaged parts.

use std::collections::VecDeque;
use std::ops::RangeInclusive;

/// Reads that may fail before the rest is given up.
const FAILURES: u32 = 1024;

/// The extent of a read.
#[derive(Debug)]
pub(crate) enum Scanned {
    /// To the end of the range.
    All,
    /// It failed after the row of this number, if it came to any.
    Until(Option<i64>, rusqlite::Error),
}

/// Reads the rows of a table by their numbers: from the front, then from the back, then from the middle of
/// the rest, and so on. `scan` reads a range upwards, or downwards if asked to. Returns the ranges that could
/// not be read, none if all is well, and the first error. Numbers above `likely` are given up where reading
/// from the back finds nothing.
///
/// # Errors
///
/// Those of `scan`.
pub(crate) fn read_around_damage<E>(
    likely: i64,
    mut scan: impl FnMut(RangeInclusive<i64>, bool) -> Result<Scanned, E>,
) -> Result<(Vec<RangeInclusive<i64>>, Option<rusqlite::Error>), E> {
    let mut lost = Vec::new();
    let mut first = None;
    let mut failures = 0;
    let mut queue = VecDeque::from([i64::MIN..=i64::MAX]);
    while let Some(range) = queue.pop_front() {
        if failures >= FAILURES {
            lost.push(range);
            continue;
        }
        let (mut low, mut high) = range.into_inner();
        let Scanned::Until(last, error) = scan(low..=high, false)? else { continue };
        first.get_or_insert(error);
        low = last.map_or(low, |last| last.saturating_add(1));
        // The greatest number has none after it: `low` is that number then, and nothing is left to read.
        if low > high || last == Some(i64::MAX) {
            continue;
        }
        let Scanned::Until(last, _) = scan(low..=high, true)? else { continue };
        failures += 1;
        high = last.map_or(high, |last| last.saturating_sub(1));
        if high == i64::MAX && low < likely {
            lost.push(likely + 1..=high);
            high = likely;
        }
        if low < high {
            // The sum may need 65 bits. Rounded down, so that neither half is the whole again.
            let middle = ((i128::from(low) + i128::from(high)) >> 1) as i64;
            queue.extend([low..=middle, middle + 1..=high]);
        } else if low == high {
            lost.push(low..=high);
        }
    }
    Ok((joined(lost), first))
}

/// Ranges in order, those that touch made one.
fn joined(mut ranges: Vec<RangeInclusive<i64>>) -> Vec<RangeInclusive<i64>> {
    ranges.sort_unstable_by_key(|range| *range.start());
    let mut joined: Vec<RangeInclusive<i64>> = Vec::new();
    for range in ranges {
        match joined.last_mut() {
            Some(last) if last.end().checked_add(1) == Some(*range.start()) => {
                *last = *last.start()..=*range.end();
            }
            _ => joined.push(range),
        }
    }
    joined
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Reads a table of the rows 1 to 1000, some of which fail.
    fn read(bad: impl Fn(i64) -> bool) -> (Vec<i64>, Vec<RangeInclusive<i64>>) {
        let mut rows = Vec::new();
        let (lost, _) = read_around_damage(10_000, |range, down| {
            let within = (*range.start()).max(1)..=(*range.end()).min(1000);
            let numbers: Vec<i64> = if down { within.rev().collect() } else { within.collect() };
            let mut last = None;
            for number in numbers {
                if bad(number) {
                    return Ok::<_, ()>(Scanned::Until(last, rusqlite::Error::InvalidQuery));
                }
                rows.push(number);
                last = Some(number);
            }
            Ok(Scanned::All)
        })
        .unwrap();
        rows.sort_unstable();
        (rows, lost)
    }

    /// Returns true for rows that fail.
    fn is_hole(n: i64) -> bool {
        (100..120).contains(&n) || n == 500 || (900..903).contains(&n)
    }

    #[test]
    fn all_is_read_but_for_the_holes() {
        assert_eq!(read(|_| false).1, []);
        let (rows, lost) = read(is_hole);
        assert_eq!(rows, (1..=1000).filter(|&n| !is_hole(n)).collect::<Vec<_>>());
        assert_eq!(lost, [100..=119, 500..=500, 900..=902]);
        let (rows, lost) = read(|n| n > 700);
        assert_eq!(rows, (1..=700).collect::<Vec<_>>());
        assert_eq!(*lost[0].start(), 701);
    }
}
