//! Marks of a move, set by people, by the repetition rules and by the tablebase, beside the statistics of
//! games.

use std::collections::BTreeSet;

use rusqlite::types::Type;

use crate::bytes::varint;
use crate::message::message;

/// The longest comment, in bytes.
pub const MAX_COMMENT: usize = 1 << 16;

/// The longest name of a line group, in bytes.
pub const MAX_GROUP: usize = 1 << 8;

/// Properties of a move, one bit each.
///
/// # Stability
///
/// These bits are in every edited book.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Flags(u8);

impl Flags {
    /// Selection leaves the move out.
    pub const DISABLED: Self = Self(1);
    /// It loses by the repetition rules; never chosen.
    pub const BANNED: Self = Self(1 << 1);
    /// The tablebase proves that it loses; never chosen.
    pub const LOST: Self = Self(1 << 2);
    /// Only unlocking changes its mark.
    pub const LOCKED: Self = Self(1 << 3);
    /// It was added by hand: it belongs to the book whatever the number of its games.
    pub const ADDED: Self = Self(1 << 4);
    /// It was deleted by hand: the book does not have it, though its games stay counted.
    pub const DELETED: Self = Self(1 << 5);

    /// All flags, with the names that answers use.
    pub const ALL: [(Self, &'static str); 6] = [
        (Self::DISABLED, "disabled"),
        (Self::BANNED, "banned"),
        (Self::LOST, "lost"),
        (Self::LOCKED, "locked"),
        (Self::ADDED, "added"),
        (Self::DELETED, "deleted"),
    ];

    /// `None` where a bit has no meaning.
    #[must_use]
    pub fn from_bits(bits: i64) -> Option<Self> {
        u8::try_from(bits).ok().filter(|bits| bits >> Self::ALL.len() == 0).map(Self)
    }

    /// As numbers in the file.
    #[must_use]
    pub const fn bits(self) -> u8 {
        self.0
    }

    /// Returns true if all of `flags` are set.
    #[must_use]
    pub const fn has(self, flags: Self) -> bool {
        self.0 & flags.0 == flags.0
    }

    /// Sets or clears `flags`.
    pub const fn set(&mut self, flags: Self, on: bool) {
        self.0 = if on { self.0 | flags.0 } else { self.0 & !flags.0 };
    }

    /// With the flags of both.
    #[must_use]
    pub const fn union(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// The names of the flags that are set.
    pub fn names(self) -> impl Iterator<Item = &'static str> {
        Self::ALL.into_iter().filter(move |(flag, _)| self.has(*flag)).map(|(_, name)| name)
    }
}

/// The mark of a move. The book has no row for the default, which is empty.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Annotation {
    /// Selection prefers the highest.
    pub priority: i64,
    /// Properties.
    pub flags: Flags,
    /// A weight in place of any other, at most `i64::MAX`.
    pub weight: Option<u64>,
    /// A remark for people, up to [`MAX_COMMENT`] bytes.
    pub comment: Option<String>,
    /// Line groups that the move belongs to, each up to [`MAX_GROUP`] bytes.
    pub groups: BTreeSet<String>,
    /// The number of the merged book that this came from; none if it was set in this one.
    pub origin: Option<u32>,
}

impl Annotation {
    /// Returns true if it is empty but for groups, which have a table of their own.
    pub(crate) fn is_blank(&self) -> bool {
        *self == Self { groups: self.groups.clone(), ..Self::default() }
    }

    /// From `priority, flags, weight, comment, origin` of a row of `marks`, the first of them in the
    /// column `at`.
    pub(crate) fn from_row(row: &rusqlite::Row<'_>, at: usize) -> rusqlite::Result<Self> {
        let weight: Option<i64> = row.get(at + 2)?;
        Ok(Self {
            priority: row.get(at)?,
            flags: Flags::from_bits(row.get(at + 1)?).ok_or_else(|| bad_column(at + 1))?,
            weight: weight.map(u64::try_from).transpose().map_err(|_| bad_column(at + 2))?,
            comment: row.get(at + 3)?,
            groups: BTreeSet::new(),
            origin: row.get(at + 4)?,
        })
    }

