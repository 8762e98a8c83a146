//! What must hold of any file that is taken for a book of another program.

use juzhong::book::Book;
use juzhong::book::interop::{
    BookFormat, DoctorOptions, ImportOptions, Reach, examine, import, repair,
};

/// Examines, mends and imports a file of these bytes.
pub fn check(format: BookFormat, bytes: &[u8]) {
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str| folder.path().join(name);
    std::fs::write(at("book"), bytes).expect("a file");
    let reach = Reach { plies: 1, positions: 20_000, ..Reach::default() };
    let options =
        DoctorOptions { from: Some(format), reach: reach.clone(), ..DoctorOptions::default() };
    if let Ok(diagnosis) = examine(&at("book"), &options) {
        assert!(diagnosis.reached <= diagnosis.rows);
    }
    if repair(&at("book"), &at("clean"), None, &options).is_ok() {
        examine(&at("clean"), &options).expect("a clean copy is a book");
    }
    let options = ImportOptions { from: Some(format), reach, ..ImportOptions::default() };
    if import(&at("book"), &at("own"), &options).is_ok() {
        Book::open(&at("own")).and_then(|book| book.verify()).expect("a sound book");
    }
}
