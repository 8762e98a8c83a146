//! The user's folders for files of this program, where the conventions of the system have them; `None` where the system
//! does not say which user it is.

use std::path::PathBuf;

use etcetera::{BaseStrategy, choose_base_strategy};

/// The folder of the program in each of the user's folders.
const FOLDER: &str = "juzhong";

/// The folder of settings.
pub(crate) fn config() -> Option<PathBuf> {
    Some(choose_base_strategy().ok()?.config_dir().join(FOLDER))
}

/// The folder of what the user makes.
#[cfg(feature = "web")]
pub(crate) fn data() -> Option<PathBuf> {
    Some(choose_base_strategy().ok()?.data_dir().join(FOLDER))
}

/// The folder of what goes on from one run to the next; that of data where the system has none for it.
pub(crate) fn state() -> Option<PathBuf> {
    let base = choose_base_strategy().ok()?;
    let folder = base.state_dir().unwrap_or_else(|| base.data_dir());
    Some(folder.join(FOLDER))
}

/// The folder of what can be made again.
pub(crate) fn cache() -> Option<PathBuf> {
    Some(choose_base_strategy().ok()?.cache_dir().join(FOLDER))
}
