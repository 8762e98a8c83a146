//! Pointers that a C caller hands in: read and checked once, written through a type that says where.

use std::ffi::c_char;
use std::ptr::NonNull;

use super::status::{Failure, JZ_ERROR_BUFFER, JZ_ERROR_NUMBER, JZ_ERROR_POINTER, JZ_ERROR_TEXT};

/// The longest path, in bytes.
pub(crate) const MAX_PATH: usize = 4096;
/// The longest FEN or move that is read, in bytes: more than any has.
pub(crate) const MAX_TEXT: usize = 256;

/// A text that ends with NUL, of at most `limit` bytes. No byte beyond the limit and one is read.
///
/// # Safety
///
/// `text` is null or points to bytes up to a NUL, or to more than `limit` of them, which nobody changes as long as the
/// result is in use.
pub(crate) unsafe fn text<'a>(text: *const c_char, limit: usize) -> Result<&'a str, Failure> {
    if text.is_null() {
        return Err(Failure::of(JZ_ERROR_POINTER));
    }
    let is_end = |&at: &usize| {
        let byte = text.wrapping_add(at);
        // SAFETY: no NUL came before it, and it is not beyond the limit, so the caller's promise covers it.
        unsafe { *byte == 0 }
    };
    let length = (0..=limit).find(is_end).ok_or(Failure::of(JZ_ERROR_TEXT))?;
    // SAFETY: these bytes have just been read.
    let bytes = unsafe { std::slice::from_raw_parts(text.cast::<u8>(), length) };
    std::str::from_utf8(bytes).map_err(|_| Failure::of(JZ_ERROR_TEXT))
}

/// The value at a pointer.
///
/// # Safety
///
/// `place` is null, not aligned, or points to a value.
pub(crate) unsafe fn value<T: Copy>(place: *const T) -> Result<T, Failure> {
    if place.is_null() || !place.is_aligned() {
        return Err(Failure::of(JZ_ERROR_POINTER));
    }
    // SAFETY: promised by the caller, and checked as far as it can be.
    Ok(unsafe { *place })
}

/// The values of an array of `count`, of which there may be from 1 to `limit`.
///
/// # Safety
///
/// `first` is null, not aligned, or points to `count` values.
pub(crate) unsafe fn values<T: Copy>(
    first: *const T,
    count: usize,
    limit: usize,
) -> Result<Vec<T>, Failure> {
    if !(1..=limit).contains(&count) {
        return Err(Failure::of(JZ_ERROR_NUMBER));
    }
    // SAFETY: the place is that of one of the `count` values.
    (0..count).map(|at| unsafe { value(first.wrapping_add(at)) }).collect()
}

/// The place of a result.
#[derive(Debug)]
pub(crate) struct Output<T>(NonNull<T>);

impl<T: Copy> Output<T> {
    /// The place at a pointer.
    ///
    /// # Safety
    ///
    /// `place` is null, not aligned, or writable until the last call of [`set`](Self::set).
    pub(crate) unsafe fn new(place: *mut T) -> Result<Self, Failure> {
        let place = NonNull::new(place).filter(|place| place.is_aligned());
        place.map(Self).ok_or(Failure::of(JZ_ERROR_POINTER))
    }

    /// Writes the result.
    pub(crate) fn set(&self, value: T) {
        // SAFETY: whoever made it promised that the place is writable.
        unsafe { self.0.write(value) };
    }
}

/// The places of several results, and that of their number.
#[derive(Debug)]
pub(crate) struct OutputArray<T> {
    /// Null only where the capacity is 0.
    first: *mut T,
    capacity: usize,
    count: Output<usize>,
}

impl<T: Copy> OutputArray<T> {
    /// The places from a pointer on; it may be null where the capacity is 0.
    ///
    /// # Safety
    ///
    /// `first` is null, not aligned, or points to `capacity` writable places; `count` is null, not aligned, or
    /// writable.
    pub(crate) unsafe fn new(
        first: *mut T,
        capacity: usize,
        count: *mut usize,
    ) -> Result<Self, Failure> {
        if capacity > 0 && (first.is_null() || !first.is_aligned()) {
            return Err(Failure::of(JZ_ERROR_POINTER));
        }
        // SAFETY: `count` is writable, as the caller promises.
        let count = unsafe { Output::new(count)? };
        Ok(Self { first, capacity, count })
    }

    /// Writes as many of the values as there is room for, and the number of all.
    pub(crate) fn set(&self, values: impl ExactSizeIterator<Item = T>) -> Result<(), Failure> {
        let count = values.len();
        for (at, value) in values.take(self.capacity).enumerate() {
            let place = self.first.wrapping_add(at);
            // SAFETY: it is one of the places that whoever made it promised to be writable.
            unsafe { place.write(value) };
        }
        self.count.set(count);
        if count > self.capacity { Err(Failure::of(JZ_ERROR_BUFFER)) } else { Ok(()) }
    }
}

