//! Files of Piskvork and of Gomotur: a game each, a move on each line with the milliseconds it took.
//!
//! A file of Piskvork begins `Piskvorky 20x20, 0:0, 0`; moves count from 1 from the corner at the top left. After
//! them come the names of the players and what went wrong, in newer files also the name of the rule
//! (`0,Renju15`). The result is that of the last position. A file of Gomotur begins with the names of the
//! players; moves count from 0.

use std::fmt::Write as _;

use crate::gomoku::{Board, Variant};
use crate::message::message;
use crate::record::gomoku::{board, fit};
use crate::record::model::bad_game::BadGameReason;
use crate::record::model::encoding::Encoding;
use crate::record::model::format::{Format, GameCount};
use crate::record::model::format_row::{
    Certainty, FormatInfo, FormatRow, ReadGames, Sniffer, Stage,
};
use crate::record::model::place::Place;
use crate::record::model::record::Record;
use crate::record::model::sample::{Sample, beginning};
use crate::record::model::single::{Fault, Found, line};
use crate::record::model::texts::{Texts, push_tag, tidy};
use crate::record::model::written::{WriteError, WriteOptions, Written};

/// The row of files of Piskvork.
pub(crate) const PSQ: FormatRow<Board> = FormatRow {
    info: FormatInfo {
        games: GameCount::One,
        certainty: Certainty::Unmistakable,
        ..FormatInfo::of_text(Format::Psq, "psq", &["psq"])
    },
    sniff: &[Sniffer { stage: Stage::Beginning, shows: is_psq }],
    read: ReadGames::One(psq),
    write: Some(psq_written),
};

/// The row of files of Gomotur.
pub(crate) const REC: FormatRow<Board> = FormatRow {
    info: FormatInfo { games: GameCount::One, ..FormatInfo::of_text(Format::Rec, "rec", &["rec"]) },
    sniff: &[Sniffer { stage: Stage::Lines, shows: has_rec_lines }],
    read: ReadGames::One(rec),
    write: Some(rec_written),
};

/// The word with which files of Piskvork begin.
const PISKVORKY: &str = "Piskvorky";

fn is_psq(sample: &Sample<'_>) -> bool {
    sample.is_text() && sample.text.starts_with(PISKVORKY.as_bytes())
}

fn has_rec_lines(sample: &Sample<'_>) -> bool {
    // Players without names are blank lines.
    let head = beginning(sample.without_mark());
    is_rec(&Encoding::detect(head).decode_lossy(head))
}

/// Returns true if the third line is a move and the first two are none.
fn is_rec(text: &str) -> bool {
    let moves: Vec<Option<[u32; 2]>> = text.lines().take(3).map(numbers).collect();
    matches!(moves[..], [None, None, Some(_)])
}

/// The two or three numbers of a line that is a move; times may be negative where clocks were set back.
fn numbers(line: &str) -> Option<[u32; 2]> {
    let mut words = line.split(',').map(str::trim);
    let pair = [number(words.next()?)?, number(words.next()?)?];
    let rest: Vec<&str> = words.collect();
    (rest.len() <= 1 && rest.iter().all(|word| is_time(word))).then_some(pair)
}

/// A number of up to nine digits.
fn number(word: &str) -> Option<u32> {
    let is_number = (1..=9).contains(&word.len()) && word.bytes().all(|b| b.is_ascii_digit());
    word.parse().ok().filter(|_| is_number)
}

/// Returns true if a word is a time, which may be negative.
fn is_time(word: &str) -> bool {
    word.trim_start_matches('-').bytes().all(|b| b.is_ascii_digit())
}

fn at_line(line: usize, reason: BadGameReason) -> Fault {
    Fault { place: Place::Line(line as u64), reason }
}

/// Reads a file of Piskvork.
fn psq(bytes: &[u8]) -> Result<Found<Board>, Fault> {
    let texts = Texts::default();
    let text = texts.decode(Encoding::detect(bytes), bytes);
    let lines: Vec<&str> = text.trim_start_matches('\u{feff}').lines().collect();
    let head = lines.first().copied().unwrap_or_default();
    let mut parts = head.split(',').map(str::trim);
    let size = parts.next().and_then(|word| word.split_whitespace().nth(1)).and_then(board::size);
    let (width, height) = size.ok_or_else(|| {
        let what = "no size of the board, such as 20x20, in the first line".to_owned();
        at_line(1, BadGameReason::Malformed(what.into()))
    })?;
    let is_second_first = parts.nth(1) == Some("1");
    let end = 1 + lines.iter().skip(1).take_while(|line| numbers(line).is_some()).count();
    let rest = lines.get(end..).unwrap_or_default();
    let variant = rest.iter().find_map(|line| rule(line)).unwrap_or_default();
    let start = board::empty(width, height, variant).map_err(|reason| at_line(1, reason))?;
    let moves = lines.iter().enumerate().take(end).skip(1);
    let moves = moves.filter_map(|(index, line)| Some((index + 1, numbers(line)?)));
    let mut names = [0, 1].map(|index| rest.get(index).map_or("", |name| *name));
    if is_second_first {
        names.reverse();
    }
    found(&start, moves.map(|(line, [x, y])| (line, (x.checked_sub(1), y.checked_sub(1)))), names)
        .map(|found| Found { is_undecoded: texts.is_undecoded(), ..found })
}

/// The variant that a line behind the names states: `0,Renju15_1`.
fn rule(line: &str) -> Option<Variant> {
    let name = line.split_once(',')?.1.trim().to_ascii_lowercase();
    Variant::ALL.into_iter().find(|variant| name.starts_with(&variant.to_string()))
}

