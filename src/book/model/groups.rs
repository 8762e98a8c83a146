//! Line groups: sets of lines that a player stays within, named by a tag of the records.

use std::cmp::Ordering;

use crate::bytes::external_sort::Summand;
use crate::bytes::varint;
use crate::game::Notation;
use crate::record::Record;

/// Every tag of this name, whatever its case, names a group of which the record's moves are members.
const TAG: &str = "Group";

/// The longest name that a tag can give a group, in characters; longer ones are cut. In bytes they
/// are never longer than [`MAX_GROUP`](crate::book::model::annotation::MAX_GROUP).
const MAX_NAME: usize = 60;

const _: () = assert!(4 * MAX_NAME <= crate::book::model::annotation::MAX_GROUP);

/// The most groups that a game belongs to: the first in the order of names.
const MAX_OF_GAME: usize = 16;

/// The groups of a game, sorted, each once. Most games have none, and then it allocates nothing.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct GroupNames(Box<[Box<str>]>);

impl GroupNames {
    pub(crate) fn of<G: Notation>(record: &Record<G>) -> Self {
        let tags = record.tags.iter().filter(|(tag, _)| tag.eq_ignore_ascii_case(TAG));
        let mut names: Vec<Box<str>> = tags.filter_map(|(_, value)| name(value)).collect();
        Self::settle(&mut names)
    }

    fn settle(names: &mut Vec<Box<str>>) -> Self {
        names.sort_unstable();
        names.dedup();
        names.truncate(MAX_OF_GAME);
        Self(std::mem::take(names).into())
    }

    /// Adds those of a copy of the game. The first names of a union are the first of the first ones
    /// of its parts, so that the order of copies does not matter.
    pub(crate) fn absorb(&mut self, other: Self) {
        if !other.0.is_empty() {
            let own = std::mem::take(&mut self.0);
            *self = Self::settle(&mut own.into_iter().chain(other.0).collect());
        }
    }

    pub(crate) const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|name| &**name)
    }

    /// Bytes of memory beside the value itself.
    pub(crate) fn size(&self) -> usize {
        self.iter().map(|name| size_of::<Box<str>>() + name.len() + 16).sum()
    }

    /// The groups of these names, which may come in any order, some of them several times.
    pub(crate) fn from_names(names: &[String]) -> Self {
        Self::settle(&mut names.iter().filter_map(|value| name(value)).collect())
    }

    pub(crate) fn put(&self, out: &mut Vec<u8>) {
        varint::put(out, self.0.len() as u64);
        for name in self.iter() {
            put_name(name, out);
        }
    }

    pub(crate) fn take(input: &mut &[u8]) -> Option<Self> {
        let count = usize::try_from(varint::take(input)?).ok().filter(|&n| n <= MAX_OF_GAME)?;
        let names: Box<[Box<str>]> = (0..count).map(|_| take_name(input)).collect::<Option<_>>()?;
        let is_sound = names.is_sorted_by(|a, b| a < b)
            && names.iter().all(|known| name(known).as_ref() == Some(known));
        is_sound.then_some(Self(names))
    }
}

/// The name on one line; `None` if it is empty, or if it stands for an unknown one.
fn name(value: &str) -> Option<Box<str>> {
    let shown: String = value.trim().chars().filter(|c| !c.is_control()).collect();
    let cut: String = shown.chars().take(MAX_NAME).collect();
    let name = cut.trim();
    (!matches!(name, "" | "?" | "-")).then(|| name.into())
}

/// A move that is a member of a group. Equal ones are one.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct GroupMember {
    /// The canonical key of the position, as SQLite holds it.
    pub key: i64,
    /// The move in the canonical frame, packed.
    pub mv: u16,
    /// The name of the group.
    pub group: Box<str>,
}

impl Summand for GroupMember {
    fn size(&self) -> usize {
        size_of::<Self>() + self.group.len() + 16
    }

    fn order(&self, other: &Self) -> Ordering {
        self.cmp(other)
    }

    fn absorb(&mut self, _equal: Self) {}

    fn put(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.key.to_le_bytes());
        out.extend_from_slice(&self.mv.to_le_bytes());
        put_name(&self.group, out);
    }

    fn take(input: &mut &[u8]) -> Option<Self> {
        let key = i64::from_le_bytes(*input.split_off(..8)?.first_chunk()?);
        let mv = u16::from_le_bytes(*input.split_off(..2)?.first_chunk()?);
        Some(Self { key, mv, group: take_name(input)? })
    }
}

fn put_name(name: &str, out: &mut Vec<u8>) {
    varint::put(out, name.len() as u64);
    out.extend_from_slice(name.as_bytes());
}

fn take_name(input: &mut &[u8]) -> Option<Box<str>> {
    let len = usize::try_from(varint::take(input)?).ok()?;
    Some(str::from_utf8(input.split_off(..len)?).ok()?.into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn forged_names_are_none() {
        for names in [&["b", "a"][..], &["a", "a"], &["a\nb"], &["-"], &[" a"]] {
            let forged = GroupNames(names.iter().map(|&name| name.into()).collect());
            let mut bytes = Vec::new();
            forged.put(&mut bytes);
            assert_eq!(GroupNames::take(&mut bytes.as_slice()), None, "{names:?}");
        }
    }

    #[test]
    fn names_are_one_line() {
        assert_eq!(name(" 中炮\u{7} "), Some("中炮".into()));
        assert_eq!(name("?"), None);
        assert_eq!(name(" \n"), None);
        assert_eq!(name(&"炮".repeat(100)).unwrap().chars().count(), MAX_NAME);
    }

    fn any_names() -> impl Strategy<Value = GroupNames> {
        prop::collection::vec("[a-d]{1,2}", 0..20).prop_map(|names| {
            GroupNames::settle(&mut names.iter().map(|n| Box::from(n.as_str())).collect())
        })
    }

    fn sum(mut one: GroupNames, other: &GroupNames) -> GroupNames {
        one.absorb(other.clone());
        one
    }

    proptest! {
        #[test]
        fn put_then_take_is_identity(names in any_names(), key: i64, mv: u16, group: String) {
            let member = GroupMember { key, mv, group: group.into() };
            let mut bytes = Vec::new();
            names.put(&mut bytes);
            member.put(&mut bytes);
            let mut rest = bytes.as_slice();
            prop_assert_eq!(GroupNames::take(&mut rest), Some(names));
            prop_assert_eq!(GroupMember::take(&mut rest), Some(member));
            prop_assert!(rest.is_empty());
        }

        #[test]
        fn copies_may_come_in_any_order(a in any_names(), b in any_names(), c in any_names()) {
            let one = sum(sum(a.clone(), &b), &c);
            prop_assert_eq!(one, sum(c, &sum(b, &a)));
        }
    }
}
