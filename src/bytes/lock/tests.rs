//! Claims, releases, and what stands under the name of a lock.

use super::*;

/// The names of the files and folders in a folder, sorted.
pub(crate) fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).unwrap();
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

/// The lock on a file, which nobody else has.
fn claimed(target: &Path) -> FileLock {
    match FileLock::claim(target).unwrap() {
        Claim::Ours(lock) => lock,
        Claim::Others(process) => panic!("process {process:?} has it"),
    }
}

#[test]
fn one_at_a_time() {
    let folder = tempfile::tempdir().unwrap();
    let target = folder.path().join("a.book");
    let first = FileLock::claim(&target).unwrap();
    assert!(matches!(first, Claim::Ours(_)));
    let second = FileLock::claim(&target).unwrap();
    assert!(matches!(second, Claim::Others(Some(id)) if id == std::process::id()));
    let other = FileLock::claim(&folder.path().join("b.book")).unwrap();
    assert!(matches!(other, Claim::Ours(_)));
    drop((first, other));
    assert_eq!(names(folder.path()), [""; 0]);
    // A lock file that a killed process left is claimed again.
    std::fs::write(folder.path().join(".a.book.lock"), "1234567").unwrap();
    assert!(matches!(FileLock::claim(&target).unwrap(), Claim::Ours(_)));
    assert!(FileLock::claim(&folder.path().join("none/a.book")).is_err());
}

#[test]
fn a_lock_is_taken_with_what_killed_writers_left() {
    let folder = tempfile::tempdir().unwrap();
    let target = folder.path().join("a");
    let part = folder.path().join(".a.part-Xy12Zz");
    std::fs::write(&part, "piece").unwrap();
    let lock = FileLock::take(&target).unwrap();
    assert_eq!(names(folder.path()), [".a.lock"]);
    let others = FileLock::take(&target).unwrap_err();
    assert!(matches!(&others, LockError::Busy(Busy { path, .. }) if *path == target), "{others}");
    // Whoever waits gets it once it is free.
    let ended = std::thread::scope(|scope| {
        let waiting = scope.spawn(|| FileLock::take_within(&target, Duration::from_secs(60)));
        drop(lock);
        waiting.join().unwrap()
    });
    drop(ended.unwrap());
    let missing = FileLock::take(&folder.path().join("none/a")).unwrap_err();
    assert!(matches!(missing, LockError::File { .. }), "{missing}");
}

#[test]
fn what_cannot_be_replaced_gets_no_lock_beside_it() {
    let folder = tempfile::tempdir().unwrap();
    assert!(FileLock::take_for_file(folder.path()).unwrap().is_none());
    assert!(FileLock::take_for_file(&folder.path().join("a")).unwrap().is_some());
    assert_eq!(names(folder.path()), [""; 0]);
}

#[test]
fn sweeps_its_own_only() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path();
    for name in [".a.part-Folder", ".a.part-Other1"] {
        std::fs::create_dir(place.join(name)).unwrap();
    }
    for name in [
        ".a.part-x1Y2z3",
        ".a.part-1.part-x1Y2z3",
        ".ab.part-x1Y2z3",
        "a.part-x1Y2z3",
        ".a.part-x1Y2z3-journal",
        ".a.part-Folder/content",
        ".a.part-Other1/content",
        ".a.part-Other1/notes",
    ] {
        std::fs::write(place.join(name), "").unwrap();
    }
    let lock = claimed(&place.join("a"));
    lock.sweep();
    lock.sweep_folders(|name| name == "content");
    drop(lock);
    assert_eq!(
        names(place),
        [".a.part-1.part-x1Y2z3", ".a.part-Other1", ".ab.part-x1Y2z3", "a.part-x1Y2z3"]
    );
    assert_eq!(names(&place.join(".a.part-Other1")), ["content", "notes"]);
}

