//! DhtmlXQ, also called UBB: marked text that web pages, forums and programs exchange, alone or
//! within other text, HTML or scripts.
//!
//! ```text
//! [DhtmlXQ]                                             or any other word without `_`
//! [DhtmlXQ_title]…[/DhtmlXQ_title]                      values; the name in the closing mark is
//!                                                       often wrong and does not matter
//! [DhtmlXQ_binit]0919…[/DhtmlXQ_binit]                  file and rank of the 32 pieces, 99 if absent
//! [DhtmlXQ_movelist]77477967…[/DhtmlXQ_movelist]        the main line, four digits a move
//! [DhtmlXQ_move_0_5_1]8979…[/DhtmlXQ_move_0_5_1]        branch 1, which replaces ply 5 of branch 0
//! [DhtmlXQ_comment5]…[/DhtmlXQ_comment5]                after ply 5 of the main line
//! [DhtmlXQ_comment1_5]…[/DhtmlXQ_comment1_5]            after ply 5, which is in branch 1
//! [/DhtmlXQ]
//! ```
//!
//! Files and ranks count from 0, ranks from the top; plies count from 1 at the start of the game.
//! In comments `||` ends a line. Characters may be written as references of HTML or escapes of
//! scripts. A position in FEN (`fen`), which some programs add, is believed before `binit`.
//!
//! A text of nothing but the digits of a main line is one game, if every move of it is legal from the usual
//! start.

mod blocks;
mod read;
mod write;

use crate::record::model::chunk::Cut;
use crate::record::model::format::Format;
use crate::record::model::format_row::{FormatInfo, FormatRow, ReadGames, Sniffer, Stage};
use crate::record::model::sample::{Sample, contains};

pub use write::write_dhtmlxq;

/// The row of DhtmlXQ.
pub(crate) const ROW: FormatRow = FormatRow {
    info: FormatInfo {
        shared_endings: &["html", "htm"],
        cut: Cut::Games(read::cut),
        ..FormatInfo::of_text(Format::DhtmlXq, "dhtmlxq", &["ubb", "dhtmlxq", "html", "htm"])
    },
    sniff: &[Sniffer { stage: Stage::Page, shows: looks_like }],
    read: ReadGames::Chunk(read::read),
    write: Some(write::written),
};

/// Returns true if a mark stands anywhere in a page, or the text is digits of a game and nothing else.
fn looks_like(sample: &Sample<'_>) -> bool {
    contains(sample.page(), b"[DhtmlXQ") || read::is_bare(sample.text)
}

/// The longest name that a value can have, with the `_` before it and the bracket behind it, in bytes.
const MAX_NAME_BYTES: usize = 64;

/// The names of values that are tags, and the names of these tags. Other values become tags of
/// their own name.
const TEXTS: [(&str, &str); 20] = [
    ("title", "Title"),
    ("event", "Event"),
    ("date", "Date"),
    ("place", "Site"),
    ("round", "Round"),
    ("group", "Group"),
    ("table", "Board"),
    ("red", "Red"),
    ("redteam", "RedTeam"),
    ("redrating", "RedElo"),
    ("redtime", "RedTime"),
    ("black", "Black"),
    ("blackteam", "BlackTeam"),
    ("blackrating", "BlackElo"),
    ("blacktime", "BlackTime"),
    ("timerule", "TimeControl"),
    ("endtype", "Termination"),
    ("remark", "Annotator"),
    ("author", "Author"),
    ("open", "Opening"),
];

/// Names of values that say how the game is displayed or that the record holds elsewhere.
const OTHERS: [&str; 8] =
    ["ver", "init", "generator", "firstnum", "binit", "movelist", "fen", "result"];

/// Returns true if a value of that name (in lower case) is no tag.
fn is_structure(name: &str) -> bool {
    OTHERS.contains(&name) || has_number(name, "comment") || has_number(name, "move_")
}

/// Returns true if a name is `begin` with numbers behind it, such as `0_5_1`.
fn has_number(name: &str, begin: &str) -> bool {
    let rest = name.strip_prefix(begin).unwrap_or_default();
    !rest.is_empty() && rest.bytes().all(|b| b.is_ascii_digit() || b == b'_')
}
