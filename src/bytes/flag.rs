use std::sync::atomic::{AtomicBool, Ordering};

/// Sets a flag when it goes out of scope, by a panic too: helper threads that watch the flag end then, and so
/// does the scope that waits for them.
#[derive(Debug)]
pub(crate) struct RaiseAtEnd<'a>(pub(crate) &'a AtomicBool);

impl Drop for RaiseAtEnd<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}