/// Reads a file of Gomotur.
fn rec(bytes: &[u8]) -> Result<Found<Board>, Fault> {
    let texts = Texts::default();
    let text = texts.decode(Encoding::detect(bytes), bytes);
    let lines: Vec<&str> = text.trim_start_matches('\u{feff}').lines().collect();
    let moves = lines.iter().enumerate().skip(2);
    let moves: Vec<(usize, [u32; 2])> =
        moves.map_while(|(index, line)| Some((index + 1, numbers(line)?))).collect();
    let most = moves.iter().map(|(_, [x, y])| *x.max(y)).max().unwrap_or(0);
    let most = u8::try_from(most).unwrap_or(u8::MAX);
    let start =
        board::of_reach(most, Variant::default(), None).map_err(|reason| at_line(1, reason))?;
    let names = [0, 1].map(|index| lines.get(index).map_or("", |name| *name));
    found(&start, moves.into_iter().map(|(line, [x, y])| (line, (Some(x), Some(y)))), names)
        .map(|found| Found { is_undecoded: texts.is_undecoded(), ..found })
}

/// The game of moves, each with its line, column and row from the top.
fn found(
    start: &Board,
    moves: impl Iterator<Item = (usize, (Option<u32>, Option<u32>))>,
    names: [&str; 2],
) -> Result<Found<Board>, Fault> {
    let points = moves.enumerate().map(|(index, (line, (column, row)))| {
        let point = column.zip(row).and_then(|(x, y)| board::from_top(start, x, y));
        point.map(|point| (line, point)).ok_or_else(|| {
            let what = message!("not on the {}x{} board", start.width(), start.height());
            at_line(line, BadGameReason::Unplayable { ply: index + 1, what })
        })
    });
    let (tree, fault) = line(start.clone(), points)?;
    // Faults of moves are found at the number that stands beside them: the line.
    let fault = fault.map(|fault| match fault.place {
        Place::Offset(line) => Fault { place: Place::Line(line), ..fault },
        Place::Line(_) => fault,
    });
    let mut tags = Vec::new();
    for (name, value) in ["Black", "White"].into_iter().zip(names) {
        let value = if value == "-1" { String::new() } else { tidy(value) };
        push_tag(&mut tags, name, value);
    }
    Ok(Found { fault, ..Found::new(board::record(tags, start, None, tree)) })
}

/// The names of the players, a line each, and how many of the tags that are.
fn names(record: &Record<Board>) -> (String, usize) {
    let names = ["Black", "White"].map(|side| record.tag(side));
    let names = names.map(|name| name.map(|name| name.replace(['\n', '\r'], " ")));
    let kept = names.iter().flatten().count();
    let [black, white] = names.map(Option::unwrap_or_default);
    (format!("{black}\n{white}\n"), kept)
}

/// Writes a record as a file of Piskvork, and counts what is left out.
fn psq_written(record: &Record<Board>, _: &WriteOptions) -> Result<Written, WriteError> {
    let start = fit::empty_start(record, Format::Psq)?;
    let (text, kept) = write_psq(record, &start);
    Ok(Written::text(text, fit::without_result(record, fit::lost_by_line(record, kept))))
}

/// Writes a record as a file of Gomotur, and counts what is left out.
fn rec_written(record: &Record<Board>, _: &WriteOptions) -> Result<Written, WriteError> {
    let start = fit::empty_start(record, Format::Rec)?;
    let written = write_rec(record, &start).ok_or_else(|| fit::unfit_board(Format::Rec));
    let (text, kept) = written?;
    Ok(Written::text(text, fit::without_result(record, fit::lost_by_line(record, kept))))
}

/// A file of Piskvork of a record on an empty board, and the number of its tags that are in it.
fn write_psq(record: &Record<Board>, start: &Board) -> (String, usize) {
    let (names, kept) = names(record);
    let mut text = format!("{PISKVORKY} {}x{}, 0:0, 0\n", start.width(), start.height());
    put_moves(&mut text, record, start, 1);
    text += &names;
    text += "0\n";
    if start.variant() != Variant::default() {
        text.push_str("0,");
        text.push_str(start.variant().name());
        text.push('\n');
    }
    (text, kept)
}

/// A file of Gomotur of a record on an empty board, and the number of its tags that are in it; `None` where
/// reading it would give another board, or other names.
fn write_rec(record: &Record<Board>, start: &Board) -> Option<(String, usize)> {
    let (mut text, kept) = names(record);
    if record.tree.moves.is_empty() || text.lines().any(|line| numbers(line).is_some()) {
        return None;
    }
    let before = text.len();
    put_moves(&mut text, record, start, 0);
    let most = record.tree.moves.iter().map(|&mv| {
        let (column, row) = board::to_top(start, mv);
        column.max(row)
    });
    let is_small = most.max().unwrap_or(0) < 15;
    let side = start.width();
    // A reader takes the smaller board if all moves are within it.
    let is_read_so = side == start.height() && matches!(side, 15 | 20) && (side == 15) == is_small;
    (is_read_so && start.variant() == Variant::default() && text.len() > before)
        .then_some((text, kept))
}

fn put_moves(text: &mut String, record: &Record<Board>, start: &Board, first: u8) {
    for &mv in &record.tree.moves {
        let (column, row) = board::to_top(start, mv);
        let written = writeln!(text, "{},{},0", column + first, row + first);
        debug_assert!(written.is_ok(), "writing to a string cannot fail");
    }
}
