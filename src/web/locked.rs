//! Locks that a panic elsewhere leaves usable.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Locks a mutex whose value is whole at every step, whatever happened to those who held it before.
pub(crate) fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