/// The bytes into which a text is written, with a NUL at its end.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TextBuffer {
    /// Null only where the capacity is 0.
    first: *mut c_char,
    capacity: usize,
}

impl TextBuffer {
    /// The bytes from a pointer on; it may be null where the capacity is 0.
    ///
    /// # Safety
    ///
    /// `first` is null or points to `capacity` writable bytes.
    pub(crate) unsafe fn new(first: *mut c_char, capacity: usize) -> Result<Self, Failure> {
        if first.is_null() && capacity > 0 {
            return Err(Failure::of(JZ_ERROR_POINTER));
        }
        Ok(Self { first, capacity })
    }

    /// Writes the text if there is room for all of it.
    pub(crate) fn write(self, text: &str) -> Result<(), Failure> {
        if text.len() >= self.capacity {
            return Err(Failure::of(JZ_ERROR_BUFFER));
        }
        self.write_cut(text);
        Ok(())
    }

    /// Writes as many characters of the text as there is room for.
    pub(crate) fn write_cut(self, text: &str) {
        let Some(room) = self.capacity.checked_sub(1) else { return };
        let text = &text[..text.floor_char_boundary(room)];
        for (at, byte) in text.bytes().chain([0]).enumerate() {
            let place = self.first.cast::<u8>().wrapping_add(at);
            // SAFETY: text and NUL are no longer than the capacity, which whoever made it promised to be writable.
            unsafe { place.write(byte) };
        }
    }
}

/// A text in an array of fixed length, filled with NUL; cut to leave one at least.
pub(crate) fn fixed_text<const N: usize>(text: &str) -> [c_char; N] {
    let mut fixed = [0; N];
    let text = &text[..text.floor_char_boundary(N - 1)];
    for (place, byte) in fixed.iter_mut().zip(text.bytes()) {
        *place = c_char::from_ne_bytes([byte]);
    }
    fixed
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The status for bytes, NUL and all, as a text of at most 4 bytes.
    fn read(bytes: &[u8]) -> Result<String, i32> {
        // SAFETY: the tests hand in bytes with a NUL, or more than 4.
        let found = unsafe { text(bytes.as_ptr().cast(), 4) };
        found.map(str::to_owned).map_err(|failure| failure.status)
    }

    #[test]
    fn texts_end_within_their_limit() {
        assert_eq!(read(b"\0"), Ok(String::new()));
        assert_eq!(read(b"four\0"), Ok("four".to_owned()));
        assert_eq!(read(b"fives"), Err(JZ_ERROR_TEXT));
        assert_eq!(read(b"\xff\0"), Err(JZ_ERROR_TEXT));
        // SAFETY: null is refused.
        let null = unsafe { text(std::ptr::null(), 4) };
        assert_eq!(null.unwrap_err().status, JZ_ERROR_POINTER);
    }

    #[test]
    fn texts_are_cut_between_characters() {
        let mut bytes = [7u8; 8];
        for (capacity, expected) in
            [(0, &b""[..]), (1, b"\0"), (3, b"a\0"), (4, b"a\0"), (5, "a车\0".as_bytes())]
        {
            bytes.fill(7);
            // SAFETY: there are 8 bytes.
            let buffer = unsafe { TextBuffer::new(bytes.as_mut_ptr().cast(), capacity) }.unwrap();
            buffer.write_cut("a车马");
            assert_eq!(&bytes[..expected.len()], expected);
            assert!(bytes[expected.len()..].iter().all(|&byte| byte == 7));
            let fits = buffer.write("a车").is_ok();
            assert_eq!(fits, capacity == 5);
        }
        assert_eq!(fixed_text::<3>("车").map(c_char::to_ne_bytes), [[0]; 3]);
    }

    #[test]
    fn arrays_state_how_much_there_is() {
        let (mut places, mut count) = ([0u32; 3], 0);
        let mut status_of = |capacity, values: &[u32]| {
            places.fill(9);
            let (first, count) = (places.as_mut_ptr(), &raw mut count);
            // SAFETY: there are 3 places.
            let array = unsafe { OutputArray::new(first, capacity, count) }.unwrap();
            let status = array.set(values.iter().copied()).map_err(|failure| failure.status);
            (status, places)
        };
        assert_eq!(status_of(3, &[1, 2]), (Ok(()), [1, 2, 9]));
        assert_eq!(status_of(2, &[1, 2, 3]), (Err(JZ_ERROR_BUFFER), [1, 2, 9]));
        assert_eq!(status_of(usize::MAX, &[1, 2, 3]), (Ok(()), [1, 2, 3]));
        assert_eq!(status_of(0, &[1]), (Err(JZ_ERROR_BUFFER), [9; 3]));
        assert_eq!(count, 1);
    }
}
