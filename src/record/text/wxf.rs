//! WXF files, as PlayOK and XieXie write them (`.wxf`). Some say nothing of `GAME`, many games may stand
//! in one file:
//!
//! ```text
//! FORMAT  WXF
//! GAME    Round 1
//! RED     name ; rating ;;
//! BLACK   name ; rating ;;
//! RESULT  1-0
//! DATE    2020-02-02 02:02:02
//! EVENT   …
//! FEN     …                              if it is not the usual start
//! START{
//!  1. C2.5  H8+7     !2. H2+3!  /* a remark */  h8+9
//! }END
//! ```
//!
//! Moves without their end are a game that is cut off. `.` is sideways, as is `=`; Black's moves may be in small letters; `!` and `?` before numbers and after
//! moves say how good a move is and are passed over. XieXie writes `P3+1` for either of two pawns on one
//! file: that one is meant with which the rest of the game can be played, else the one in front. Such
//! moves are counted.

use crate::record::model::bad_game::BadGameReason;
use crate::record::model::chunk::Chunk;
use crate::record::model::chunk_reader::ChunkReader;
use crate::record::model::format::Format;
use crate::record::model::format_row::{FormatInfo, FormatRow, ReadGames, Sniffer, Stage};
use crate::record::model::limits::MAX_GAME_BYTES;
use crate::record::model::place::Place;
use crate::record::text::pgn;
use crate::record::text::pgn::{BlockFault, BlockGame};
use crate::record::text::split::{Lines, TextLine};

/// The row of WXF files.
pub(crate) const ROW: FormatRow = FormatRow {
    info: FormatInfo::of_text(Format::Wxf, "wxf", &["wxf"]),
    sniff: &[Sniffer { stage: Stage::Beginning, shows: |sample| looks_like(sample.head()) }],
    read: ReadGames::Chunk(read),
    write: None,
};

/// Names of lines before the moves, and the tags that they become.
const TAGS: [(&str, &str); 12] = [
    ("GAME", "Title"),
    ("EVENT", "Event"),
    ("SITE", "Site"),
    ("PLACE", "Site"),
    ("DATE", "Date"),
    ("ROUND", "Round"),
    ("RESULT", "Result"),
    ("RED", "Red"),
    ("BLACK", "Black"),
    ("FEN", "FEN"),
    ("TIME", "TimeControl"),
    ("ECCO", "ECCO"),
];

/// Returns true if a text is a WXF file: `FORMAT` and `WXF` on its first line.
fn looks_like(text: &[u8]) -> bool {
    let line = text.split(|&b| matches!(b, b'\n' | b'\r')).next().unwrap_or_default();
    let mut words =
        line[..line.len().min(64)].split(u8::is_ascii_whitespace).filter(|w| !w.is_empty());
    let names = [&b"FORMAT"[..], b"WXF"];
    names.iter().all(|name| words.next().is_some_and(|word| word.eq_ignore_ascii_case(name)))
}

/// Reads the games of a file.
fn read(reader: &mut ChunkReader<'_>) {
    let bytes = reader.bytes;
    let mut number = 1;
    let mut open: Option<TextLine<'_>> = None;
    for line in Lines::new(bytes, reader.chunk) {
        if looks_like(line.text)
            && let Some(start) = open.replace(line)
        {
            finish(reader, number, start.line, &bytes[start.start..line.start]);
            number += 1;
        }
    }
    if let Some(start) = open {
        finish(reader, number, start.line, &bytes[start.start..]);
    }
}

/// Hands over the game of a block that begins on a line.
fn finish(reader: &mut ChunkReader<'_>, number: u64, line: u64, block: &[u8]) {
    let read = read_block(block, reader.chunk);
    pgn::hand_over(reader, Place::Line(line), number, read);
}

