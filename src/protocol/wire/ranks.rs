//! Moves with ranks counted from 0 or from 1: theirs and ours.

/// The way in which another program counts the ranks of the board in its moves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Ranks {
    /// 0 to 9, as in this program: `h2e2`.
    #[default]
    FromZero,
    /// 1 to 10, as in Fairy-Stockfish: `h3e3`.
    FromOne,
}

impl Ranks {
    /// A move of ours as the other program writes it. What is no move stays as it is.
    #[must_use]
    pub fn theirs(self, mv: &str) -> String {
        self.shifted(mv, 1)
    }

    /// A move of the other program's as we write it. What is no move stays as it is.
    #[must_use]
    pub fn ours(self, mv: &str) -> String {
        self.shifted(mv, -1)
    }

    fn shifted(self, mv: &str, by: i32) -> String {
        if self == Self::FromZero {
            return mv.to_owned();
        }
        match squares(mv) {
            Some([from, to]) => shifted_square(from, by) + &shifted_square(to, by),
            None => mv.to_owned(),
        }
    }
}

/// The text of a square with another rank.
fn shifted_square((file, rank): (char, i32), by: i32) -> String {
    format!("{file}{}", rank + by)
}

/// Files and ranks of a move from square to square, which may be written `B0-C2`.
fn squares(mv: &str) -> Option<[(char, i32); 2]> {
    let second = 1 + mv.get(1..)?.find(|c: char| !c.is_ascii_digit())?;
    let (from, to) = mv.split_at(second);
    Some([square(from)?, square(to.strip_prefix('-').unwrap_or(to))?])
}

/// The file and the rank of a square.
fn square(text: &str) -> Option<(char, i32)> {
    let file = text.chars().next().filter(char::is_ascii_alphabetic)?;
    let rank = text.get(1..).filter(|rank| rank.len() <= 2)?;
    Some((file.to_ascii_lowercase(), rank.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_are_shifted_there_and_back() {
        for (ours, theirs) in [("h2e2", "h3e3"), ("a9a8", "a10a9"), ("i0i9", "i1i10")] {
            assert_eq!(Ranks::FromOne.theirs(ours), theirs);
            assert_eq!(Ranks::FromOne.ours(theirs), ours);
            assert_eq!(Ranks::FromZero.theirs(ours), ours);
        }
        for written in ["B1C3", "b1-c3", "B1-C3"] {
            assert_eq!(Ranks::FromOne.ours(written), "b0c2");
        }
        for odd in ["", "x", "(none)", "0000", "h2", "é2e2", "h999e2"] {
            assert_eq!(Ranks::FromOne.ours(odd), odd);
        }
    }
}
