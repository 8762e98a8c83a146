//! Sets of pieces that are asked for together, by a name.

use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;

use crate::tablebase::material::Material;
use crate::tablebase::pattern::Pattern;

/// Sets that have a common name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Family {
    /// The endings of the manuals: one or two attackers against every combination of advisors and
    /// elephants, a rook against a rook, a cannon or a horse with such, and one attacker with an
    /// advisor or elephant of his own. `src/tablebase/practical.txt` lists them.
    Practical,
}

/// The text names no family.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error, crate::message::ToMessage)]
#[error("no such family; there is practical")]
pub struct UnknownFamily;

impl Family {
    /// All families.
    pub const ALL: [Self; 1] = [Self::Practical];

    /// The name on the command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Practical => "practical",
        }
    }

    /// The sets, without those that their captures lead to.
    #[must_use]
    pub fn materials(self) -> BTreeSet<Material> {
        let list = match self {
            Self::Practical => include_str!("practical.txt"),
        };
        patterns(list).flat_map(|pattern| pattern.materials().clone()).collect()
    }
}

/// The patterns of a list, which a test has read.
fn patterns(list: &str) -> impl Iterator<Item = Pattern> {
    let lines = list.lines().map(|line| line.split('#').next().unwrap_or_default().trim());
    lines.filter(|line| !line.is_empty()).filter_map(|line| line.parse().ok())
}

impl fmt::Display for Family {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Family {
    type Err = UnknownFamily;

    fn from_str(text: &str) -> Result<Self, UnknownFamily> {
        Self::ALL.into_iter().find(|family| family.name() == text).ok_or(UnknownFamily)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::Side;
    use crate::xiangqi::Role;

    /// The number of a side's pieces of some kinds.
    fn count(set: Material, side: Side, roles: &[Role]) -> u8 {
        roles.iter().map(|&role| set.count(side, role)).sum()
    }

    #[test]
    fn the_practical_family_has_every_defence() {
        let list = include_str!("practical.txt");
        let lines = list.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
        assert_eq!(patterns(list).count(), lines.count());
        let family = Family::Practical.materials();
        assert_eq!(family.len(), 225);
        let attackers = [Role::Rook, Role::Horse, Role::Cannon, Role::Pawn];
        let against_guards = family.iter().filter(|set| {
            count(**set, Side::Second, &attackers) == 0
                && count(**set, Side::First, &[Role::Advisor, Role::Elephant]) == 0
        });
        // Four attackers and ten pairs of them, against nine combinations.
        assert_eq!(against_guards.count(), 14 * 9);
        for name in ["KRvKAABB", "KPPvK", "KRvKRAABB", "KCAvKAABB", "KNCvKAB"] {
            assert!(family.contains(&name.parse().unwrap()), "{name}");
        }
        assert_eq!("practical".parse(), Ok(Family::Practical));
        assert_eq!("all".parse::<Family>(), Err(UnknownFamily));
    }
}
