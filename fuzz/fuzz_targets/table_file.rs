//! The reader of tables on any bytes.

#![no_main]

use std::sync::LazyLock;

use juzhong::tablebase::{
    GenerateOptions, Material, Metric, NoProgress, Rules, Tables, VerifyOptions, generate_all,
    verify,
};
use juzhong::xiangqi::Position;
use libfuzzer_sys::fuzz_target;
use tempfile::TempDir;

const NAME: &str = "KNvK.check.dtm.jzt";

const POSITIONS: [&str; 6] = [
    "4k4/9/9/9/9/9/9/9/9/N2K5 w",
    "4k4/9/9/9/9/9/9/9/9/N2K5 b",
    "3k5/4N4/9/9/9/9/9/9/9/4K4 b",
    "9/9/5k3/9/9/4N4/9/3K5/9/9 w",
    "9/4k4/9/9/9/9/9/5K3/9/8N b",
    "4k4/9/9/9/9/9/9/3n5/9/3K5 w",
];

/// A folder with KNvK and KvK.
static FOLDER: LazyLock<TempDir> = LazyLock::new(|| {
    let folder = tempfile::tempdir().expect("a folder");
    let options = GenerateOptions::default();
    generate_all(folder.path(), &[material()], &options, &NoProgress).expect("tables");
    folder
});

fn material() -> Material {
    "KNvK".parse().expect("a material")
}

fuzz_target!(|bytes: &[u8]| {
    let dir = FOLDER.path();
    // A new file each time: the old one may still be mapped.
    let path = dir.join(NAME);
    std::fs::remove_file(&path).expect("the last file");
    std::fs::write(&path, bytes).expect("a file");
    let tables = Tables::open(dir, Rules::Check, Metric::Dtm).expect("the folder");
    for fen in POSITIONS {
        let position = Position::from_fen(fen).expect("a position");
        let wdl = tables.probe_wdl(&position);
        if let (Ok(wdl), Ok(entry)) = (wdl, tables.probe(&position)) {
            assert_eq!(wdl, entry.wdl);
        }
        let _moves = tables.probe_root(&position);
    }
    if tables.stats(material()).is_ok() {
        let _found = verify(dir, &[material()], &VerifyOptions::default(), &NoProgress);
    }
});
