//! The clock that searches look at: the system's. WebAssembly without a system has none, and the standard library's
//! clock panics there; what embeds the library names one for it by `set_clock`, and without one no time passes.

#[cfg(not(all(target_family = "wasm", target_os = "unknown")))]
pub use std::time::Instant;

#[cfg(all(target_family = "wasm", target_os = "unknown"))]
pub use host::{Instant, set_clock};

/// The clock of what embeds the library.
#[cfg(all(target_family = "wasm", target_os = "unknown"))]
mod host {
    use std::ops::Add;
    use std::sync::OnceLock;
    use std::time::Duration;

    static CLOCK: OnceLock<fn() -> Duration> = OnceLock::new();

    /// Names the clock: a function that returns the time since some moment, and never less than before. The first call
    /// counts.
    pub fn set_clock(clock: fn() -> Duration) {
        CLOCK.get_or_init(|| clock);
    }

    /// A moment, as the standard library has it where there is a system.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub struct Instant(Duration);

    impl Instant {
        /// The present moment.
        #[must_use]
        pub fn now() -> Self {
            Self(CLOCK.get().map_or(Duration::ZERO, |clock| clock()))
        }

        /// The time since this moment.
        #[must_use]
        pub fn elapsed(&self) -> Duration {
            Self::now().saturating_duration_since(*self)
        }

        /// The time since an earlier moment; none since a later one.
        #[must_use]
        pub const fn saturating_duration_since(&self, earlier: Self) -> Duration {
            self.0.saturating_sub(earlier.0)
        }

        /// The moment after some time, if there is one.
        #[must_use]
        pub const fn checked_add(&self, time: Duration) -> Option<Self> {
            match self.0.checked_add(time) {
                Some(moment) => Some(Self(moment)),
                None => None,
            }
        }
    }

    impl Add<Duration> for Instant {
        type Output = Self;

        fn add(self, time: Duration) -> Self {
            Self(self.0 + time)
        }
    }
}
