//! Small endgame tables and the positions of one, built once for all tests that only read them.

use std::path::Path;
use std::sync::OnceLock;

use juzhong::tablebase::{
    GenerateOptions, Material, Metric, NoProgress, Rules, Tables, generate_all,
};

use super::brute::Graph;
use super::folder::Folder;

/// Builds tables of the distance to mate in a folder and opens them.
pub(crate) fn build_tables(dir: &Path, names: &[&str], rules: Rules) -> Tables {
    let materials: Vec<Material> = names.iter().map(|name| name.parse().unwrap()).collect();
    build_all_tables(dir, &materials, rules)
}

/// The same, for sets that are not named.
pub(crate) fn build_all_tables(dir: &Path, materials: &[Material], rules: Rules) -> Tables {
    let options = GenerateOptions { rules, ..GenerateOptions::default() };
    generate_all(dir, materials, &options, &NoProgress).unwrap();
    Tables::open(dir, rules, Metric::Dtm).unwrap()
}

/// A folder with the tables of KRvKN and of what captures leave of it.
pub(crate) fn small_tables() -> &'static Path {
    static FOLDER: OnceLock<Folder> = OnceLock::new();
    let build = || {
        let folder = Folder::new();
        build_tables(folder.path(), &["KRvKN"], Rules::Check);
        folder
    };
    FOLDER.get_or_init(build).path()
}

/// A copy of a folder of tables, to be changed.
pub(crate) fn copy_of(folder: &Path) -> Folder {
    let copy = Folder::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let entry = entry.unwrap();
        std::fs::copy(entry.path(), copy.path().join(entry.file_name())).unwrap();
    }
    copy
}

/// A folder with the tables of KRvKN and KCvKN under the rules that perpetual chase loses too.
pub(crate) fn asian_tables() -> &'static Path {
    static FOLDER: OnceLock<Folder> = OnceLock::new();
    let build = || {
        let folder = Folder::new();
        build_tables(folder.path(), &["KRvKN", "KCvKN"], Rules::Asian);
        folder
    };
    FOLDER.get_or_init(build).path()
}

/// A folder with the tables of all sets of up to four men and of KRvKAA, without rules of repetition and
/// under that of perpetual check.
pub(crate) fn tables_of_four_men() -> &'static Path {
    static FOLDER: OnceLock<Folder> = OnceLock::new();
    let build = || {
        let folder = Folder::new();
        let mut materials = Material::all_up_to(4);
        materials.push("KRvKAA".parse().unwrap());
        for rules in [Rules::None, Rules::Check] {
            build_all_tables(folder.path(), &materials, rules);
        }
        folder
    };
    FOLDER.get_or_init(build).path()
}

/// The graph of KRvKN.
pub(crate) fn small_graph() -> &'static Graph {
    static GRAPH: OnceLock<Graph> = OnceLock::new();
    GRAPH.get_or_init(|| Graph::new("KRvKN"))
}
