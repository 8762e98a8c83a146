//! The members of a 7z archive, by the crate `sevenz-rust2`, which bounds the memory that decoders and the
//! directory use; the number of bytes that come out is bounded here.

use std::io::{Cursor, Read};

use sevenz_rust2::{
    Archive, ArchiveEntry, Block, BlockDecoder, Coder, EncoderMethod, Error, Password,
};

use crate::message::{Message, message};
use crate::record::archives::content::UnpackError;
use crate::record::archives::unpack::{DICTIONARY_KIB, Stoppable, too_large_window, too_much};
use crate::record::archives::zip::u64_at;

/// The longest directory that is read, unpacked, in bytes: some 30,000 files. A file has one byte in it at
/// least, and takes some hundred in memory before anything else is known of it, so that a directory of this
/// length takes up to 200 MiB.
const MAX_DIRECTORY: u64 = 2 << 20;

/// The memory for the dictionary by which the directory is packed, in KiB: 8 MiB where the crate itself wrote
/// it.
const DIRECTORY_KIB: usize = 9 << 10;

/// Decoders one behind the other, each with a dictionary of its own: one, and a filter.
const MAX_CODERS: usize = 2;

/// The memory that decoders may fill before they unpack anything, in bytes: all those of the 7z archives in a
/// file together, beside [`MODEL_RATIO`] times what each archive unpacks to. The time that this takes has
/// nothing to do with the number of bytes packed.
pub(crate) const FREE_MODEL_BYTES: u64 = 8 << 30;

/// 7-Zip gives PPMd at most this many times the bytes to be packed.
const MODEL_RATIO: u64 = 32;

pub(crate) const MARK: &[u8] = b"7z\xbc\xaf\x27\x1c";

/// A file in the archive: its path, its bytes or what is wrong with it.
pub(crate) type Taker<'a> =
    dyn FnMut(&str, Result<&mut dyn Read, Message>) -> Result<(), UnpackError> + 'a;