/// A writer that moved the old version aside was killed before the new one was there, or after.
#[test]
fn an_old_version_that_stands_aside_comes_back_if_there_is_no_other() {
    let folder = tempfile::tempdir().unwrap();
    let target = folder.path().join("a");
    for old in ["old", "older"] {
        std::fs::write(folder.path().join(".a.old-x1Y2z3"), old).unwrap();
        claimed(&target).sweep();
        assert_eq!(names(folder.path()), ["a"]);
        assert_eq!(std::fs::read(&target).unwrap(), b"old");
    }
}

/// Anything with the name of a lock is left as it is, unless it is one.
#[cfg(unix)]
#[test]
fn nothing_else_is_taken_for_a_lock() {
    use std::os::unix::fs::symlink;
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path();
    std::fs::write(place.join("victim"), "1").unwrap();
    symlink(place.join("victim"), place.join(".link.lock")).unwrap();
    symlink(place.join("gone"), place.join(".dangling.lock")).unwrap();
    std::fs::hard_link(place.join("victim"), place.join(".names.lock")).unwrap();
    std::fs::write(place.join(".notes.lock"), "my notes").unwrap();
    std::fs::write(place.join(".long.lock"), "1".repeat(100)).unwrap();
    std::fs::create_dir(place.join(".folder.lock")).unwrap();
    let made = std::process::Command::new("mkfifo").arg(place.join(".fifo.lock")).status().unwrap();
    assert!(made.success());
    for (name, what) in [
        ("link", "symbolic link"),
        ("dangling", "symbolic link"),
        ("names", "hard links"),
        ("notes", "something in it"),
        ("long", "something in it"),
        ("folder", "a folder"),
        ("fifo", "no regular file"),
    ] {
        let error = FileLock::claim(&place.join(name)).unwrap_err().to_string();
        let lock = format!(".{name}.lock");
        assert!(error.contains(what) && error.contains(&lock), "{error}");
        assert!(place.join(&lock).symlink_metadata().is_ok() && !is_lock(&place.join(&lock)));
    }
    assert_eq!(std::fs::read(place.join("victim")).unwrap(), b"1");
    assert_eq!(std::fs::read(place.join(".notes.lock")).unwrap(), b"my notes");
    assert!(!place.join("gone").exists());
    // A file that replaces a held lock is not removed with it.
    let lock = claimed(&place.join("a"));
    std::fs::rename(place.join("victim"), place.join(".a.lock")).unwrap();
    drop(lock);
    assert_eq!(std::fs::read(place.join(".a.lock")).unwrap(), b"1");
}

#[cfg(unix)]
#[test]
fn links_named_like_leftovers_stay() {
    use std::os::unix::fs::symlink;
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path();
    std::fs::create_dir(place.join("far")).unwrap();
    std::fs::write(place.join("far/content"), "x").unwrap();
    symlink(place.join("far"), place.join(".a.part-abcdef")).unwrap();
    symlink(place.join("far/content"), place.join(".a.part-ABCDEF")).unwrap();
    let lock = claimed(&place.join("a"));
    lock.sweep();
    lock.sweep_folders(|_| true);
    drop(lock);
    assert_eq!(names(place), [".a.part-ABCDEF", ".a.part-abcdef", "far"]);
    assert_eq!(names(&place.join("far")), ["content"]);
}

#[test]
fn many_threads_take_turns() {
    let folder = tempfile::tempdir().unwrap();
    let target = folder.path().join("a");
    let inside = std::sync::atomic::AtomicUsize::new(0);
    let turns = std::sync::atomic::AtomicUsize::new(0);
    let order = std::sync::atomic::Ordering::SeqCst;
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for _ in 0..200 {
                    if let Claim::Ours(lock) = FileLock::claim(&target).unwrap() {
                        assert_eq!(inside.fetch_add(1, order), 0);
                        turns.fetch_add(1, order);
                        inside.fetch_sub(1, order);
                        drop(lock);
                    }
                }
            });
        }
    });
    assert!(turns.into_inner() > 0);
}