fn read_block(bytes: &[u8], chunk: &Chunk) -> Result<Option<BlockGame>, BlockFault> {
    if bytes.len() > MAX_GAME_BYTES {
        return Err(BlockFault::new(0, BadGameReason::TooLong(bytes.len())));
    }
    let (text, is_undecoded) = chunk.encoding.decode_part(bytes);
    let text = text.replace("\r\n", "\n").replace('\r', "\n");
    let Some(begin) = find_start(&text) else {
        let what = "a WXF game without START{ before its moves";
        return Err(BlockFault::new(0, BadGameReason::Malformed(what.to_owned().into())));
    };
    let (head, moves) = text.split_at(begin);
    let lines = head.matches('\n').count() as u64;
    let moves = moves.split_once('{').map_or("", |(_, moves)| moves);
    let (moves, is_closed) = moves_text(moves);
    let read = match pgn::read_wxf(&moves, &tags(head)) {
        Ok(Some(game)) if !is_closed => Err(cut_off(&moves, game)),
        read => read,
    };
    let read = pgn::noting(read, is_undecoded);
    let read = read.map(|game| game.map(|game| game.after_lines(lines)));
    read.map_err(|fault| {
        let part = fault.part.map(|part| Box::new(BlockGame::after_lines(*part, lines)));
        BlockFault { lines: fault.lines + lines, part, ..fault }
    })
}

/// The fault of moves that lack their end, and the game that they make so far.
fn cut_off(moves: &str, game: BlockGame) -> BlockFault {
    let lines = moves.trim_end().matches('\n').count() as u64;
    let reason = BadGameReason::Truncated("the moves, which }END ends".into());
    let has_moves = !game.record.tree.moves.is_empty();
    BlockFault { lines, reason, part: has_moves.then(|| Box::new(game)) }
}

/// The offset of the word `START` that a brace follows.
fn find_start(text: &str) -> Option<usize> {
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let word = line.trim_start();
        let is_start = word.get(..5).is_some_and(|word| word.eq_ignore_ascii_case("START"));
        if is_start && word[5..].trim_start().starts_with('{') {
            return Some(at + line.len() - word.len());
        }
        at += line.len();
    }
    None
}

/// The tags that the lines before the moves state.
fn tags(head: &str) -> Vec<(String, String)> {
    let mut tags = Vec::new();
    for line in head.lines() {
        let (name, value) =
            line.trim().split_once(char::is_whitespace).unwrap_or((line.trim(), ""));
        let Some((_, tag)) = TAGS.iter().find(|(known, _)| name.eq_ignore_ascii_case(known)) else {
            continue;
        };
        let mut fields = value.split(';').map(str::trim);
        let first = fields.next().unwrap_or_default();
        let is_player = matches!(*tag, "Red" | "Black");
        let value = if is_player { first } else { value.trim().trim_end_matches(';').trim_end() };
        if !value.is_empty() {
            tags.push(((*tag).to_owned(), value.to_owned()));
        }
        let rating = fields.next().filter(|text| text.parse::<u16>().is_ok());
        if let Some(rating) = rating.filter(|_| is_player) {
            tags.push((format!("{tag}Elo"), rating.to_owned()));
        }
    }
    tags
}

