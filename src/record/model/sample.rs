//! The beginning of a source, from which its format is determined.

use std::borrow::Cow;
use std::cell::OnceCell;

use crate::record::model::encoding::{Encoding, UTF8_MARK};

/// The number of bytes of a source that are looked at.
const SAMPLE_BYTES: usize = 64 << 10;

/// The number of bytes of a source that are searched for marks that stand anywhere in a page.
const PAGE_BYTES: usize = 1 << 20;

/// A source whose format is to be determined.
#[derive(Debug)]
pub(crate) struct Sample<'a> {
    /// The whole source.
    pub(crate) bytes: &'a [u8],
    /// The source from its first character on: without the mark of UTF-8 and blanks.
    pub(crate) text: &'a [u8],
    decoded: OnceCell<Cow<'a, str>>,
}

impl<'a> Sample<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        let text = bytes.strip_prefix(UTF8_MARK).unwrap_or(bytes).trim_ascii_start();
        Self { bytes, text, decoded: OnceCell::new() }
    }

    /// The whole source without the mark of UTF-8.
    pub(crate) fn without_mark(&self) -> &'a [u8] {
        self.bytes.strip_prefix(UTF8_MARK).unwrap_or(self.bytes)
    }

    /// The beginning of the text.
    pub(crate) fn head(&self) -> &'a [u8] {
        beginning(self.text)
    }

    /// A longer beginning of the text, for marks that stand anywhere in a page.
    pub(crate) fn page(&self) -> &'a [u8] {
        &self.text[..self.text.len().min(PAGE_BYTES)]
    }

    /// The beginning of the text as characters.
    pub(crate) fn decoded(&self) -> &str {
        self.decoded.get_or_init(|| Encoding::detect(self.text).decode_lossy(self.head()))
    }

    /// Returns true if the beginning can be a text in an encoding at hand.
    pub(crate) fn is_text(&self) -> bool {
        is_text(self.head())
    }
}

/// As many of the first bytes as are looked at.
pub(crate) fn beginning(bytes: &[u8]) -> &[u8] {
    &bytes[..bytes.len().min(SAMPLE_BYTES)]
}

/// Returns true if the bytes can be a text in an encoding at hand: no zero among the first ones.
pub(crate) fn is_text(bytes: &[u8]) -> bool {
    !beginning(bytes).contains(&0)
}

/// Returns true if the mark stands anywhere in the bytes.
pub(crate) fn contains(bytes: &[u8], mark: &[u8]) -> bool {
    bytes.windows(mark.len()).any(|window| window == mark)
}
