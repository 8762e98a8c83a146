//! Files that are packed as their names say.

use std::io::{self, BufWriter, Write};
use std::path::Path;

use juzhong::bytes::atomic::AtomicFile;
use juzhong::picture::{Presentation, Target};
use juzhong::record::Format;

/// The packing that the name of a file stands for.
pub(crate) fn packing(path: &Path) -> Option<Packing> {
    let ending = path.extension()?.to_str()?.to_ascii_lowercase();
    match ending.as_str() {
        "zst" | "zstd" => Some(Packing::Zstd),
        "gz" => Some(Packing::Gzip),
        _ => None,
    }
}

/// The format among `formats` that the ending of a name stands for, that of a packed file aside.
pub(crate) fn format_by_ending(path: &Path, formats: &[Format]) -> Option<Format> {
    let bare = match packing(path) {
        Some(_) => path.with_extension(""),
        None => path.to_owned(),
    };
    let ending = bare.extension()?.to_str()?;
    Format::from_extension(ending, formats)
}

/// The same for what is written: a picture or a page for people has an ending that no format of records has.
pub(crate) fn target_by_ending(path: &Path, formats: &[Format]) -> Option<Target> {
    let format = format_by_ending(path, formats).map(Target::Record);
    format.or_else(|| presentation_by_ending(path))
}

/// The picture or page that the ending of a name stands for.
fn presentation_by_ending(path: &Path) -> Option<Target> {
    Presentation::named(path.extension()?.to_str()?).map(Target::Shown)
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Packing {
    Zstd,
    Gzip,
}

/// A file that appears when it is whole, packed as its name says.
pub(crate) enum PackedFile {
    Bare(BufWriter<AtomicFile>),
    Zstd(zstd::Encoder<'static, BufWriter<AtomicFile>>),
    Gzip(flate2::write::GzEncoder<BufWriter<AtomicFile>>),
}

/// The usual level of the program `zstd`.
const ZSTD_LEVEL: i32 = 3;

impl PackedFile {
    pub(crate) fn create(path: &Path) -> io::Result<Self> {
        let file = BufWriter::new(AtomicFile::create(path)?);
        Ok(match packing(path) {
            None => Self::Bare(file),
            Some(Packing::Zstd) => Self::Zstd(zstd::Encoder::new(file, ZSTD_LEVEL)?),
            Some(Packing::Gzip) => {
                Self::Gzip(flate2::write::GzEncoder::new(file, flate2::Compression::default()))
            }
        })
    }

    pub(crate) fn commit(self) -> io::Result<()> {
        // The packers write their last bytes here; `into_inner` writes what is buffered before the file is moved.
        let file = match self {
            Self::Bare(file) => file,
            Self::Zstd(encoder) => encoder.finish()?,
            Self::Gzip(encoder) => encoder.finish()?,
        };
        file.into_inner().map_err(io::IntoInnerError::into_error)?.commit()
    }
}

impl Write for PackedFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::Bare(file) => file.write(bytes),
            Self::Zstd(encoder) => encoder.write(bytes),
            Self::Gzip(encoder) => encoder.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::Bare(file) => file.flush(),
            Self::Zstd(encoder) => encoder.flush(),
            Self::Gzip(encoder) => encoder.flush(),
        }
    }
}
