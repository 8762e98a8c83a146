//! Signals while something long is at work.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, LazyLock, OnceLock};
use std::time::Duration;

use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;

use crate::cli::{exit, notice};
use juzhong::bytes::StopFlag;
use juzhong::message::ToMessage;
use juzhong::tablebase::GenerateError;

/// The time that the work has to end in good order after the first signal.
const GRACE: Duration = Duration::from_millis(800);
/// The interval between two looks at the flag.
const POLL_INTERVAL: Duration = Duration::from_millis(50);

static REQUESTED: LazyLock<Arc<AtomicBool>> = LazyLock::new(Arc::default);

/// Returns true once a signal has asked for the end.
pub(crate) fn is_requested() -> bool {
    REQUESTED.load(Ordering::Relaxed)
}

/// Set once a signal asks for the end.
fn requested() -> Arc<AtomicBool> {
    Arc::clone(&REQUESTED)
}

/// Lets the first SIGINT or SIGTERM ask for the end of the work, and a second one end the program at
/// once (exit codes 130 and 143).
pub(crate) fn catch() -> io::Result<()> {
    // Once: if it were caught twice, the first signal would be the second one for the other handler.
    static CAUGHT: OnceLock<Result<(), io::ErrorKind>> = OnceLock::new();
    let caught = CAUGHT.get_or_init(|| register().map_err(|error| error.kind()));
    caught.map_err(io::Error::from)
}

/// Set when the user interrupts the program or the system ends it; the second time ends it at once.
/// Without a handler the first does, as usual.
pub(crate) fn stop_flag() -> StopFlag {
    if let Err(error) = catch() {
        tracing::debug!("no handler for interrupts: {error}");
    }
    requested().into()
}

fn register() -> io::Result<()> {
    // First: where handlers run in the order of their registration, the first signal must find the flag unset.
    count()?;
    for signal in [SIGINT, SIGTERM] {
        flag::register(signal, requested())?;
    }
    Ok(())
}

/// Counts the signals in one thread: two may arrive at the same moment in different ones.
#[cfg(unix)]
fn count() -> io::Result<()> {
    let mut signals = signal_hook::iterator::Signals::new([SIGINT, SIGTERM])?;
    std::thread::Builder::new().name("interrupts".to_owned()).spawn(move || {
        // Counted from 0: the second signal.
        if let Some(second) = signals.forever().nth(1) {
            signal_hook::low_level::exit(if second == SIGINT { 130 } else { 143 });
        }
    })?;
    Ok(())
}

#[cfg(not(unix))]
fn count() -> io::Result<()> {
    for (signal, code) in [(SIGINT, 130), (SIGTERM, 143)] {
        flag::register_conditional_shutdown(signal, code, requested())?;
    }
    Ok(())
}

/// Ends the program with exit code 75 if the building of tablebases does not end within [`GRACE`] after the
/// first signal. It leaves nothing half done: files appear whole or not at all, and the next run clears up.
pub(crate) fn insist() -> io::Result<()> {
    std::thread::Builder::new().name("signals".to_owned()).spawn(|| {
        while !is_requested() {
            std::thread::sleep(POLL_INTERVAL);
        }
        std::thread::sleep(GRACE);
        notice(GenerateError::Interrupted.message());
        std::process::exit(i32::from(exit::INTERRUPTED));
    })?;
    Ok(())
}

/// Ctrl-C at work that may be ended without ending the program, again and again: the first one asks for the end of
/// the work, a second one ends the program at once. While no such work is done it does what it does by default.
#[derive(Debug)]
pub(crate) struct Interruptible {
    is_idle: Arc<AtomicBool>,
    is_asked: Arc<AtomicBool>,
}

impl Interruptible {
    pub(crate) fn catch() -> io::Result<Self> {
        let this = Self { is_idle: Arc::new(AtomicBool::new(true)), is_asked: Arc::default() };
        // Handlers run in the order of their registration: the first signal must find the flag unset.
        flag::register_conditional_default(SIGINT, Arc::clone(&this.is_idle))?;
        flag::register_conditional_shutdown(SIGINT, 130, Arc::clone(&this.is_asked))?;
        flag::register(SIGINT, Arc::clone(&this.is_asked))?;
        Ok(this)
    }

    /// Begins work; the flag is set when it shall end.
    pub(crate) fn begin(&self) -> StopFlag {
        // A flag left from the last work would make the first Ctrl-C of this one end the program.
        self.is_asked.store(false, Ordering::SeqCst);
        self.is_idle.store(false, Ordering::SeqCst);
        Arc::clone(&self.is_asked).into()
    }

    /// Ends work, and what follows from it.
    pub(crate) fn end(&self) {
        self.is_idle.store(true, Ordering::SeqCst);
        self.is_asked.store(false, Ordering::SeqCst);
    }
}