/// The moves as PGN has them: remarks in braces, no decorations, up to the end of the moves; and whether
/// that is there.
fn moves_text(text: &str) -> (String, bool) {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        if let Some(remark) = rest.strip_prefix("/*") {
            let (remark, after) = remark.split_once("*/").unwrap_or((remark, ""));
            out.push('{');
            // A brace within would end the comment; its reader replaces the reference.
            out.push_str(&remark.replace('}', "&#125;"));
            out.push('}');
            rest = after;
            continue;
        }
        match c {
            '}' => return (out, true),
            // Decorations stand before numbers, too; a semicolon would begin a comment of PGN.
            '!' | '?' | ';' | '！' | '？' => out.push(' '),
            c => out.push(c),
        }
        rest = &rest[c.len_utf8()..];
    }
    (out, false)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::model::parsed::{ParsedGame, ReadSummary};
    use crate::record::source::{read_chunk, read_games};
    use crate::record::text::pgn_writer::result_text;

    fn read_all(text: &str) -> (Vec<String>, ReadSummary) {
        assert_eq!(Format::sniff(text.as_bytes()), Ok(Format::Wxf));
        let mut games = Vec::new();
        let summary = read_games("t", text.as_bytes(), &mut |game| {
            games.push(match game {
                Ok(game) => {
                    let record = &game.record;
                    let moves: Vec<_> = record.tree.moves.iter().map(ToString::to_string).collect();
                    let tags: Vec<_> =
                        record.tags.iter().map(|(n, v)| format!("{n}={v}")).collect();
                    format!(
                        "{} | {} | {} | {:?}",
                        tags.join(" "),
                        moves.join(" "),
                        result_text(record.result),
                        record.tree.comments
                    )
                }
                Err(bad) => bad.to_string(),
            });
        });
        (games, summary)
    }

    #[test]
    fn games_with_decorations() {
        let text = "FORMAT\tWXF\r\nRED a b ; 1200 ;;\r\nBLACK  c;;;\r\nRESULT 1-0\r\nSTART{\r\n !1. C2.5!! h8+7 /* a } */ ;;;\r\n2. H2+3? }END\r\n\r\nFORMAT WXF\nGAME x\nSTART{\n1. C2.5 C2.9\n}END";
        let (games, _) = read_all(text);
        assert_eq!(
            games[0],
            "Red=a b RedElo=1200 Black=c Result=1-0 | h2e2 h9g7 h0g2 | 1-0 | [(2, \"a }\")]"
        );
        assert_eq!(
            games[1],
            "t:12: game 2: ply 2: \"C2.9\" is illegal: the way is blocked, or a cannon lacks its screen"
        );
        let (games, _) = read_all("FORMAT WXF\nRED a\n");
        assert!(games[0].contains("START{"), "{games:?}");
    }

    #[test]
    fn a_game_without_its_end_is_cut_off() {
        let whole = "FORMAT WXF\nRED a\nSTART{\n1. C2.5 H8+7\n2. H2+3 \n}END\n";
        let cut = &whole[..whole.find('}').unwrap()];
        let next = format!("{cut}\n\n{whole}");
        for (text, count) in [(cut, 1), (&next, 2)] {
            let (games, summary) = read_all(text);
            assert_eq!((games.len(), summary.bad), (count, 1));
            assert_eq!(
                games[0],
                "t:5: game 1: truncated: the file ends within the moves, which }END ends"
            );
            let chunk = Chunk::whole_text(text.as_bytes(), Format::Wxf).keeping_legal_part(true);
            let mut kept = Vec::new();
            let mut keep = |game: Result<ParsedGame, _>| kept.push(game.unwrap());
            let summary = read_chunk("t", text.as_bytes(), &chunk, &mut keep);
            assert_eq!((summary.games, summary.cut), (count as u64, 1));
            assert_eq!(kept[0].record.tree.moves.len(), 3);
            assert!(kept[0].cut.is_some());
        }
    }

    #[test]
    fn the_rest_of_the_game_tells_which_pawn_moves() {
        // Red's pawns on c5 and c3, Black's rook on c9.
        let fen = "2rk5/9/9/9/2P6/9/2P6/9/9/4K4 w";
        let game = |moves: &str| format!("FORMAT WXF\nFEN {fen}\nSTART{{\n{moves}\n}}END\n");
        let (games, summary) = read_all(&game("P7+1 K4+1"));
        assert!(games[0].contains("| c5c6 d9d8 |"), "{games:?}");
        assert_eq!(summary.guessed, 1);
        // The rook could not take over a pawn on c6: it was the one behind that moved.
        let (games, summary) = read_all(&game("P7+1 R3+4 K5+1"));
        assert!(games[0].contains("| c3c4 c9c5 e0e1 |"), "{games:?}");
        assert_eq!((summary.games, summary.guessed), (1, 1));
        let (games, _) = read_all(&game("P7+1 R3+9"));
        assert!(games[0].contains("ply 2"), "{games:?}");
    }
}
