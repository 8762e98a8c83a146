//! Signals while tables are at work.

use std::sync::Arc;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;

use crate::cli::exit;

/// The work has so long to end in good order after the first signal.
const GRACE: Duration = Duration::from_millis(800);
/// How often the flag is looked at.
const LOOK: Duration = Duration::from_millis(50);

static REQUESTED: LazyLock<Arc<AtomicBool>> = LazyLock::new(Arc::default);

/// Whether a signal asked for the end.
pub(super) fn is_requested() -> bool {
    REQUESTED.load(Ordering::Relaxed)
}

/// Lets the first SIGINT or SIGTERM end the work in good order, with exit code 75, and a second one end
/// the program at once (130, 143). What cannot be ended within [`GRACE`] is left as it is: files
/// appear whole or not at all, and the next run clears up. Also lets writing beyond a limit on the
/// size of files fail as on a full disk, which otherwise is a deadly signal.
pub(super) fn watch() -> std::io::Result<()> {
    for (signal, code) in [(SIGINT, 130), (SIGTERM, 143)] {
        // In this order: the flag is not set yet when the first signal comes.
        flag::register_conditional_shutdown(signal, code, Arc::clone(&REQUESTED))?;
        flag::register(signal, Arc::clone(&REQUESTED))?;
    }
    #[cfg(unix)]
    flag::register(signal_hook::consts::SIGXFSZ, Arc::default())?;
    std::thread::Builder::new().name("signals".to_owned()).spawn(|| {
        while !is_requested() {
            std::thread::sleep(LOOK);
        }
        std::thread::sleep(GRACE);
        eprintln!("juzhong: {}", crate::tablebase::GenerateError::Interrupted);
        std::process::exit(i32::from(exit::INTERRUPTED));
    })?;
    Ok(())
}
