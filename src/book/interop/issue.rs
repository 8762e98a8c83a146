//! Kinds of faults of a book, and their collection.

use crate::message::Message;
use std::collections::BTreeMap;

/// A kind of fault, in the order in which findings are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Issue {
    /// The file ends too early, is longer than it states, or its digest or structure is wrong.
    File,
    /// The index over the keys lacks rows or has them twice: lookups by key miss rows.
    CorruptIndex,
    /// No index over the keys: every lookup reads the whole table.
    NoIndex,
    /// The moves are stored with origin and destination exchanged.
    ByteOrder,
    /// The key is NULL: the row is lost. In books of doubles these were keys whose bytes are no
    /// number.
    NullKey,
    /// The key is of a type that no reader looks for.
    DamagedKey,
    /// Some keys are doubles and some are integers that no double can have become: the fewer of them.
    MixedDialect,
    /// The key is not the one under which readers look for this position.
    NotCanonical,
    /// The position that the key stands for is not legal.
    IllegalPosition,
    /// The move is no move on the board.
    BadMove,
    /// The position was reached, and the move is not legal in it.
    IllegalMove,
    /// The same move of the same position more than once.
    Duplicate,
    /// The same move of a position and of its mirror image: programs that look for both count it
    /// twice.
    MirrorDuplicate,
    /// No row is reached from the start: the hash is another one, or the game, or there is none.
    NothingReached,
    /// Records are not in the order of keys, in which readers search.
    Unsorted,
    /// A field is NULL.
    NullField,
    /// A number is stored as something else.
    WrongType,
    /// A number is negative or beyond 32 bits where it must not be.
    OutOfRange,
    /// A comment is neither UTF-8 nor GB18030.
    Comment,
    /// A comment is longer than a mebibyte, or a number stands in its place; it is not read.
    LongComment,
    /// One weight or score is a thousand times any other of at least two, and no games explain it: it wins
    /// every choice.
    Outlier,
    /// Too many positions have several moves, all of the same weight: the weights carry no information.
    AllEqual,
    /// A row's checksum does not match.
    DamagedRow,
    /// A remark stands for a move that the book does not have.
    Orphan,
}

impl Issue {
    /// The name in answers for programs.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::File => "file",
            Self::CorruptIndex => "corrupt_index",
            Self::NoIndex => "no_index",
            Self::ByteOrder => "byte_order",
            Self::NullKey => "null_key",
            Self::DamagedKey => "damaged_key",
            Self::MixedDialect => "mixed_dialect",
            Self::NotCanonical => "not_canonical",
            Self::IllegalPosition => "illegal_position",
            Self::BadMove => "bad_move",
            Self::IllegalMove => "illegal_move",
            Self::Duplicate => "duplicate",
            Self::MirrorDuplicate => "mirror_duplicate",
            Self::NothingReached => "nothing_reached",
            Self::Unsorted => "unsorted",
            Self::NullField => "null_field",
            Self::WrongType => "wrong_type",
            Self::OutOfRange => "out_of_range",
            Self::Comment => "comment",
            Self::LongComment => "long_comment",
            Self::Outlier => "outlier",
            Self::AllEqual => "all_equal",
            Self::DamagedRow => "damaged_row",
            Self::Orphan => "orphan",
        }
    }

    /// A description for people.
    #[must_use]
    pub const fn text(self) -> &'static str {
        match self {
            Self::File => "the file itself is damaged",
            Self::CorruptIndex => "rows that the index of keys does not lead to",
            Self::NoIndex => "no index of keys: every lookup reads the whole table",
            Self::ByteOrder => "moves with origin and destination exchanged",
            Self::NullKey => "rows without a key: lost",
            Self::DamagedKey => "keys of a type that no reader looks for",
            Self::MixedDialect => {
                "keys stored as integers among doubles, or as doubles among integers"
            }
            Self::NotCanonical => "keys under which no reader looks",
            Self::IllegalPosition => "keys of positions that are not legal",
            Self::BadMove => "moves that are none",
            Self::IllegalMove => "moves that are illegal in their positions",
            Self::Duplicate => "rows for a move that has one already",
            Self::MirrorDuplicate => "rows for the mirror image of a move that has one already",
            Self::NothingReached => {
                "no row is reached from the start: another hash, another game or empty"
            }
            Self::Unsorted => "records out of order",
            Self::NullField => "fields without a value",
            Self::WrongType => "numbers stored as something else",
            Self::OutOfRange => "numbers out of range",
            Self::Comment => "comments in an unknown encoding",
            Self::LongComment => "comments too long to be read",
            Self::Outlier => {
                "moves whose weight is a thousand times all others', though no games explain it"
            }
            Self::AllEqual => "positions whose moves all have the same weight, for no reason",
            Self::DamagedRow => "rows whose checksum does not match",
            Self::Orphan => "remarks on moves that the book does not have",
        }
    }

    /// Returns true if it is worth knowing and no fault: readers find all that the book holds.
    #[must_use]
    pub const fn is_notice(self) -> bool {
        matches!(self, Self::AllEqual)
    }

    /// Returns true if a clean copy does not have it, if asked for in the case of weights.
    #[must_use]
    pub const fn is_repairable(self) -> bool {
        !matches!(self, Self::AllEqual | Self::NothingReached)
    }
}

/// A kind of fault, its frequency, and the first examples.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// The kind of fault.
    pub issue: Issue,
    /// The number of times it was found.
    pub count: u64,
    /// The first ones.
    pub examples: Vec<Message>,
}

/// Findings by kind.
#[derive(Debug, Clone)]
pub(crate) struct Findings {
    found: BTreeMap<Issue, Finding>,
    examples: usize,
}

impl Findings {
    /// Keeps up to `examples` examples of each kind.
    pub(crate) const fn new(examples: usize) -> Self {
        Self { found: BTreeMap::new(), examples }
    }

    pub(crate) fn add(&mut self, issue: Issue, example: impl FnOnce() -> Message) {
        let examples = self.examples;
        let finding = self.entry(issue);
        finding.count += 1;
        if finding.examples.len() < examples {
            finding.examples.push(example());
        }
    }

    /// Counts more of a kind, without examples.
    pub(crate) fn add_many(&mut self, issue: Issue, count: u64) {
        if count > 0 {
            self.entry(issue).count += count;
        }
    }

    fn entry(&mut self, issue: Issue) -> &mut Finding {
        let new = Finding { issue, count: 0, examples: Vec::new() };
        self.found.entry(issue).or_insert(new)
    }

    pub(crate) fn count(&self, issue: Issue) -> u64 {
        self.found.get(&issue).map_or(0, |finding| finding.count)
    }

    /// Returns true if nothing was found.
    pub(crate) fn is_empty(&self) -> bool {
        self.found.is_empty()
    }

    pub(crate) fn into_vec(self) -> Vec<Finding> {
        self.found.into_values().collect()
    }
}
