//! The reason, in words, why a program does not start, by what the system says and what stands at its path.

use std::fs::{self, File};
use std::io::{self, ErrorKind, Read};
use std::path::Path;

use crate::message::{Message, message};
use crate::protocol::client::ClientError;

/// Bytes at the beginning of a file that are looked at.
const HEAD: u64 = 4096;
/// The question where nothing better is known.
const UNKNOWN: &str = "is the path right, and the file a program?";

/// The error that a program does not start.
pub(crate) fn not_started(program: &str, source: io::Error) -> ClientError {
    ClientError::Start { engine: program.to_owned(), why: why(program, &source), source }
}

/// The reason why a program cannot be started, and the remedy.
fn why(program: &str, error: &io::Error) -> Message {
    let path = Path::new(program);
    if path.components().count() < 2 && error.kind() == ErrorKind::NotFound {
        return not_in_path(path);
    }
    match fs::metadata(path) {
        Err(fault) if fault.kind() == ErrorKind::NotFound => "there is no such file".into(),
        Err(fault) if fault.kind() == ErrorKind::PermissionDenied => {
            "a folder on the way to it may not be entered".into()
        }
        Ok(about) if about.is_dir() => "it is a folder; name the program in it".into(),
        Ok(about) if about.is_file() => match is_without_permission(&about, error) {
            true => "it is not executable; `chmod +x` makes it so".into(),
            false => by_head(&head(path), error),
        },
        _ => UNKNOWN.into(),
    }
}

/// A name without a folder of which the system knows no program.
fn not_in_path(path: &Path) -> Message {
    let name = path.to_string_lossy().into_owned();
    match path.is_file() {
        true => message!(
            "the folders of PATH have no such program; for the one in this folder write ./{name}"
        ),
        false => "the folders of PATH have no such program; give its path".into(),
    }
}

#[cfg(unix)]
fn is_without_permission(about: &fs::Metadata, error: &io::Error) -> bool {
    use std::os::unix::fs::PermissionsExt;
    error.kind() == ErrorKind::PermissionDenied && about.permissions().mode() & 0o111 == 0
}

#[cfg(not(unix))]
const fn is_without_permission(_about: &fs::Metadata, _error: &io::Error) -> bool {
    false
}

/// The beginning of a file; nothing if it cannot be read.
fn head(path: &Path) -> Vec<u8> {
    let mut head = Vec::new();
    let read = File::open(path).and_then(|file| file.take(HEAD).read_to_end(&mut head));
    tracing::debug!(?read, "the beginning of a program that does not start");
    head
}

/// The kind of a program's file.
#[derive(Debug, PartialEq, Eq)]
enum ProgramFile {
    /// For a system and a processor, where that is known.
    Of(&'static str, Option<&'static str>),
    /// A script, run by this program.
    Script(String),
    Text,
    Empty,
    Other,
}

impl ProgramFile {
    fn of(head: &[u8]) -> Self {
        match head {
            [] => Self::Empty,
            [0x7f, b'E', b'L', b'F', ..] => Self::Of("linux", machine_of_elf(head)),
            [b'M', b'Z', ..] => Self::Of("windows", machine_of_pe(head)),
            [0xfe, 0xed, 0xfa, 0xce | 0xcf, ..] | [0xca, 0xfe, 0xba, 0xbe, ..] => {
                Self::Of("macos", None)
            }
            [0xce | 0xcf, 0xfa, 0xed, 0xfe, ..] => Self::Of("macos", machine_of_mach(head)),
            [b'#', b'!', rest @ ..] => {
                let line = rest.split(|&byte| byte == b'\n').next().unwrap_or_default();
                Self::Script(String::from_utf8_lossy(line).trim_start().to_owned())
            }
            _ if !head.contains(&0) && is_text(head) => Self::Text,
            _ => Self::Other,
        }
    }
}

/// Returns true if bytes are the beginning of a text.
fn is_text(head: &[u8]) -> bool {
    match str::from_utf8(head) {
        Ok(_) => true,
        // The last character may be cut.
        Err(error) => error.error_len().is_none(),
    }
}

fn two_bytes(head: &[u8], at: usize, is_big_endian: bool) -> Option<u16> {
    let bytes = head.get(at..at.checked_add(2)?)?.try_into().ok()?;
    Some(if is_big_endian { u16::from_be_bytes(bytes) } else { u16::from_le_bytes(bytes) })
}

/// The processor of a program for Linux, by the number in its header.
fn machine_of_elf(head: &[u8]) -> Option<&'static str> {
    Some(match two_bytes(head, 18, head.get(5) == Some(&2))? {
        0x03 => "x86",
        0x3e => "x86_64",
        0x28 => "arm",
        0xb7 => "aarch64",
        0xf3 => "riscv",
        0x08 => "mips",
        0x15 => "powerpc64",
        0x16 => "s390x",
        0x102 => "loongarch64",
        _ => return None,
    })
}

/// The processor of a program for Windows.
fn machine_of_pe(head: &[u8]) -> Option<&'static str> {
    let bytes = head.get(0x3c..0x40)?.try_into().ok()?;
    let start = usize::try_from(u32::from_le_bytes(bytes)).ok()?;
    head.get(start..)?.strip_prefix(b"PE\0\0")?;
    Some(match two_bytes(head, start + 4, false)? {
        0x014c => "x86",
        0x8664 => "x86_64",
        0xaa64 => "aarch64",
        _ => return None,
    })
}

