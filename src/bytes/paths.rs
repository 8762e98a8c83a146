//! The paths of outputs: which file a path means, its folder, and names that the system can use.

use std::io;
use std::path::{Component, Path, PathBuf};

/// The folder that a file of that path lies in, `.` for a bare name.
#[must_use]
pub fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    }
}

/// The name of a file without its folder, as text.
pub(crate) fn base_name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// The path at which a file lies or would lie: absolute, without links. Two paths that resolve to the same
/// name the same file.
///
/// # Errors
///
/// If the path does not name a file, or one that the system would not let others use; if its folder is missing, and for
/// dangling links.
pub fn resolve(path: &Path) -> io::Result<PathBuf> {
    let name = path.file_name().ok_or_else(|| {
        io::Error::new(io::ErrorKind::InvalidInput, "the path does not name a file")
    })?;
    if cfg!(windows) && !is_name_of_windows(&name.to_string_lossy()) {
        let text = "Windows has no files of such a name (reserved, with one of <>:\"|?*, or with a dot or blank at its end)";
        return Err(io::Error::new(io::ErrorKind::InvalidInput, text));
    }
    // A link stays one: the file that it leads to is replaced, not the link.
    if path.is_symlink() {
        return path.canonicalize().map_err(|e| match e.kind() {
            io::ErrorKind::NotFound => {
                io::Error::new(e.kind(), "a link to a file that does not exist; remove the link")
            }
            _ => e,
        });
    }
    Ok(canonical(folder_of(path))?.join(name))
}

/// The path of what is there, absolute and without links; on Windows in its long form, which has no limit of length.
///
/// # Errors
///
/// If nothing is there, or it cannot be asked.
pub(crate) fn canonical(path: &Path) -> io::Result<PathBuf> {
    match path.canonicalize() {
        // Some file systems of Windows do not know where their files lie.
        Err(_) if cfg!(windows) && path.exists() => std::path::absolute(path),
        canonical => canonical,
    }
}

/// The path of a file or folder whatever folder the process works in: absolute, and without links if it is there; on Windows
/// in the form that people know.
pub(crate) fn lasting(path: &Path) -> PathBuf {
    canonical(path).map_or_else(|_| without_parents(path), without_prefix)
}

/// The absolute path of what is not there, made without the file system: each `..` takes the folder before it away.
fn without_parents(path: &Path) -> PathBuf {
    let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let mut whole = PathBuf::new();
    for part in absolute.components() {
        match part {
            Component::ParentDir => drop(whole.pop()),
            part => whole.push(part),
        }
    }
    whole
}

/// On Windows a path without the prefix of its long form.
fn without_prefix(path: PathBuf) -> PathBuf {
    if !cfg!(windows) {
        return path;
    }
    let text = path.to_str().unwrap_or_default();
    match (text.strip_prefix(r"\\?\UNC\"), text.strip_prefix(r"\\?\")) {
        (Some(share), _) => format!(r"\\{share}").into(),
        (None, Some(plain)) => plain.into(),
        (None, None) => path,
    }
}

/// Returns true if programs on Windows can use a file of that name. Paths in their long form, as [`resolve`] returns
/// them, would make files of other names too, which Explorer cannot open or remove, or streams of other files.
fn is_name_of_windows(name: &str) -> bool {
    const DEVICES: [&str; 6] = ["CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$"];
    // An ending does not help: `NUL.txt` is the device as well.
    let stem = name.split('.').next().unwrap_or_default().trim_end().to_ascii_uppercase();
    let is_port = ["COM", "LPT"].into_iter().any(|kind| {
        let number = stem.strip_prefix(kind);
        number.is_some_and(|number| {
            matches!(number, "1" | "2" | "3" | "4" | "5" | "6" | "7" | "8" | "9" | "¹" | "²" | "³")
        })
    });
    !(DEVICES.contains(&&*stem)
        || is_port
        || name.ends_with(['.', ' '])
        || name.contains(is_reserved_character))
}

/// Returns true for characters that no name on Windows has.
fn is_reserved_character(c: char) -> bool {
    c.is_ascii_control() || "<>:\"|?*".contains(c)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_windows_keeps_for_itself() {
        for name in [
            "aux",
            "AUX.book",
            "con .pgn",
            "Com1",
            "com².pgn",
            "lpt9.x.y",
            "NUL",
            "a.",
            "a ",
            "a:b",
            "a?",
            "a\tb",
        ] {
            assert!(!is_name_of_windows(name), "{name}");
        }
        for name in ["auxiliary.book", "com10", "com", "a.aux", "开局 库.book", ".a.lock", "a b"]
        {
            assert!(is_name_of_windows(name), "{name}");
        }
    }

    #[test]
    fn bare_names_lie_in_the_current_folder() {
        assert_eq!(folder_of(Path::new("x")), Path::new("."));
        assert_eq!(folder_of(Path::new("a/x")), Path::new("a"));
    }
}
