//! Databases of positions by Yixin or Rapfi, which are no games but might be given for such.

use crate::record::model::bad_game::BadGameReason;

/// Refuses a database.
pub(crate) fn refuse_database(bytes: &[u8]) -> Result<(), BadGameReason> {
    if begins_database(bytes) {
        let what = "a database of positions by Yixin or Rapfi, which `juzhong book import` makes a book of";
        return Err(BadGameReason::Unsupported(what.to_owned().into()));
    }
    Ok(())
}

/// Returns true if a source begins as a database of Yixin or Rapfi does: a number of records, and a record that has the
/// rule, the size of the board and points as its key.
pub(crate) fn begins_database(bytes: &[u8]) -> bool {
    let Some(mut rest) = bytes.get(4..) else { return false };
    let Some(key) = take_part(&mut rest) else { return false };
    // Three bytes, and two for each point.
    let is_sound = matches!(key, &[rule, width, height, ..]
        if rule <= 2 && width <= 32 && height <= 32 && key.len() % 2 == 1);
    is_sound && take_part(&mut rest).is_some()
}

/// Takes a part off the beginning: a length of two bytes, and the bytes that it counts.
fn take_part<'a>(input: &mut &'a [u8]) -> Option<&'a [u8]> {
    let len = input.split_off(..2)?.first_chunk().map(|&len| u16::from_le_bytes(len))?;
    input.split_off(..usize::from(len))
}
