//! A stand-in for the members of a 7z archive on WebAssembly without a system, where `sevenz-rust2` expects the tools
//! of wasm-bindgen: such archives are recognised and refused.

use std::io::{Cursor, Read};

use crate::message::Message;
use crate::record::archives::content::UnpackError;
use crate::record::archives::unpack::Stoppable;

/// The room for models that nothing takes here.
pub(crate) const FREE_MODEL_BYTES: u64 = 0;

pub(crate) const MARK: &[u8] = b"7z\xbc\xaf\x27\x1c";

/// A file in the archive: its path, its bytes or what is wrong with it.
pub(crate) type Taker<'a> =
    dyn FnMut(&str, Result<&mut dyn Read, Message>) -> Result<(), UnpackError> + 'a;

/// Refuses the archive.
///
/// # Errors
///
/// Always.
pub(crate) fn each(
    _source: Stoppable<'_, Cursor<&[u8]>>,
    _limit: u64,
    _most: usize,
    _model_room: &mut u64,
    _take: &mut Taker<'_>,
) -> Result<(), UnpackError> {
    Err(UnpackError::Bad("7z archives are not read here; unpack it first".into()))
}
