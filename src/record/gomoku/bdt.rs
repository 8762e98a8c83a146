//! Tables of games, a line each: `Tournament=[Black,White,+,7887…,…,…,comment]`. The result is `+`, `-` or `=`
//! for Black; two hexadecimal digits are a move on 15×15 points, column and row from 1.

use crate::game::{Outcome, Side};
use crate::gomoku::{Board, Point, Variant};
use crate::message::message;
use crate::record::gomoku::{board, fit, lines};
use crate::record::model::bad_game::BadGameReason;
use crate::record::model::chunk::Cut;
use crate::record::model::format::Format;
use crate::record::model::format_row::{FormatInfo, FormatRow, ReadGames, Sniffer, Stage};
use crate::record::model::record::Record;
use crate::record::model::single::{Fault, Found, line, malformed};
use crate::record::model::texts::push_tag;
use crate::record::model::written::{WriteError, WriteOptions, Written};
use crate::record::text::split::cut_lines;

/// The row of tables of games.
pub(crate) const ROW: FormatRow<Board> = FormatRow {
    info: FormatInfo {
        cut: Cut::Games(cut_lines),
        ..FormatInfo::of_text(Format::Bdt, "bdt", &["bdt"])
    },
    sniff: &[Sniffer {
        stage: Stage::Moves,
        shows: |sample| lines::first_line_is(sample, looks_like),
    }],
    read: ReadGames::Chunk(|reader| lines::read(reader, game)),
    write: Some(written),
};

/// Returns true if a line has the form of a game.
fn looks_like(text: &str) -> bool {
    fields(text).is_some_and(|(_, fields)| {
        fields.len() >= 4
            && matches!(fields[2].trim(), "+" | "-" | "=" | "")
            && fields[3].trim().bytes().all(|byte| byte.is_ascii_hexdigit())
    })
}

fn fields(text: &str) -> Option<(&str, Vec<&str>)> {
    let (event, rest) = text.split_once("=[")?;
    let inside = rest.trim_end().strip_suffix(']')?;
    Some((event.trim(), inside.splitn(7, ',').collect()))
}

/// A hexadecimal digit, counted from 1, as an index.
fn digit(byte: u8) -> Option<u32> {
    char::from(byte).to_digit(16)?.checked_sub(1)
}

/// Reads the game of a line.
fn game(text: &str, _stated: Option<(u8, u8)>) -> Result<Found<Board>, Fault> {
    let (event, fields) = fields(text).ok_or_else(no_game)?;
    let [black, white, result, moves, rest @ ..] = &fields[..] else { return Err(no_game()) };
    let start = board::empty(15, 15, Variant::default()).map_err(|r| Fault::at(0, r))?;
    let bytes = moves.trim().as_bytes();
    let (pairs, odd) = bytes.as_chunks::<2>();
    let points = pairs.iter().enumerate().map(|(index, pair)| {
        let point = digit(pair[0]).zip(digit(pair[1])).and_then(|(column, row)| {
            Point::new(u8::try_from(column).ok()?, u8::try_from(row).ok()?)
        });
        point.map(|point| (0, point)).ok_or_else(|| {
            let what = message!("\"{}\" is no point from 11 to FF", String::from_utf8_lossy(pair));
            Fault::at(0, BadGameReason::Unplayable { ply: index + 1, what })
        })
    });
    let (tree, fault) = line(start.clone(), points)?;
    let odd = (!odd.is_empty()).then(|| malformed(0, "an odd number of hexadecimal digits"));
    let result = match result.trim() {
        "+" => Some(Outcome::Win(Side::First)),
        "-" => Some(Outcome::Win(Side::Second)),
        "=" => Some(Outcome::Draw),
        _ => None,
    };
    let mut tags = Vec::new();
    push_tag(&mut tags, "Event", event.to_owned());
    push_tag(&mut tags, "Black", black.trim().to_owned());
    push_tag(&mut tags, "White", white.trim().to_owned());
    let comment = rest.get(2).map_or("", |comment| comment.trim());
    push_tag(&mut tags, "Annotation", comment.to_owned());
    if let Some(odd) = odd {
        return Err(odd);
    }
    Ok(Found { fault, ..Found::new(board::record(tags, &start, result, tree)) })
}

/// The fault of a line that has another form.
fn no_game() -> Fault {
    malformed(0, "no line of the form Tournament=[Black,White,+,moves,...]")
}

/// Writes a record, and counts what is left out.
fn written(record: &Record<Board>, _: &WriteOptions) -> Result<Written, WriteError> {
    fit::usual_start(record, Format::Bdt)?;
    let (line, kept) = write(record);
    Ok(Written::text(line, fit::lost_by_line(record, kept)))
}

/// The line of a record on an empty board of 15×15 points, and the number of its tags that are in it.
fn write(record: &Record<Board>) -> (String, usize) {
    let names = ["Event", "Black", "White", "Annotation"];
    let kept = names.iter().filter(|name| record.tag(name).is_some()).count();
    let result = match record.result {
        Some(Outcome::Win(Side::First)) => "+",
        Some(Outcome::Win(Side::Second)) => "-",
        Some(Outcome::Draw) => "=",
        None => "",
    };
    let moves: String = record
        .tree
        .moves
        .iter()
        .map(|mv| format!("{:X}{:X}", mv.column() + 1, mv.row() + 1))
        .collect();
    let text = format!(
        "{}=[{},{},{result},{moves},,0,{}]\n",
        cell(record, "Event", &['=', '[', ']']),
        cell(record, "Black", &[',', ']']),
        cell(record, "White", &[',', ']']),
        cell(record, "Annotation", &[']']),
    );
    (text, kept)
}

/// The value of a tag without line ends and what would end it.
fn cell(record: &Record<Board>, name: &str, stops: &[char]) -> String {
    let value = record.tag(name).unwrap_or_default().replace(['\n', '\r'], " ");
    value.replace(stops, " ").trim().to_owned()
}
