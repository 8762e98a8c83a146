//! Long work that an interrupt from the keyboard ends.

use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::time::Duration;

use juzhong::bytes::StopFlag;
use pyo3::prelude::*;

/// The interval at which signals are looked for.
pub(crate) const SIGNALS_EVERY: Duration = Duration::from_millis(100);

/// Does `work` in a thread of its own, detached from the interpreter. After a signal whose handler raises an
/// exception, `stop` is set and the exception returned as soon as the work has ended.
pub(crate) fn interruptible<T: Send>(
    py: Python<'_>,
    stop: &StopFlag,
    work: impl FnOnce() -> T + Send,
) -> PyResult<T> {
    let (done, result) = sync_channel(1);
    let (value, raised) = py.detach(move || {
        std::thread::scope(|scope| {
            scope.spawn(move || done.send(work()));
            let mut raised = None;
            loop {
                match result.recv_timeout(SIGNALS_EVERY) {
                    Ok(value) => return (Some(value), raised),
                    // The thread has panicked: leaving the scope passes that on.
                    Err(RecvTimeoutError::Disconnected) => return (None, raised),
                    Err(RecvTimeoutError::Timeout) => {
                        if let Err(error) = Python::attach(|py| py.check_signals()) {
                            stop.set();
                            raised.get_or_insert(error);
                        }
                    }
                }
            }
        })
    });
    match (raised, value) {
        (Some(error), _) => Err(error),
        (None, Some(value)) => Ok(value),
        (None, None) => unreachable!("a panic of the thread was passed on"),
    }
}
