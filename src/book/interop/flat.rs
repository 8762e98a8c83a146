//! Books of records of one length.

use std::io::{BufReader, Read, Seek, SeekFrom};
use std::path::Path;

use crate::book::interop::error::InteropError;
use crate::bytes::open;

/// A callback for a record and its number.
pub(crate) type Visit<'a, const N: usize> =
    &'a mut dyn FnMut(u64, &[u8; N]) -> Result<(), InteropError>;

/// Calls `visit` with up to `count` records of `N` bytes from an offset on, and their numbers from 0.
/// Ends at the end of the file; a part of a record is left out.
pub(crate) fn for_each<const N: usize>(
    path: &Path,
    offset: u64,
    count: u64,
    visit: Visit<'_, N>,
) -> Result<(), InteropError> {
    let mut file = open::regular(path).map_err(|source| InteropError::io(path, source))?;
    file.seek(SeekFrom::Start(offset)).map_err(|source| InteropError::io(path, source))?;
    let mut input = BufReader::with_capacity(1 << 16, file);
    let mut record = [0; N];
    for number in 0..count {
        match input.read_exact(&mut record) {
            Ok(()) => visit(number, &record)?,
            Err(e) if e.kind() == std::io::ErrorKind::UnexpectedEof => return Ok(()),
            Err(e) => return Err(InteropError::io(path, e)),
        }
    }
    Ok(())
}

/// The bytes at `at`, as long as an integer needs.
pub(crate) fn field<const N: usize>(record: &[u8], at: usize) -> [u8; N] {
    let mut bytes = [0; N];
    for (to, from) in bytes.iter_mut().zip(record.iter().skip(at)) {
        *to = *from;
    }
    bytes
}
