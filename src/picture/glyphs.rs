//! The outlines of characters: those of the page's pieces, and those of coordinates.

use std::collections::HashMap;
use std::sync::LazyLock;

/// Made by `contrib/page/glyphs.py`, as the page in the browser has it: a character and its path a line.
const PIECES: &str = include_str!("../web/page/glyphs.js");

/// Made by the same: a character, its width and its path a line.
const LABELS: &str = include_str!("labels.txt");

/// The side of the box in which characters are drawn.
pub(crate) const BOX: f32 = 250.0;

/// A character of coordinates.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Label {
    /// Its width; the outline is in the middle of the box.
    pub(crate) advance: f32,
    pub(crate) path: &'static str,
}

/// The path of a character of pieces in a box of [`BOX`] units, y downwards.
pub(crate) fn piece_path(character: char) -> Option<&'static str> {
    static PATHS: LazyLock<HashMap<char, &str>> = LazyLock::new(|| {
        let lines = PIECES.lines().filter_map(|line| {
            // Two texts in quotation marks are the parts 1 and 3: the character and its path.
            let mut parts = line.trim().split('"');
            let character = parts.nth(1)?.chars().next()?;
            Some((character, parts.nth(1)?))
        });
        lines.collect()
    });
    PATHS.get(&character).copied()
}

/// A character of coordinates.
pub(crate) fn label(character: char) -> Option<Label> {
    static LABELS_BY_CHARACTER: LazyLock<HashMap<char, Label>> = LazyLock::new(|| {
        let lines = LABELS.lines().filter(|line| !line.starts_with('#'));
        lines.filter_map(read_label).collect()
    });
    LABELS_BY_CHARACTER.get(&character).copied()
}

/// Reads a line of the file of coordinates.
fn read_label(line: &'static str) -> Option<(char, Label)> {
    let mut parts = line.splitn(3, ' ');
    let character = parts.next()?.chars().next()?;
    let advance = parts.next()?.parse().ok()?;
    Some((character, Label { advance, path: parts.next()? }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::picture::outline::segments;

    #[test]
    fn every_character_has_an_outline() {
        for character in "帥仕相俥馬炮兵將士象車砲卒楚河漢界帅车马将汉KABNRCP".chars()
        {
            let path = piece_path(character);
            assert!(path.and_then(segments).is_some(), "{character}");
        }
        for character in "0123456789abcdefghijklmnopqrstuvwxyz一二三四五六七八九".chars() {
            let label = label(character).expect("a label");
            assert!(segments(label.path).is_some(), "{character}");
            assert!((50.0..=BOX).contains(&label.advance), "{character}");
        }
        assert_eq!(piece_path('x'), None);
    }
}
