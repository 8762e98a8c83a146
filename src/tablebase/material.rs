//! The material of a table: the pieces of both sides.

use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;

use crate::game::{BySide, Side};
use crate::xiangqi::{Position, Role};

/// The pieces of both sides, in canonical form: `KRvKAABB`. The stronger side comes first: counts of
/// rooks, horses, cannons, pawns, advisors, elephants are compared in this order, and the side with
/// more of the first kind in which they differ is the stronger. The set with colours exchanged is
/// the same material.
///
/// ```
/// use juzhong::tablebase::Material;
/// use juzhong::xiangqi::Position;
///
/// let material: Material = "KRvKN".parse()?;
/// assert_eq!(material.men(), 4);
/// // The stronger side comes first, whoever it is.
/// assert_eq!("KNvKR".parse::<Material>()?, material);
/// let position = Position::from_fen("3k1r3/9/9/9/9/9/9/9/4N4/4K4 w")?;
/// assert_eq!(Material::of(&position), (material, true));
/// // What captures leave: the rook alone, the horse alone.
/// assert_eq!(material.captures().len(), 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Material {
    counts: [[u8; 7]; 2],
}

/// The reasons for which a text names no material.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error, crate::message::ToMessage)]
#[non_exhaustive]
pub enum MaterialError {
    /// Not two sides with a `v` between.
    #[error("\"{0}\" does not name two sides with a v between, as in KRvKAABB")]
    Sides(String),
    /// A letter that is no piece.
    #[error("'{letter}' in \"{text}\" is no man; use K A B N R C P (E for B and H for N also)")]
    Letter {
        /// The letter.
        letter: char,
        /// The whole text.
        text: String,
    },
    /// Each side has exactly one king.
    #[error("\"{text}\" has {kings} kings on one side; each side has exactly one")]
    Kings {
        /// The whole text.
        text: String,
        /// The number of kings of that side.
        kings: usize,
    },
    /// More pieces of a kind than a set holds.
    #[error("\"{text}\" has {count} {letter} on one side; a set holds {limit}")]
    TooMany {
        /// The whole text.
        text: String,
        /// The letter of the piece.
        letter: char,
        /// Its number in the text.
        count: usize,
        /// Its number in a set.
        limit: u8,
    },
    /// A star that does not end a side.
    #[error("\"{0}\" has a * that does not end a side; write it as in KRNvK*")]
    Star(String),
    /// A pattern where one material is wanted.
    #[error("\"{0}\" names several materials; name one, as in KRvKAABB")]
    Several(String),
}

/// Bytes of a name at most: no set needs as many.
pub(crate) const MAX_NAME: usize = 64;

/// Pieces on a full board.
const MAX_MEN: usize = 32;

impl Material {
    /// From counts by role, either side first.
    #[must_use]
    pub fn new(first: [u8; 7], second: [u8; 7]) -> Self {
        Self::with_swap(first, second).0
    }

    /// From counts by role; also whether the sides had to be exchanged.
    #[must_use]
    pub(crate) fn with_swap(first: [u8; 7], second: [u8; 7]) -> (Self, bool) {
        let swap = second > first;
        (Self { counts: if swap { [second, first] } else { [first, second] } }, swap)
    }

    /// The material of a position, and whether Black is its first side.
    #[must_use]
    pub fn of(position: &Position) -> (Self, bool) {
        let BySide { first, second } = position.material();
        Self::with_swap(first, second)
    }

    /// Reads a name; also whether the side named first is the second of the canonical name.
    ///
    /// # Errors
    ///
    /// If the text names no possible material.
    pub fn parse_as_asked(text: &str) -> Result<(Self, bool), MaterialError> {
        let shown: String = text.chars().take(MAX_NAME).collect();
        if text.contains('*') {
            return Err(MaterialError::Several(shown));
        }
        let sides: Vec<&str> = text.split(['v', 'V']).collect();
        let &[first, second] = sides.as_slice() else { return Err(MaterialError::Sides(shown)) };
        if text.len() > MAX_NAME {
            return Err(MaterialError::Sides(shown));
        }
        Ok(Self::with_swap(parse_side(first, &shown)?, parse_side(second, &shown)?))
    }

    /// Number of pieces of a role on a side, [`Side::First`] being the stronger.
    #[must_use]
    pub const fn count(&self, side: Side, role: Role) -> u8 {
        self.counts[side.index()][role.index()]
    }

    /// The name with either side first; that with the stronger side first is canonical.
    #[must_use]
    pub fn name(&self, first: Side) -> String {
        self.letters(first).chain(std::iter::once('v')).chain(self.letters(!first)).collect()
    }

