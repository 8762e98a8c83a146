//! What manuals say of practical endings, and whether the tables agree.

use crate::tablebase::format::SideCounts;
use crate::tablebase::material::Material;

/// The verdict of a manual on an ending, for its first side.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ManualVerdict {
    /// A win against the best defence (例胜).
    Win,
    /// A draw: a defence that is well placed holds (例和).
    Draw,
    /// The places of the men decide (巧胜, 巧和).
    Placement,
}

/// The share of positions that a verdict may be wrong about, in thousandths: men that fall at once, and kings
/// that are mated on the spot.
const EXCEPTIONS: u64 = 10;

impl ManualVerdict {
    /// The verdict on a set, if manuals have one that is known here.
    #[must_use]
    pub fn on(material: Material) -> Option<Self> {
        let name = material.to_string();
        lines().find_map(|(set, verdict)| (set == name).then_some(verdict))
    }

    /// `win`, `draw` or `placement`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Win => "win",
            Self::Draw => "draw",
            Self::Placement => "placement",
        }
    }

    /// Returns true if a table agrees, `counts` being those with the first side to move: a win is one in all but
    /// one in a hundred positions; a draw leaves more than that undecided, as do the places of men, which also
    /// leave more than that won.
    #[must_use]
    pub const fn agrees_with(self, counts: &SideCounts) -> bool {
        let all = counts.win + counts.draw + counts.loss;
        let held = (counts.draw + counts.loss) * 1_000 > all * EXCEPTIONS;
        let won = counts.win * 1_000 > all * EXCEPTIONS;
        match self {
            Self::Win => !held,
            Self::Draw => held,
            Self::Placement => held && won,
        }
    }
}

/// The sets and the verdicts on them.
fn lines() -> impl Iterator<Item = (&'static str, ManualVerdict)> {
    let lines = include_str!("manuals.tsv").lines().filter_map(|line| line.split_once('\t'));
    lines.filter_map(|(set, verdict)| {
        let verdict = match verdict {
            "win" => ManualVerdict::Win,
            "draw" => ManualVerdict::Draw,
            "placement" => ManualVerdict::Placement,
            _ => return None,
        };
        Some((set, verdict))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tablebase::Family;

    #[test]
    fn every_verdict_is_on_a_practical_ending() {
        let text = include_str!("manuals.tsv");
        let known = text.lines().filter(|line| !line.starts_with('#')).count();
        assert_eq!(lines().count(), known);
        for (set, verdict) in lines() {
            let material: Material = set.parse().unwrap();
            assert_eq!(material.to_string(), set);
            assert!(Family::Practical.materials().contains(&material), "{set}");
            assert_eq!(ManualVerdict::on(material), Some(verdict));
        }
        assert_eq!(ManualVerdict::on("KRCvKR".parse().unwrap()), None);
    }

    #[test]
    fn a_verdict_is_held_against_the_counts() {
        let counts = |win, draw, loss| SideCounts { win, draw, loss, ..SideCounts::default() };
        for (counts, agreeing) in [
            (counts(100, 0, 0), vec![ManualVerdict::Win]),
            (counts(990, 10, 0), vec![ManualVerdict::Win]),
            (counts(989, 10, 1), vec![ManualVerdict::Draw, ManualVerdict::Placement]),
            (counts(10, 990, 0), vec![ManualVerdict::Draw]),
        ] {
            let all = [ManualVerdict::Win, ManualVerdict::Draw, ManualVerdict::Placement];
            let found: Vec<_> = all.into_iter().filter(|v| v.agrees_with(&counts)).collect();
            assert_eq!(found, agreeing);
        }
    }
}
