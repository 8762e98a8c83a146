//! The members of a 7z archive, by the crate `sevenz-rust2`, which bounds the memory that decoders and the
//! directory use; the number of bytes that come out is bounded here.

use std::io::{Cursor, Read};

use sevenz_rust2::{
    Archive, ArchiveEntry, Block, BlockDecoder, Coder, EncoderMethod, Error, Password,
};

use super::packed::UnpackError;
use super::unpack::{DICTIONARY_KIB, Stoppable, too_large_window, too_much};

/// The memory that the directory may use, unpacked, in KiB; the same bound holds for the dictionary by which
/// it is packed, which has 8 MiB where the crate itself wrote it. A file has a byte in the directory at
/// least, and some hundred in memory.
const DIRECTORY_KIB: usize = 9 << 10;

/// Decoders one behind the other, each with a dictionary of its own: one, and a filter.
const MAX_CODERS: usize = 2;

/// The memory that decoders may fill before they unpack anything, in bytes: all those of the 7z archives in a
/// file together, beside [`MODEL_RATIO`] times what each archive unpacks to. The time that this takes has
/// nothing to do with the number of bytes packed.
pub(super) const FREE_MODEL_BYTES: u64 = 8 << 30;

/// 7-Zip gives PPMd at most this many times the bytes to be packed.
const MODEL_RATIO: u64 = 32;

pub(super) const MARK: &[u8] = b"7z\xbc\xaf\x27\x1c";

/// A file in the archive: its path, its bytes or what is wrong with it.
pub(super) type Taker<'a> =
    dyn FnMut(&str, Result<&mut dyn Read, String>) -> Result<(), UnpackError> + 'a;

/// Hands over all files with bytes, those of one block in their order; at most `limit` bytes and
/// `most` files. The memory that their decoders fill comes off `model_room`: see [`FREE_MODEL_BYTES`].
///
/// # Errors
///
/// [`UnpackError::Bad`] if the directory cannot be read or states too much; those of `take`.
pub(super) fn each(
    mut source: Stoppable<'_, Cursor<&[u8]>>,
    limit: u64,
    most: usize,
    model_room: &mut u64,
    take: &mut Taker<'_>,
) -> Result<(), UnpackError> {
    let password = Password::empty();
    let archive = Archive::read_with_memory_limit(&mut source, &password, DIRECTORY_KIB)
        .map_err(|error| UnpackError::Bad(directory_fault(&error)))?;
    let sizes = archive.files.iter().filter(|file| file.has_stream).map(|file| file.size);
    let size = sizes.fold(0, u64::saturating_add);
    if size > limit {
        return Err(UnpackError::Bad(too_much(limit)));
    }
    if archive.files.len() > most {
        return Err(UnpackError::Bad(format!("an archive of more than {most} files; split it")));
    }
    let models = archive.blocks.iter().map(model_bytes).fold(0, u64::saturating_add);
    let beyond = models.saturating_sub(size.saturating_mul(MODEL_RATIO));
    *model_room =
        model_room.checked_sub(beyond).ok_or_else(|| UnpackError::Bad(too_large_models(models)))?;
    for block in 0..archive.blocks.len() {
        let kib = DICTIONARY_KIB as usize;
        let is_long = is_long(&archive.blocks[block]);
        let source = &mut source;
        let block = BlockDecoder::new_with_memory_limit(1, kib, block, &archive, &password, source);
        if is_long {
            let what = "packed by several methods one after the other; pack it again";
            for entry in block.entries().iter().filter(|entry| is_file(entry)) {
                take(&entry.name, Err(what.to_owned()))?;
            }
        } else {
            decode(block, take)?;
        }
    }
    Ok(())
}

/// The memory that the decoders of a block fill before they unpack anything.
fn model_bytes(block: &Block) -> u64 {
    if is_long(block) { 0 } else { block.coders.iter().map(coder_model_bytes).sum() }
}

