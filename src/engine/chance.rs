//! The source of random seeds.

use std::time::{SystemTime, UNIX_EPOCH};

use rand::TryRng;
use rand::rngs::SysRng;

/// The seed that was set, or one drawn from the operating system: another for every process. Where
/// the system has none to give, the time must do.
#[must_use]
pub fn seed_or_drawn(set: Option<u64>) -> u64 {
    set.unwrap_or_else(|| SysRng.try_next_u64().unwrap_or_else(|_| time_bits()))
}

/// The time, and the number of the process, which differs where the time does not.
fn time_bits() -> u64 {
    let time = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    time.as_nanos() as u64 ^ u64::from(std::process::id()) << 32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_that_was_set_stays_and_others_differ() {
        assert_eq!(seed_or_drawn(Some(0)), 0);
        let drawn: std::collections::BTreeSet<u64> = (0..20).map(|_| seed_or_drawn(None)).collect();
        assert_eq!(drawn.len(), 20);
    }
}