/// The processor of a program for macOS.
fn machine_of_mach(head: &[u8]) -> Option<&'static str> {
    let bytes = head.get(4..8)?.try_into().ok()?;
    Some(match u32::from_le_bytes(bytes) & 0x00ff_ffff {
        7 if head.get(7) == Some(&1) => "x86_64",
        7 => "x86",
        12 => "aarch64",
        _ => return None,
    })
}

/// The reason why a file cannot be started that is there and may be run.
fn by_head(head: &[u8], error: &io::Error) -> Message {
    let (system, processor) = (std::env::consts::OS, std::env::consts::ARCH);
    match ProgramFile::of(head) {
        ProgramFile::Empty => "the file is empty".into(),
        ProgramFile::Of(other, _) if other != system => {
            message!("it is a program for {other}; this system is {system}")
        }
        ProgramFile::Of(_, Some(other)) if other != processor => message!(
            "it was built for another processor, {other}; this machine is {processor}: choose another build"
        ),
        ProgramFile::Of(..) if error.kind() == ErrorKind::NotFound => {
            "the system lacks the loader that it was built for: choose another build".into()
        }
        ProgramFile::Script(line) if line.ends_with('\r') => {
            "it is a script whose lines end as those of Windows do (CR LF)".into()
        }
        ProgramFile::Script(line) if error.kind() == ErrorKind::NotFound => {
            message!("it is a script for {line}, which is not there")
        }
        ProgramFile::Text => {
            "it is a text, no program; a script begins with #! and the program that runs it".into()
        }
        ProgramFile::Other if is_no_program(error) => "it is no program of this system".into(),
        _ => UNKNOWN.into(),
    }
}

/// Returns true if the system says that a file is none that it can run: `ENOEXEC`, on Windows errors 193 and 216.
fn is_no_program(error: &io::Error) -> bool {
    matches!(error.raw_os_error(), Some(8 | 193 | 216))
}

/// The remedy for the end of an engine, by its status and its last words.
pub(crate) fn remedy(status: &str, last_words: &str) -> Option<Message> {
    // An instruction that the processor does not know, in the words of Unix and of Windows.
    if has_sign(status, &["SIGILL", "signal: 4", "0xc000001d"]) {
        return Some(
            "it was built for another processor: choose another build, one without AVX2 or BMI2"
                .into(),
        );
    }
    let words = last_words.to_lowercase();
    if has_sign(&words, &["nnue", "evalfile", "network file"]) {
        return Some(
            "its network file is missing or another one: put it where the engine looks for it, or name it by the option EvalFile".into(),
        );
    }
    if has_sign(&words, &["shared librar", "dyld", "glibc"]) {
        return Some("a library of the system is missing: choose another build".into());
    }
    None
}

/// Returns true if one of these is in the text.
fn has_sign(text: &str, signs: &[&str]) -> bool {
    signs.iter().any(|sign| text.contains(sign))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn elf(machine: u8) -> Vec<u8> {
        let mut head = vec![0; 64];
        head[..6].copy_from_slice(b"\x7fELF\x02\x01");
        head[18] = machine;
        head
    }

    #[test]
    fn programs_are_known_by_their_heads() {
        let of = ProgramFile::of;
        assert_eq!(of(&elf(0xb7)), ProgramFile::Of("linux", Some("aarch64")));
        assert_eq!(of(b"\x7fELF"), ProgramFile::Of("linux", None));
        assert_eq!(of(b"#!/bin/sh\necho"), ProgramFile::Script("/bin/sh".to_owned()));
        assert_eq!(of("象棋".as_bytes().split_last().unwrap().1), ProgramFile::Text);
        assert_eq!((of(b""), of(b"a\0b")), (ProgramFile::Empty, ProgramFile::Other));
        let mut pe = vec![0; 128];
        pe[..2].copy_from_slice(b"MZ");
        pe[0x3c] = 64;
        pe[64..70].copy_from_slice(b"PE\0\0\x64\xaa");
        assert_eq!(of(&pe), ProgramFile::Of("windows", Some("aarch64")));
        for len in 0..pe.len() {
            let _cut = (of(&pe[..len]), of(&elf(0x3e)[..len.min(64)]));
        }
        pe[0x3c..0x40].fill(0xff);
        assert_eq!(of(&pe), ProgramFile::Of("windows", None));
    }

    #[test]
    fn other_processors_and_systems_are_named() {
        let error = io::Error::from_raw_os_error(8);
        let other = if cfg!(target_arch = "aarch64") { 0x3e } else { 0xb7 };
        let text = by_head(&elf(other), &error).to_string();
        let sign = if cfg!(target_os = "linux") { "another processor" } else { "for linux" };
        assert!(text.contains(sign), "{text}");
        assert!(remedy("signal: 4 (SIGILL)", "").is_some());
        assert!(remedy("exit code: 0xc000001d", "").is_some());
        assert!(
            remedy("exit status: 1", ": The network file pikafish.nnue was not loaded").is_some()
        );
        assert_eq!(remedy("exit status: 1", ""), None);
    }
}
