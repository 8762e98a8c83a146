use std::io::{self, Write};

use serde_json::{Value, json};

use super::super::line_args::LineArgs;
use crate::cli::language::{Language, left, wrapped};
use juzhong::book::opening::{Code, Follow, Named, Opening};
use juzhong::game::Line;

/// The names of a position and of those after it: along the moves from the start of a game if they are known,
/// else by what stands on the board.
#[derive(Debug, Clone)]
pub(crate) struct Names<G: Named>(Option<G::Follower>);

impl<G: Named> Names<G> {
    /// At a position whose past is unknown.
    pub(crate) const fn without_past() -> Self {
        Self(None)
    }

    /// At the end of a line that was typed.
    pub(crate) fn along(typed: &LineArgs, line: &Line<G>) -> Self {
        if !typed.is_from_start() {
            return Self::without_past();
        }
        let mut position = line.start().clone();
        let mut names = Self(Some(G::follow(&position)));
        for mv in line.moves() {
            position.make(mv);
            names.push(&position);
        }
        names
    }

    /// The position after one more move.
    pub(crate) fn push(&mut self, position: &G) {
        if let Some(follower) = &mut self.0 {
            follower.push(position);
        }
    }

    /// The name of the present position.
    pub(crate) fn here(&self, position: &G) -> Option<Opening> {
        match &self.0 {
            Some(follower) => follower.opening(),
            None => position.opening(),
        }
    }

    /// The name of the position after one more move.
    pub(crate) fn after(&self, position: &G) -> Option<Opening> {
        let mut next = self.clone();
        next.push(position);
        next.here(position)
    }
}

/// Code and names as fields of an answer, null where there is none.
pub(crate) fn fields<G: Named>(opening: Option<Opening>) -> [(&'static str, Value); 3] {
    [
        (G::CODE_MEMBER, json!(opening.map(|o| o.code.to_string()))),
        ("name", json!(opening.map(|o| o.name))),
        ("name_en", json!(opening.map(|o| o.english_name()))),
    ]
}

/// The name of a code in the language of the program, of its Chinese name and its English one.
pub(crate) fn in_language(code: Code, chinese: &'static str) -> &'static str {
    match Language::current() {
        Language::En => code.english_name().unwrap_or(chinese),
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