/// Hands over all files with bytes, those of one block in their order; at most `limit` bytes and
/// `most` files. The memory that their decoders fill comes off `model_room`: see [`FREE_MODEL_BYTES`].
///
/// # Errors
///
/// [`UnpackError::Bad`] if the directory cannot be read or states too much; those of `take`.
pub(crate) fn each(
    mut source: Stoppable<'_, Cursor<&[u8]>>,
    limit: u64,
    most: usize,
    model_room: &mut u64,
    take: &mut Taker<'_>,
) -> Result<(), UnpackError> {
    match directory_bytes(source.packed.get_ref()) {
        None => return Err(UnpackError::Bad(DAMAGED.into())),
        Some(MAX_DIRECTORY..) => return Err(UnpackError::Bad(TOO_LARGE.into())),
        Some(_) => {}
    }
    let password = Password::empty();
    let archive = Archive::read_with_memory_limit(&mut source, &password, DIRECTORY_KIB)
        .map_err(|error| UnpackError::Bad(directory_fault(&error)))?;
    let sizes = archive.files.iter().filter(|file| file.has_stream).map(|file| file.size);
    let size = sizes.fold(0, u64::saturating_add);
    if size > limit {
        return Err(UnpackError::Bad(too_much(limit)));
    }
    if archive.files.len() > most {
        return Err(UnpackError::Bad(message!("an archive of more than {most} files; split it")));
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
                take(&entry.name, Err(what.to_owned().into()))?;
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
        // The first property is (position bits × 5 + literal position bits) × 9 + context bits.
        (EncoderMethod::ID_LZMA, &[packed, ..]) => {
            let context_bits = packed % 9;
            let position_bits = packed / 9 % 5;
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

fn too_large_models(bytes: u64) -> Message {
    message!(
        "its parts, packed each by itself, need models of {} MiB in all, which no collection of games \
         needs; pack it again as LZMA2, or unpack it",
        bytes >> 20
    )
}

/// The length that an archive states for its directory, as it stands in the file or unpacked, whichever is
/// longer; `None` if the directory is not there.
fn directory_bytes(bytes: &[u8]) -> Option<u64> {
    let offset = u64_at(bytes, 12)?;
    let len = u64_at(bytes, 20)?;
    let begin = usize::try_from(offset).ok()?.checked_add(START)?;
    let end = begin.checked_add(usize::try_from(len).ok()?)?;
    let unpacked = match bytes.get(begin..end)?.split_first()? {
        (&PACKED, rest) => Numbers(rest).unpacked()?,
        _ => 0,
    };
    Some(unpacked.max(len))
}

/// The offset of what stands behind the start of an archive, from which its directory is counted.
const START: usize = 32;

/// The first byte of a packed directory, and those of the parts of its description.
const PACKED: u8 = 23;
const PACKED_STREAMS: u8 = 6;
const CODERS: u8 = 7;
const SIZES: u8 = 9;
const CHECKSUMS: u8 = 10;
const FOLDERS: u8 = 11;
const UNPACKED_SIZES: u8 = 12;
const END: u8 = 0;

/// The description of a packed directory.
struct Numbers<'a>(&'a [u8]);

impl Numbers<'_> {
    /// The greatest length to which anything in it unpacks.
    fn unpacked(mut self) -> Option<u64> {
        // Counts may be anything: whatever is counted takes a byte at least, so that the bytes bound each loop.
        self.expect(PACKED_STREAMS)?;
        self.number()?;
        let count = self.number()?;
        self.expect(SIZES)?;
        for _ in 0..count {
            self.number()?;
        }
        match self.byte()? {
            END => {}
            CHECKSUMS => {
                self.checksums(count)?;
                self.expect(END)?;
            }
            _ => return None,
        }
        self.expect(CODERS)?;
        self.expect(FOLDERS)?;
        let folders = self.number()?;
        self.byte()?;
        let mut sizes: u64 = 0;
        for _ in 0..folders {
            sizes = sizes.checked_add(self.folder()?)?;
        }
        self.expect(UNPACKED_SIZES)?;
        let mut longest = 0;
        for _ in 0..sizes {
            longest = self.number()?.max(longest);
        }
        Some(longest)
    }

    /// Passes over the checksums of a number of streams: of all, or of those with a bit.
    fn checksums(&mut self, streams: u64) -> Option<()> {
        let mut count = streams;
        if self.byte()? == 0 {
            count = 0;
            for _ in 0..streams.div_ceil(8) {
                count += u64::from(self.byte()?.count_ones());
            }
        }
        self.skip(count.checked_mul(4)?)
    }

    /// Passes over the coders of a folder; returns how many streams come out of them.
    fn folder(&mut self) -> Option<u64> {
        let (mut inputs, mut outputs): (u64, u64) = (0, 0);
        for _ in 0..self.number()? {
            // The length of the method's number, then bits for counts of streams, and for properties.
            let flags = self.byte()?;
            self.skip(u64::from(flags & 0x0f))?;
            let is_simple = flags & 0x10 == 0;
            let streams = if is_simple { (1, 1) } else { (self.number()?, self.number()?) };
            (inputs, outputs) = (inputs.checked_add(streams.0)?, outputs.checked_add(streams.1)?);
            if flags & 0x20 != 0 {
                let len = self.number()?;
                self.skip(len)?;
            }
        }
        let bound = outputs.checked_sub(1)?;
        for _ in 0..bound {
            self.number()?;
            self.number()?;
        }
        let packed = inputs.checked_sub(bound)?;
        for _ in 0..if packed > 1 { packed } else { 0 } {
            self.number()?;
        }
        Some(outputs)
    }

    fn byte(&mut self) -> Option<u8> {
        let (first, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(*first)
    }

    fn expect(&mut self, byte: u8) -> Option<()> {
        (self.byte()? == byte).then_some(())
    }

    fn skip(&mut self, len: u64) -> Option<()> {
        self.0 = self.0.get(usize::try_from(len).ok()?..)?;
        Some(())
    }

    /// A number of up to nine bytes: the ones at the head of the first say how many follow, the lowest
    /// first; the rest of the first is the highest part.
    fn number(&mut self) -> Option<u64> {
        let first = self.byte()?;
        let more = first.leading_ones();
        let mut number = 0;
        for index in 0..more {
            number |= u64::from(self.byte()?) << (8 * index);
        }
        let high = u64::from(first) & (0x7f >> more);
        Some(if more < 8 { number | high << (8 * more) } else { number })
    }
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
                // Any error ends the decoder; this one is returned in its place.
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

fn directory_fault(error: &Error) -> Message {
    match error {
        Error::MaxMemLimited { .. } => TOO_LARGE.into(),
        error if is_encrypted(error) => ENCRYPTED.into(),
        _ => DAMAGED.into(),
    }
}

const TOO_LARGE: &str =
    "the directory of the 7z archive is too large; pack what is in it as tar or zip, or unpack it";

const DAMAGED: &str = "truncated or damaged: the directory of the 7z archive, which stands at its end, cannot be read";

const ENCRYPTED: &str = "encrypted; unpack the archive with its password first";

/// The message for damaged or unreadable bytes of a file.
pub(crate) fn fault(error: &Error) -> Message {
    match error {
        Error::MaxMemLimited { .. } => too_large_window(),
        error if is_encrypted(error) => ENCRYPTED.into(),
        Error::UnsupportedCompressionMethod(method) => {
            message!("packed by the method {method:.40}, which is not read; pack it again as LZMA2")
        }
        Error::ChecksumVerificationFailed => "its checksum is wrong".into(),
        Error::Io(error, _) => crate::record::archives::unpack::damage(error),
        Error::Other(what) | Error::Unsupported(what) => {
            message!("cannot be unpacked: {what:.200}")
        }
        _ => "cannot be unpacked: it is damaged".into(),
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

#[cfg(test)]
mod tests {

    use super::*;
    use crate::bytes::StopFlag;

    /// An archive of nothing but a directory.
    fn archive(directory: &[u8]) -> Vec<u8> {
        let mut start = 0_u64.to_le_bytes().to_vec();
        start.extend((directory.len() as u64).to_le_bytes());
        start.extend(crc32fast::hash(directory).to_le_bytes());
        let sum = crc32fast::hash(&start).to_le_bytes();
        [MARK, &[0, 4], &sum, &start, directory].concat()
    }

    fn read(bytes: &[u8]) -> String {
        let packed = Stoppable { packed: Cursor::new(bytes), stop: &StopFlag::default() };
        let mut model_room = u64::MAX;
        let read = each(packed, u64::MAX, usize::MAX, &mut model_room, &mut |_, _| Ok(()));
        read.map_or_else(|error| error.to_string(), |()| "read".to_owned())
    }

    #[test]
    fn long_directories_are_refused_before_anything_is_made_of_them() {
        // Files without names or content, and bytes that are passed over.
        let files = 1_u32 << 16;
        let count =
            |number: u32| [&[0xe0 | (number >> 24) as u8], &number.to_le_bytes()[..3]].concat();
        let bits = vec![0xff; files as usize / 8];
        let head = [&[1, 5][..], &count(files), &[14], &count(bits.len() as u32), &bits].concat();
        let directory = |padding: u32| {
            let padded = vec![0; padding as usize];
            [&head[..], &[25], &count(padding), &padded, &[0, 0]].concat()
        };
        assert_eq!(read(&archive(&directory(files))), "read");
        assert_eq!(read(&archive(&directory(MAX_DIRECTORY as u32))), TOO_LARGE);
        // The same directory, packed: what it unpacks to is stated.
        for (len, what) in [(MAX_DIRECTORY, TOO_LARGE), (MAX_DIRECTORY - 1, DAMAGED)] {
            let sizes = [&[UNPACKED_SIZES][..], &count(len as u32), &[END, END]].concat();
            let lzma = [35, 3, 1, 1, 5, 93, 0, 0, 16, 0];
            let coders = [&[CODERS, FOLDERS, 1, 0, 1][..], &lzma, &sizes].concat();
            for sums in [&[END][..], &[CHECKSUMS, 1, 1, 2, 3, 4, END], &[CHECKSUMS, 0, 0, END]] {
                let streams = [PACKED, PACKED_STREAMS, 0, 1, SIZES, 5];
                let packed = [&streams[..], sums, &coders].concat();
                assert_eq!(read(&archive(&packed)), what);
            }
        }
        assert_eq!(read(&archive(&[])), DAMAGED);
        assert_eq!(read(&archive(&[PACKED, PACKED_STREAMS, 0, 0xff])), DAMAGED);
    }

    #[test]
    fn numbers_of_every_length() {
        for (bytes, number) in [
            (&[0x7f][..], 0x7f),
            (&[0x80, 0x80], 0x80),
            (&[0xbf, 0xff], 0x3fff),
            (&[0xc1, 2, 3], 0x0001_0302),
            (&[0xff, 1, 2, 3, 4, 5, 6, 7, 8], 0x0807_0605_0403_0201),
            (&[0xfe, 1, 2, 3, 4, 5, 6, 7], 0x0007_0605_0403_0201),
        ] {
            assert_eq!(Numbers(bytes).number(), Some(number), "{bytes:x?}");
        }
        assert_eq!(Numbers(&[0x80]).number(), None);
    }
}
