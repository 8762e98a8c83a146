//! Admission: decides which of many files hold games. Files of a folder and members of an archive are judged
//! by the same rules, so that both give the same.

use super::scan::{Scanner, Token};
use super::unpack::{Coding, read_up_to};
use super::{Encoding, Format, plain, read_games, sevenz, split, tar};

/// The number of bytes at the beginning of a file from which its kind is determined.
pub(crate) const HEAD_BYTES: usize = 1 << 20;

/// Bytes of a text that are searched for a tag or a move.
const SAMPLE_BYTES: usize = 64 << 10;

/// The reasons for passing over a file that is hidden, or a link.
pub(crate) const HIDDEN: &str = "hidden: its name begins with a dot";
pub(crate) const LINK: &str = "a link; what it points to is read where it is given by name";

/// Judges a file by its name and by its first [`HEAD_BYTES`], or all that it has.
///
/// # Errors
///
/// The reason for passing it over. A file whose name promises games is never passed over, nor is an archive,
/// whatever it contains: if it cannot be read, the reader reports it.
pub(crate) fn admit(name: &str, head: &[u8]) -> Result<(), String> {
    if Format::is_game_file(name) == Some(true)
        || Format::is_archive(name)
        || Archive::of(head).is_some()
    {
        return Ok(());
    }
    let Some(coding) = Coding::of(head) else { return admit_bare(name, head) };
    let mut inner = vec![0; HEAD_BYTES];
    let read = coding.open(head).and_then(|mut input| read_up_to(&mut *input, &mut inner));
    // Damage is for the reader to say.
    let Ok(len) = read else { return Ok(()) };
    let inner = &inner[..len];
    if Archive::of(inner).is_some() || Coding::of(inner).is_some() {
        return Ok(());
    }
    admit_bare(name, inner)
}

/// Judges by content. Texts whose names say nothing against it hold games if they have a tag or begin
/// with a move, others only if a game can be read: examples stand in many texts.
fn admit_bare(name: &str, head: &[u8]) -> Result<(), String> {
    if head.trim_ascii().is_empty() {
        return Err("empty".to_owned());
    }
    let format = Format::sniff(head).map_err(|reason| reason.to_string())?;
    let is_game = match format {
        Format::Xqf | Format::Cbr | Format::Cbl => true,
        _ if !Format::is_open_name(name) => has_a_game(head),
        Format::Pgn => has_tag(head) || begins_with_a_move(head) || has_a_game(head),
        _ => true,
    };
    is_game.then_some(()).ok_or_else(|| "a text in which no game is found".to_owned())
}

fn has_tag(head: &[u8]) -> bool {
    let sample = &head[..head.len().min(SAMPLE_BYTES)];
    let mut lines = sample.split(|&b| matches!(b, b'\n' | b'\r'));
    lines.any(|line| {
        let line = line.trim_ascii_start();
        let name = split::tag_name(line);
        name.is_some_and(|name| line[name.len() + 1..].trim_ascii_start().starts_with(b"\""))
    })
}

fn begins_with_a_move(head: &[u8]) -> bool {
    let sample = &head[..head.len().min(SAMPLE_BYTES)];
    let text = Encoding::detect(head).decode_lossy(sample);
    if text.starts_with(['{', '(', ';', '%', '｛']) {
        return false;
    }
    let mut scanner = Scanner::new(&text);
    loop {
        match scanner.next() {
            Some(Token::Move(first)) => return plain::is_move(&first),
            Some(_) => {}
            None => return false,
        }
    }
}

fn has_a_game(head: &[u8]) -> bool {
    let mut found = false;
    read_games("", head, &mut |game| {
        found |= game.is_ok_and(|game| !game.record.tree.moves.is_empty());
    });
    found
}

/// Returns true if a file that begins with `head` is packed, or an archive.
pub(super) fn is_packed(head: &[u8]) -> bool {
    Archive::of(head).is_some() || Coding::of(head).is_some()
}

/// A kind of file that holds many files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Archive {
    Zip,
    Tar,
    SevenZ,
    Rar,
}

impl Archive {
    /// The kind of archive that bytes are that begin like that.
    pub(super) fn of(head: &[u8]) -> Option<Self> {
        if head.starts_with(b"PK\x03\x04") || head.starts_with(b"PK\x05\x06") {
            Some(Self::Zip)
        } else if head.starts_with(sevenz::MARK) {
            Some(Self::SevenZ)
        } else if head.starts_with(b"Rar!\x1a\x07") {
            Some(Self::Rar)
        } else {
            tar::is_tar(head).then_some(Self::Tar)
        }
    }
}

/// The name of a member without what stands before its folders.
pub(super) fn base_name(name: &str) -> &str {
    name.rsplit(['/', '\\']).next().unwrap_or_default()
}

/// Returns true if a file of that path is hidden, or lies in a folder that is.
pub(super) fn is_hidden(path: &str) -> bool {
    path.split(['/', '\\']).any(|part| part.starts_with('.') && !matches!(part, "." | ".."))
}
