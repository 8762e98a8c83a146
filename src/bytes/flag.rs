//! The request to end long work early.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A request to end some work early. Every clone is the same request: the caller sets one, the work looks at
/// another now and then. By [`default`](Self::default) nothing is requested.
///
/// ```
/// use juzhong::bytes::StopFlag;
///
/// let asked = StopFlag::default();
/// let looked_at = asked.clone();
/// assert!(!looked_at.is_set());
/// asked.set();
/// assert!(looked_at.is_set());
/// ```
#[derive(Debug, Clone, Default)]
pub struct StopFlag(Arc<AtomicBool>);

impl StopFlag {
    /// Requests the end.
    pub fn set(&self) {
        // Relaxed: nothing that the other threads read is published by the flag.
        self.0.store(true, Ordering::Relaxed);
    }

    /// Returns true once the end is requested.
    #[must_use]
    pub fn is_set(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// The request that is made when the flag is set, by a signal perhaps.
impl From<Arc<AtomicBool>> for StopFlag {
    fn from(flag: Arc<AtomicBool>) -> Self {
        Self(flag)
    }
}

/// Sets a flag when it goes out of scope, by a panic too: helper threads that watch the flag end then, and so
/// does the scope that waits for them.
#[derive(Debug)]
pub(crate) struct SetAtEnd<'a>(pub(crate) &'a StopFlag);

impl Drop for SetAtEnd<'_> {
    fn drop(&mut self) {
        self.0.set();
    }
}
