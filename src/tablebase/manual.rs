//! What manuals say of practical endings and how they name them, and whether the tables agree.

use crate::game::Side;
use crate::tablebase::format::SideCounts;
use crate::tablebase::material::Material;
use crate::xiangqi::Role;

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
        let has_exceptions = (counts.draw + counts.loss) * 1_000 > all * EXCEPTIONS;
        let won = counts.win * 1_000 > all * EXCEPTIONS;
        match self {
            Self::Win => !has_exceptions,
            Self::Draw => has_exceptions,
            Self::Placement => has_exceptions && won,
        }
    }
}

/// The Chinese name of a set as manuals form it, such as 单车对士象全 for `KRvKAABB`, `first` being
/// Red.
#[must_use]
pub fn chinese_name(material: Material, first: Side) -> String {
    format!("{}对{}", side_name(material, first, true), side_name(material, !first, false))
}

/// The men of a side beside the king: 单车, 马炮, 炮单仕, or 光将 without any.
fn side_name(material: Material, side: Side, is_red: bool) -> String {
    let attackers = attackers(material, side, is_red);
    let guards = guards(material, side, is_red);
    match (attackers.is_empty(), guards.is_empty()) {
        (true, true) => (if is_red { "光帅" } else { "光将" }).to_owned(),
        (false, true) if attackers.chars().count() == 1 => format!("单{attackers}"),
        _ => attackers + &guards,
    }
}

/// The men of a side that can attack: 车, 双马, 炮兵.
fn attackers(material: Material, side: Side, is_red: bool) -> String {
    let names = [
        (Role::Rook, "车"),
        (Role::Horse, "马"),
        (Role::Cannon, "炮"),
        (Role::Pawn, if is_red { "兵" } else { "卒" }),
    ];
    names
        .into_iter()
        .map(|(role, name): (Role, &str)| match material.count(side, role) {
            0 => String::new(),
            count => ["", "双", "三", "四", "五"][usize::from(count.min(5) - 1)].to_owned() + name,
        })
        .collect()
}

/// The advisors and elephants of a side: 单士, 双象, 单缺士, 士象全.
fn guards(material: Material, side: Side, is_red: bool) -> String {
    let (advisor, elephant) = if is_red { ("仕", "相") } else { ("士", "象") };
    match (material.count(side, Role::Advisor), material.count(side, Role::Elephant)) {
        (0, 0) => String::new(),
        (1, 0) => format!("单{advisor}"),
        (_, 0) => format!("双{advisor}"),
        (0, 1) => format!("单{elephant}"),
        (0, _) => format!("双{elephant}"),
        (1, 1) => format!("单{advisor}{elephant}"),
        (_, 1) => format!("单缺{elephant}"),
        (1, _) => format!("单缺{advisor}"),
        _ => format!("{advisor}{elephant}全"),
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
    fn endings_have_the_names_of_manuals() {
        for (set, name) in [
            ("KRvKAABB", "单车对士象全"),
            ("KNvKA", "单马对单士"),
            ("KRvKAAB", "单车对单缺象"),
            ("KRvKABB", "单车对单缺士"),
            ("KNCvKAABB", "马炮对士象全"),
            ("KNPvKAABB", "马兵对士象全"),
            ("KCCvKBB", "双炮对双象"),
            ("KCAvKAA", "炮单仕对双士"),
            ("KCBvKAB", "炮单相对单士象"),
            ("KRvKN", "单车对单马"),
            ("KRvKNAABB", "单车对马士象全"),
            ("KPPvK", "双兵对光将"),
            ("KPvKP", "单兵对单卒"),
            ("KRAABBvKR", "车仕相全对单车"),
            ("KPPPPPvKA", "五兵对单士"),
        ] {
            let (material, swapped) = Material::parse_as_asked(set).unwrap();
            let first = if swapped { Side::Second } else { Side::First };
            assert_eq!(chinese_name(material, first), name, "{set}");
        }
        assert_eq!(chinese_name("KRvKA".parse().unwrap(), Side::Second), "单仕对单车");
        let family = Family::Practical.materials();
        let names: std::collections::BTreeSet<String> =
            family.iter().map(|&set| chinese_name(set, Side::First)).collect();
        assert_eq!(names.len(), family.len());
    }

    #[test]
    fn a_verdict_is_held_against_the_counts() {
        for ([win, draw, loss], agreeing) in [
            ([100, 0, 0], vec![ManualVerdict::Win]),
            ([990, 10, 0], vec![ManualVerdict::Win]),
            ([989, 10, 1], vec![ManualVerdict::Draw, ManualVerdict::Placement]),
            ([10, 990, 0], vec![ManualVerdict::Draw]),
        ] {
            let counts = SideCounts { win, draw, loss, ..SideCounts::default() };
            let all = [ManualVerdict::Win, ManualVerdict::Draw, ManualVerdict::Placement];
            let found: Vec<_> = all.into_iter().filter(|v| v.agrees_with(&counts)).collect();
            assert_eq!(found, agreeing);
        }
    }
}