    /// The letters of a side's pieces.
    fn letters(&self, side: Side) -> impl Iterator<Item = char> + '_ {
        Role::ALL
            .into_iter()
            .flat_map(move |role| std::iter::repeat_n(role.letter(), self.count(side, role).into()))
    }

    /// Number of pieces, kings included.
    #[must_use]
    pub fn men(&self) -> usize {
        self.counts.iter().flatten().map(|&count| usize::from(count)).sum()
    }

    /// Returns true if both sides have the same pieces.
    #[must_use]
    pub fn is_symmetric(&self) -> bool {
        self.counts[0] == self.counts[1]
    }

    /// The material without a piece of that side and role, and true if the sides change places in
    /// the canonical name. `None` for kings and pieces that are not there.
    #[must_use]
    pub fn without(&self, side: Side, role: Role) -> Option<(Self, bool)> {
        if role == Role::King || self.count(side, role) == 0 {
            return None;
        }
        let mut counts = self.counts;
        counts[side.index()][role.index()] -= 1;
        Some(Self::with_swap(counts[0], counts[1]))
    }

    /// The materials that one capture leads to, each once.
    #[must_use]
    pub fn captures(&self) -> BTreeSet<Self> {
        let pairs = Side::ALL.into_iter().flat_map(|side| Role::ALL.map(|role| (side, role)));
        pairs.filter_map(|(side, role)| self.without(side, role)).map(|(left, _)| left).collect()
    }

    /// Every material with at most `men` pieces, kings included, in an order in which each comes after
    /// those its captures lead to.
    #[must_use]
    pub fn all_up_to(men: usize) -> Vec<Self> {
        let kings = [1, 0, 0, 0, 0, 0, 0];
        let mut level = BTreeSet::from([Self::new(kings, kings)]);
        let mut all = Vec::new();
        for _ in 2..=men.min(MAX_MEN) {
            all.extend(level.iter().copied());
            level = level.iter().flat_map(Self::with_one_more).collect();
        }
        all
    }

    fn with_one_more(&self) -> Vec<Self> {
        let mut grown = Vec::new();
        for side in 0..2 {
            for role in Role::ALL {
                if self.counts[side][role.index()] < role.full_count() {
                    let mut counts = self.counts;
                    counts[side][role.index()] += 1;
                    grown.push(Self::new(counts[0], counts[1]));
                }
            }
        }
        grown
    }
}

pub(crate) fn parse_side(letters: &str, text: &str) -> Result<[u8; 7], MaterialError> {
    let mut counts = [0usize; 7];
    for letter in letters.chars() {
        let role = Role::from_letter(letter)
            .filter(|_| !matches!(letter, 'G' | 'g' | 'M' | 'm'))
            .ok_or_else(|| MaterialError::Letter { letter, text: text.to_owned() })?;
        counts[role.index()] += 1;
    }
    if counts[0] != 1 {
        return Err(MaterialError::Kings { text: text.to_owned(), kings: counts[0] });
    }
    for role in Role::ALL {
        let count = counts[role.index()];
        if count > usize::from(role.full_count()) {
            return Err(MaterialError::TooMany {
                text: text.to_owned(),
                letter: role.letter(),
                count,
                limit: role.full_count(),
            });
        }
    }
    Ok(counts.map(|count| count as u8))
}

impl FromStr for Material {
    type Err = MaterialError;
    fn from_str(text: &str) -> Result<Self, MaterialError> {
        Self::parse_as_asked(text).map(|(material, _)| material)
    }
}

impl fmt::Display for Material {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name(Side::First))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn name(text: &str) -> String {
        text.parse::<Material>().unwrap().to_string()
    }

    #[test]
    fn names_are_canonical() {
        assert_eq!(name("KRvKAABB"), "KRvKAABB");
        assert_eq!(name("EEAAKvRK"), "KRvKAABB");
        assert_eq!(name("khVkr"), "KRvKN");
        assert_eq!(name("KCCvKR"), "KRvKCC");
        let (material, swapped) = Material::parse_as_asked("KNvKR").unwrap();
        assert!(swapped && material.to_string() == "KRvKN");
    }

    #[test]
    fn impossible_material_is_refused() {
        for (text, part) in [
            ("KRRRvK", "holds 2"),
            ("KPPPPPPvK", "holds 5"),
            ("RvK", "0 kings"),
            ("KKvK", "2 kings"),
            ("KXvK", "'X'"),
            ("KR", "two sides"),
            ("KvKvK", "two sides"),
            ("", "two sides"),
        ] {
            let error = text.parse::<Material>().unwrap_err().to_string();
            assert!(error.contains(part), "{text}: {error}");
        }
        assert!("K".repeat(100_000).parse::<Material>().is_err());
    }

    #[test]
    fn numbers_of_sets() {
        assert_eq!(Material::all_up_to(2).len(), 1);
        assert_eq!(Material::all_up_to(4).len(), 49);
        assert_eq!(Material::all_up_to(5).len(), 226);
    }

    #[test]
    fn sets_come_after_what_their_captures_lead_to() {
        let all = Material::all_up_to(5);
        for (i, material) in all.iter().enumerate() {
            assert!(material.captures().iter().all(|left| all[..i].contains(left)));
        }
    }

    proptest! {
        #[test]
        fn reading_a_name_gives_its_material(index in 0usize..226) {
            let material = Material::all_up_to(5)[index];
            prop_assert_eq!(material.to_string().parse::<Material>(), Ok(material));
        }

        #[test]
        fn no_text_panics(text: String) {
            prop_assert!(text.parse::<Material>().map_or(true, |m| m.men() >= 2));
        }
    }
}