    /// The bytes that the journal keeps: varints of the priority as zigzag, the flags, the weight
    /// plus one (0 without one), the origin plus one (0 without one), the length of the comment plus
    /// one (0 without one) and the comment, the number of groups, and of each the length and the name.
    pub(crate) fn put(&self, out: &mut Vec<u8>) {
        varint::put(out, varint::zigzag(self.priority));
        varint::put(out, self.flags.bits().into());
        varint::put(out, self.weight.map_or(0, |weight| weight.saturating_add(1)));
        varint::put(out, self.origin.map_or(0, |origin| u64::from(origin) + 1));
        match &self.comment {
            None => varint::put(out, 0),
            Some(comment) => {
                varint::put(out, comment.len() as u64 + 1);
                out.extend_from_slice(comment.as_bytes());
            }
        }
        varint::put(out, self.groups.len() as u64);
        for group in &self.groups {
            varint::put(out, group.len() as u64);
            out.extend_from_slice(group.as_bytes());
        }
    }

    /// The inverse of [`put`](Self::put); `None` if `input` is anything else.
    pub(crate) fn take(mut input: &[u8]) -> Option<Self> {
        let input = &mut input;
        let priority = varint::unzigzag(varint::take(input)?);
        let flags = Flags::from_bits(i64::try_from(varint::take(input)?).ok()?)?;
        let weight = varint::take(input)?.checked_sub(1);
        let origin = varint::take(input)?.checked_sub(1).map(u32::try_from).transpose().ok()?;
        let comment = match varint::take(input)?.checked_sub(1) {
            None => None,
            Some(len) => Some(take_text(len, input)?),
        };
        let mut groups = BTreeSet::new();
        // A forged number of groups ends with the input: each takes a byte at least.
        for _ in 0..varint::take(input)? {
            let len = varint::take(input)?;
            groups.insert(take_text(len, input)?);
        }
        let mark = Self { priority, flags, weight, comment, groups, origin };
        input.is_empty().then_some(mark)
    }
}

/// The error of a column whose number is out of range.
fn bad_column(column: usize) -> rusqlite::Error {
    rusqlite::Error::InvalidColumnType(column, "marks".to_owned(), Type::Integer)
}

/// The text in a column, which has at most `most` bytes.
pub(crate) fn text_up_to(
    row: &rusqlite::Row<'_>,
    column: usize,
    most: usize,
) -> rusqlite::Result<String> {
    let text = row.get_ref(column)?.as_str()?;
    if text.len() <= most {
        return Ok(text.to_owned());
    }
    let what = message!("a text of {} bytes where at most {most} can be", text.len());
    Err(rusqlite::Error::FromSqlConversionFailure(column, Type::Text, what.into()))
}

fn take_text(len: u64, input: &mut &[u8]) -> Option<String> {
    let bytes = input.split_off(..usize::try_from(len).ok()?)?;
    String::from_utf8(bytes.to_vec()).ok()
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use proptest::prelude::*;

    pub(crate) fn any_mark() -> impl Strategy<Value = Annotation> {
        let weight = prop::option::of(0..i64::MAX as u64);
        let groups = prop::collection::btree_set("[a-z]{1,3}", 0..3);
        let comment = prop::option::of(any::<String>());
        (any::<i64>(), 0..64i64, weight, comment, groups, prop::option::of(any::<u32>())).prop_map(
            |(priority, flags, weight, comment, groups, origin)| {
                let flags = Flags::from_bits(flags).unwrap_or_default();
                Annotation { priority, flags, weight, comment, groups, origin }
            },
        )
    }

    proptest! {
        #[test]
        fn put_then_take_is_identity(mark in any_mark()) {
            let mut bytes = Vec::new();
            mark.put(&mut bytes);
            prop_assert_eq!(Annotation::take(&bytes), Some(mark));
            bytes.push(0);
            prop_assert_eq!(Annotation::take(&bytes), None);
        }

        #[test]
        fn garbage_never_panics(bytes: Vec<u8>) {
            let _unused = Annotation::take(&bytes);
        }
    }

    #[test]
    fn flags_have_names() {
        let mut flags = Flags::BANNED.union(Flags::LOCKED);
        assert_eq!(flags.names().collect::<Vec<_>>(), ["banned", "locked"]);
        flags.set(Flags::BANNED, false);
        assert_eq!(flags, Flags::LOCKED);
        assert_eq!(Flags::from_bits(8), Some(flags));
        assert_eq!(Flags::from_bits(64), None);
        assert_eq!(Flags::from_bits(-1), None);
    }
}
