//! Engines of shell: one that behaves, and others that do not.

use std::fs;
use std::path::Path;

use super::folder::Folder;

/// An engine of shell: what it says at `uci` or `ucci`, does at the start of a game and at `go`.
#[derive(Clone, Copy)]
pub(crate) struct FakeEngine<'a> {
    /// Before it reads anything.
    pub(crate) first: &'a str,
    pub(crate) hello: &'a str,
    pub(crate) ready: &'a str,
    pub(crate) new_game: &'a str,
    pub(crate) go: &'a str,
}

/// One that behaves.
pub(crate) const GOOD: FakeEngine<'_> = FakeEngine {
    first: "",
    hello: "uci) echo id name Fake; echo option name Hash type spin default 16 min 1 max 64; \
            echo option name Threads type spin default 1 min 1 max 8; \
            echo option name Eval File type string default x; \
            echo option name MultiPV type spin default 1 min 1 max 5; echo uciok;;",
    ready: "echo readyok",
    new_game: "",
    go: "echo info depth 7 score cp 33 nodes 9 time 2 pv b0c2 b9c7 a0a9; \
         echo info depth 7 multipv 2 score mate 3 nodes 9 pv h2e2; \
         echo bestmove b0c2 ponder b9c7",
};

/// The same in UCCI.
pub(crate) const GOOD_UCCI: FakeEngine<'_> = FakeEngine {
    hello: "ucci) echo id name Alt; echo option usemillisec type check; \
            echo option hashsize type spin default 0; echo ucciok;;",
    go: "echo info depth 7 score 33 pv b0c2; echo bestmove b0c2",
    ..GOOD
};

impl FakeEngine<'_> {
    /// Writes the script `NAME.sh`; returns its path. It notes what it hears in `NAME.heard`, and its process in `ids`.
    pub(crate) fn write(&self, folder: &Folder, name: &str) -> String {
        let Self { first, hello, ready, new_game, go } = self;
        let here = folder.path().display();
        let script = format!(
            "here='{here}'\necho $$ >>\"$here/ids\"\n{first}\n\
             while read -r line; do\necho \"$line\" >>\"$here/{name}.heard\"\ncase \"$line\" in\n\
             {hello}\nisready) {ready};;\nucinewgame) {new_game};;\ngo*) {go};;\nquit) exit;;\nesac\ndone\n"
        );
        folder.write(&format!("{name}.sh"), script)
    }

    /// As [`write`](Self::write); the command line that starts it.
    pub(crate) fn command(&self, folder: &Folder, name: &str) -> String {
        format!("sh '{}'", self.write(folder, name))
    }
}

/// The lines that an engine received, in every run of it.
pub(crate) fn heard(folder: &Folder, name: &str) -> Vec<String> {
    let text = fs::read_to_string(folder.at(&format!("{name}.heard"))).unwrap_or_default();
    text.lines().map(str::to_owned).collect()
}

/// That some processes were started, and none is left, not even one that was started by them.
#[track_caller]
pub(crate) fn all_gone(folder: &Folder) {
    let ids = fs::read_to_string(folder.at("ids")).unwrap_or_default();
    assert!(!ids.is_empty(), "no engine was started");
    let here = folder.path().display().to_string();
    for id in ids.lines() {
        let line = fs::read(Path::new("/proc").join(id).join("cmdline")).unwrap_or_default();
        let line = String::from_utf8_lossy(&line).into_owned();
        assert!(!line.contains(&here), "process {id} is left: {line}");
    }
    for process in fs::read_dir("/proc").into_iter().flatten().flatten() {
        let line = fs::read(process.path().join("cmdline")).unwrap_or_default();
        let line = String::from_utf8_lossy(&line).into_owned();
        assert!(!line.contains(&here) || line.contains("juzhong"), "left: {line}");
    }
}
