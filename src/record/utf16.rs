//! Sources in UTF-16, which are turned into UTF-8 as a whole before anything else is done with them: their bytes may look
//! like line ends and brackets.

use std::borrow::Cow;

use crate::game::Game;
use crate::record::model::bad_game::{BadGame, BadGameReason};
use crate::record::model::chunk::Chunk;
use crate::record::model::encoding::Encoding;
use crate::record::model::parsed::{GameSink, ReadSummary};
use crate::record::model::place::Place;

/// The most bytes of a source that are read.
const MOST_BYTES: usize = 64 << 20;

/// The bytes that show a source's format.
const HEAD_BYTES: usize = 2 << 20;

/// The format of a source in UTF-16, by its beginning.
pub(crate) fn sniff<T>(
    bytes: &[u8],
    encoding: Encoding,
    sniff: impl FnOnce(&[u8]) -> Result<T, BadGameReason>,
) -> Result<T, BadGameReason> {
    let head = &bytes[..bytes.len().min(HEAD_BYTES)];
    sniff(text_of(head, encoding).0.as_bytes())
}

/// The beginning of a source as UTF-8, if it is UTF-16.
pub(crate) fn head(bytes: &[u8]) -> Cow<'_, [u8]> {
    let head = &bytes[..bytes.len().min(HEAD_BYTES)];
    match Encoding::utf16_of(head) {
        None => Cow::Borrowed(bytes),
        Some(encoding) => Cow::Owned(text_of(head, encoding).0.into_owned().into_bytes()),
    }
}

/// The text without its mark, and whether bytes of it stand for no character. Half a character at the end is cut off.
fn text_of(bytes: &[u8], encoding: Encoding) -> (Cow<'_, str>, bool) {
    let bytes = bytes
        .strip_prefix(b"\xff\xfe")
        .or_else(|| bytes.strip_prefix(b"\xfe\xff"))
        .unwrap_or(bytes);
    encoding.decode_shown(&bytes[..bytes.len() & !1])
}

/// Reads the games of a chunk that is a whole source in UTF-16, with the functions that cut and read one in UTF-8.
pub(crate) fn read<G: Game>(
    source: &str,
    bytes: &[u8],
    chunk: &Chunk,
    sink: &mut GameSink<'_, G>,
    split: fn(&[u8], usize) -> Vec<Chunk>,
    read: fn(&str, &[u8], &Chunk, &mut GameSink<'_, G>) -> ReadSummary,
) -> ReadSummary {
    let bytes = bytes.get(chunk.bytes.clone()).unwrap_or_default();
    if bytes.len() > MOST_BYTES {
        return refuse_whole(source, BadGameReason::Utf16, sink);
    }
    let (text, is_undecoded) = text_of(bytes, chunk.encoding);
    let text = text.as_bytes();
    let parts = split(text, usize::MAX);
    // What is UTF-8 now is not taken for UTF-16 again.
    if parts.iter().any(|part| part.encoding.is_utf16()) {
        let what = "text with zeros between its letters, such as UTF-32; convert it to UTF-8";
        return refuse_whole(source, BadGameReason::Unsupported(what.to_owned().into()), sink);
    }
    let mut summary = ReadSummary::default();
    for part in parts {
        summary += read(source, text, &part.read_with(chunk.options), sink);
    }
    // To the readers the parts are faultless UTF-8, so they do not count what was lost here: the source counts as one game.
    summary.undecoded += u64::from(is_undecoded && summary.undecoded == 0);
    summary
}

/// Hands over a whole source as one bad game.
fn refuse_whole<G: Game>(
    source: &str,
    reason: BadGameReason,
    sink: &mut GameSink<'_, G>,
) -> ReadSummary {
    let source = source.to_owned();
    sink(Err(BadGame { source, place: Place::Line(1), game: 1, reason }));
    ReadSummary { bad: 1, ..ReadSummary::default() }
}
