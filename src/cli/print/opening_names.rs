//! Names of openings in the language of the program.

use std::io::{self, Write};

use crate::language::{Language, left, wrapped};
use juzhong::book::opening::{Code, Opening};

/// The name of a code in the language of the program, of its Chinese name and its English one.
pub(crate) fn in_language(code: Code, chinese: &'static str) -> &'static str {
    match Language::current() {
        Language::En => code.english_name().unwrap_or(chinese),
        Language::Zh => chinese,
    }
}

/// The same of the text of a code, for names that were stored.
pub(crate) fn name_of<'a>(code: &str, chinese: &'a str) -> &'a str {
    match Language::current() {
        Language::En => Code::parse(code).and_then(Code::english_name).unwrap_or(chinese),
        Language::Zh => chinese,
    }
}

/// Both names, that in the language of the program first.
pub(crate) fn in_both(opening: &Opening) -> [&'static str; 2] {
    let (chinese, english) = (opening.name, opening.english_name());
    match Language::current() {
        Language::En => [english, chinese],
        Language::Zh => [chinese, english],
    }
}

/// Writes the code and both names, in 80 columns.
pub(crate) fn write_both(opening: &Opening, out: &mut dyn Write) -> io::Result<()> {
    let mut head = opening.code.to_string();
    for name in in_both(opening) {
        for line in wrapped(name, 76) {
            writeln!(out, "{} {line}", left(&head, 3))?;
            head.clear();
        }
    }
    Ok(())
}