fn coder_model_bytes(coder: &Coder) -> u64 {
    let bytes = match (coder.encoder_method_id(), coder.properties()) {
        (EncoderMethod::ID_PPMD, &[_, a, b, c, d, ..]) => u32::from_le_bytes([a, b, c, d]).into(),
        (EncoderMethod::ID_LZMA, &[packed, ..]) => {
            let (context_bits, position_bits) = (packed % 9, packed / 9 % 5);
            LITERAL_CODER_BYTES << (context_bits + position_bits)
        }
        _ => 0,
    };
    // A decoder of more is refused.
    if bytes <= u64::from(DICTIONARY_KIB) << 10 { bytes } else { 0 }
}

/// Returns true if a block has more decoders than are run one behind the other.
const fn is_long(block: &Block) -> bool {
    block.coders.len() > MAX_CODERS
}

/// The probabilities that LZMA keeps of literals in one context, two bytes each.
const LITERAL_CODER_BYTES: u64 = 2 * 0x300;

fn too_large_models(bytes: u64) -> String {
    format!(
        "its parts, packed each by itself, need models of {} MiB in all, which no collection of games \
         needs; pack it again as LZMA2, or unpack it",
        bytes >> 20
    )
}

/// Hands over the files of a block. Where one cannot be unpacked, nor can those behind it.
fn decode(
    block: BlockDecoder<'_, Stoppable<'_, Cursor<&[u8]>>>,
    take: &mut Taker<'_>,
) -> Result<(), UnpackError> {
    let all: Vec<String> =
        block.entries().iter().filter(|entry| is_file(entry)).map(|e| e.name.clone()).collect();
    let mut done = 0;
    let mut failed = None;
    let decoded = block.for_each_entries(&mut |entry, input| {
        if !is_file(entry) {
            return Ok(true);
        }
        done += 1;
        match take(&entry.name, Ok(input)) {
            Ok(()) => Ok(true),
            Err(error) => {
                failed = Some(error);
                Err(Error::Other("stopped".into()))
            }
        }
    });
    if let Some(error) = failed {
        return Err(error);
    }
    let Err(error) = decoded else { return Ok(()) };
    let fault = fault(&error);
    all.iter().skip(done).try_for_each(|name| take(name, Err(fault.clone())))
}

fn is_file(entry: &ArchiveEntry) -> bool {
    // The attributes of Unix stand in the upper half.
    let kind = (entry.windows_attributes >> 16) & 0o170_000;
    let is_other = entry.has_windows_attributes && !matches!(kind, 0 | 0o100_000);
    entry.has_stream && !entry.is_directory && !is_other
}

fn directory_fault(error: &Error) -> String {
    match error {
        Error::MaxMemLimited { .. } => "the directory of the 7z archive is too large; pack what is \
                                        in it as tar or zip, or unpack it"
            .to_owned(),
        error if is_encrypted(error) => ENCRYPTED.to_owned(),
        _ => "truncated or damaged: the directory of the 7z archive, which stands at its end, cannot \
              be read"
            .to_owned(),
    }
}

const ENCRYPTED: &str = "encrypted; unpack the archive with its password first";

/// The message for damaged or unreadable bytes of a file.
pub(super) fn fault(error: &Error) -> String {
    match error {
        Error::MaxMemLimited { .. } => too_large_window(),
        error if is_encrypted(error) => ENCRYPTED.to_owned(),
        Error::UnsupportedCompressionMethod(method) => {
            format!("packed by the method {method:.40}, which is not read; pack it again as LZMA2")
        }
        Error::ChecksumVerificationFailed => "its checksum is wrong".to_owned(),
        Error::Io(error, _) => super::unpack::damage(error),
        Error::Other(what) | Error::Unsupported(what) => format!("cannot be unpacked: {what:.200}"),
        _ => "cannot be unpacked: it is damaged".to_owned(),
    }
}

fn is_encrypted(error: &Error) -> bool {
    match error {
        Error::PasswordRequired | Error::MaybeBadPassword(_) => true,
        Error::UnsupportedCompressionMethod(method) => {
            method.contains("AES") || method.contains("[6, 241, 7, 1]")
        }
        _ => false,
    }
}
