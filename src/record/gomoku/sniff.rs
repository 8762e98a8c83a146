//! The format of a source of gomoku games, determined from its content alone.

use crate::record::gomoku::{bdt, lib, moves, offsets, piskvork, pos, rif};
use crate::record::model::encoding::{Encoding, UTF8_MARK};
use crate::record::model::format::Format;
use crate::record::model::parsed::BadGameReason;
use crate::record::sniff;
use crate::record::text::plain::is_remark;
use crate::record::text::utf16;

/// The number of bytes of a source that are looked at.
const SAMPLE_BYTES: usize = 64 << 10;

pub(crate) use crate::record::sniff::is_text;

/// The format of a source. A blank source counts as lines of moves without games.
pub(crate) fn sniff(bytes: &[u8]) -> Result<Format, BadGameReason> {
    sniff::refuse_foreign(bytes)?;
    if begins_database(bytes) {
        let what = "a database of positions by Yixin or Rapfi, which `juzhong book import` makes a book of";
        return Err(BadGameReason::Unsupported(what.to_owned().into()));
    }
    if bytes.starts_with(lib::MAGIC) {
        return Ok(Format::Lib);
    }
    if let Some(encoding) = Encoding::utf16_of(bytes) {
        return utf16::sniff(bytes, encoding, sniff_bare);
    }
    sniff_bare(bytes)
}

/// The encoding of a source if it is UTF-16, and no binary file.
pub(crate) fn utf16_of(bytes: &[u8]) -> Option<Encoding> {
    let is_binary = bytes.starts_with(lib::MAGIC) || begins_database(bytes);
    Encoding::utf16_of(bytes).filter(|_| !is_binary && sniff::refuse_foreign(bytes).is_ok())
}

fn sniff_bare(bytes: &[u8]) -> Result<Format, BadGameReason> {
    let text = bytes.strip_prefix(UTF8_MARK).unwrap_or(bytes).trim_ascii_start();
    let sample = &text[..text.len().min(SAMPLE_BYTES)];
    if sample.is_empty() {
        return Ok(Format::Moves);
    }
    if is_text(sample)
        && let Some(format) = by_text(bytes.strip_prefix(UTF8_MARK).unwrap_or(bytes), sample)
    {
        return Ok(format);
    }
    if pos::looks_like(bytes) {
        return Ok(Format::Pos);
    }
    sniff::refuse_json(bytes)?;
    Err(BadGameReason::UnknownFormat(sniff::beginning(bytes).into()))
}

/// Returns true if a source begins as a database of Yixin or Rapfi does: a number of records, and a record that has the
/// rule, the size of the board and points as its key.
pub(crate) fn begins_database(bytes: &[u8]) -> bool {
    let part = |input: &mut &[u8]| {
        let len = input.split_off(..2)?.first_chunk().map(|&len| u16::from_le_bytes(len))?;
        input.split_off(..usize::from(len)).map(<[u8]>::to_vec)
    };
    let Some(mut rest) = bytes.get(4..) else { return false };
    let Some(key) = part(&mut rest) else { return false };
    let is_sound = matches!(key.as_slice(), &[rule, width, height, ..]
        if rule <= 2 && width <= 32 && height <= 32 && key.len() % 2 == 1);
    is_sound && part(&mut rest).is_some()
}

fn by_text(whole: &[u8], sample: &[u8]) -> Option<Format> {
    if sample.starts_with(piskvork::PISKVORKY.as_bytes()) {
        return Some(Format::Psq);
    }
    if sniff::begins_object(sample) {
        return (!sniff::is_json_over_lines(sample)).then_some(Format::Jsonl);
    }
    let text = Encoding::detect(sample).decode_lossy(sample);
    let node = text.strip_prefix('(').and_then(|rest| rest.trim_start().strip_prefix(';'));
    // Forty stones may begin so as well; no tree of that length has forty different letters.
    if node.is_some() && !pos::looks_like(whole) {
        return Some(Format::Sgf);
    }
    if rif::looks_like(&text) {
        return Some(Format::Rif);
    }
    // Players without names are blank lines.
    let whole = &whole[..whole.len().min(SAMPLE_BYTES)];
    if piskvork::is_rec(&Encoding::detect(whole).decode_lossy(whole)) {
        return Some(Format::Rec);
    }
    let line = text.lines().map(str::trim).find(|line| !is_remark(line))?;
    if bdt::looks_like(line) {
        return Some(Format::Bdt);
    }
    if offsets::looks_like(line) {
        return Some(Format::Offsets);
    }
    moves::looks_like(line).then_some(Format::Moves)
}
