//! Admission: decides which of many files hold games. Files of a folder and members of an archive are judged
//! by the same rules, so that both give the same.

use crate::message::{Message, ToMessage};
use crate::record::archives::unpack::{Coding, read_up_to};
use crate::record::archives::{sevenz, tar};
use crate::record::formats::Formats;
use crate::record::model::format::Format;

/// The number of bytes at the beginning of a file from which its kind is determined.
pub(crate) const HEAD_BYTES: usize = 1 << 20;

/// The reasons for passing over a file that is hidden, or a link.
pub(crate) const HIDDEN: &str = "hidden: its name begins with a dot";
pub(crate) const LINK: &str = "a link; what it points to is read where it is given by name";

/// Judges a file by its name and its beginning: [`admit`] for a game.
pub(crate) type Admit = fn(&str, &[u8]) -> Result<(), Message>;

/// Judges a file by its name and by its first [`HEAD_BYTES`], or all that it has.
///
/// # Errors
///
/// The reason for passing it over. A file whose name promises games is never passed over, nor is an archive,
/// whatever it contains: if it cannot be read, the reader reports it.
pub(crate) fn admit<G: Formats>(name: &str, head: &[u8]) -> Result<(), Message> {
    if Format::is_game_file(name, G::FORMATS) == Some(true)
        || Format::is_archive(name)
        || Archive::of(head).is_some()
    {
        return Ok(());
    }
    let Some(coding) = Coding::of(head) else { return admit_bare::<G>(name, head) };
    let mut inner = vec![0; HEAD_BYTES];
    let read = coding.open(head).and_then(|mut input| read_up_to(&mut *input, &mut inner));
    // Damage is for the reader to say.
    let Ok(len) = read else { return Ok(()) };
    let inner = &inner[..len];
    if Archive::of(inner).is_some() || Coding::of(inner).is_some() {
        return Ok(());
    }
    admit_bare::<G>(name, inner)
}

/// Judges by content. Binary formats are admitted whatever the name. Texts whose names say nothing against it
/// hold games if they have a tag or begin with a move, others only if a game can be read, up to an illegal
/// move perhaps: examples stand in many texts.
fn admit_bare<G: Formats>(name: &str, head: &[u8]) -> Result<(), Message> {
    if head.trim_ascii().is_empty() {
        return Err("empty".into());
    }
    let format = G::sniff(head).map_err(|reason| reason.message())?;
    let is_game = match format {
        format if G::is_unmistakable(format) => true,
        _ if !Format::is_open_name(name) => has_a_game::<G>(head),
        format => G::begins_like_games(format, head) || has_a_game::<G>(head),
    };
    is_game.then_some(()).ok_or_else(|| "a text in which no game is found".into())
}

/// Returns true if a game with moves can be read, or at least its first two moves.
fn has_a_game<G: Formats>(head: &[u8]) -> bool {
    let mut found = false;
    G::read_records("", head, &mut |game| {
        found |= match game {
            Ok(game) => !game.record.tree.moves.is_empty(),
            Err(bad) => bad.reason.bad_ply().is_some_and(|ply| ply > 1),
        };
    });
    found
}

/// Returns true if a file that begins with `head` is packed, or an archive.
pub(crate) fn is_packed(head: &[u8]) -> bool {
    Archive::of(head).is_some() || Coding::of(head).is_some()
}

/// A kind of file that holds many files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Archive {
    Zip,
    Tar,
    SevenZ,
    Rar,
}

impl Archive {
    /// The kind of archive that bytes are that begin like that.
    pub(crate) fn of(head: &[u8]) -> Option<Self> {
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
pub(crate) fn base_name(name: &str) -> &str {
    name.rsplit(['/', '\\']).next().unwrap_or_default()
}

/// Returns true if a file of that path is hidden, or lies in a folder that is.
pub(crate) fn is_hidden(path: &str) -> bool {
    path.split(['/', '\\']).any(|part| part.starts_with('.') && !matches!(part, "." | ".."))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::xiangqi::Position;

    #[test]
    fn games_with_an_illegal_move_are_games_whatever_their_name() {
        let pgn = "[Event \"a\"]\n\n1. h2e2 h9g7 2. h0g2 a0a9 *\n";
        let wxf = "FORMAT WXF\nSTART{\n1. C2.5 H8+7\n2. H2+3 R9.9\n}END\n";
        let text = "标题：a\n1. 炮二平五 马８进７\n2. 马二进三 车９平９\n";
        for game in [pgn, wxf, text, "{\"moves\":\"h2e2 h9g7 h2h2\"}\n"] {
            for name in ["01.第一局", "x.pgn.bak", "x.dat"] {
                assert_eq!(admit::<Position>(name, game.as_bytes()), Ok(()), "{name}: {game}");
            }
        }
        let che = "1 3\r\n25 32 1 2 7 2 4 0 1 0 7 32 0 9 7 7 6 0 2 0 7 32 1 0 0 9 8 0 3 0\r\n";
        assert_eq!(Format::sniff(che.as_bytes()), Ok(Format::Che));
        assert_eq!(admit::<Position>("che1.dat", che.as_bytes()), Ok(()));
        for text in ["[Red \"a\"]\n\n1. h2e3 *\n", "See 1. h2e2 h9g7.\n", "{\"moves\":3}"] {
            assert!(admit::<Position>("notes.md", text.as_bytes()).is_err(), "{text}");
        }
    }
}
