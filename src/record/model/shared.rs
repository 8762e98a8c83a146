//! Texts that many games of a file share: names that stand once, and to which games refer.
//!
//! A record has its texts for itself, so a file in which thousands of games name one long text would grow a
//! thousandfold as it is read, and whatever is made of its games with it. So such a text is cut where it is longer
//! than any name, and all of what is handed out stays within a multiple of the file.

use crate::message::message;
use crate::record::model::bad_game::BadGameReason;
use crate::record::model::limits::{FREE_SHARED, MAX_SHARED_RATIO, MAX_SHARED_TEXT};

/// A text that games share, short enough for each of them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct SharedText {
    pub(crate) text: String,
    /// Set if the file has more of it.
    pub(crate) is_cut: bool,
}

impl SharedText {
    /// The text, up to [`MAX_SHARED_TEXT`] bytes; `…` stands for the rest.
    pub(crate) fn new(mut text: String) -> Self {
        const REST: &str = "…";
        let is_cut = text.len() > MAX_SHARED_TEXT;
        if is_cut {
            text.truncate(text.floor_char_boundary(MAX_SHARED_TEXT - REST.len()));
            text.push_str(REST);
            text.shrink_to_fit();
        }
        Self { text, is_cut }
    }
}

/// The bytes of shared texts that the games of a file may still get.
#[derive(Debug)]
pub(crate) struct SharedBudget {
    left: usize,
}

impl SharedBudget {
    /// The budget of a file with its length in bytes.
    pub(crate) const fn of(bytes: usize) -> Self {
        Self { left: bytes.saturating_mul(MAX_SHARED_RATIO).saturating_add(FREE_SHARED) }
    }

    /// Takes the bytes of the texts of a game.
    ///
    /// # Errors
    ///
    /// Fewer are left.
    pub(crate) fn take(&mut self, bytes: usize) -> Result<(), BadGameReason> {
        self.left = self.left.checked_sub(bytes).ok_or_else(|| {
            let what = message!(
                "the names that games share come to more than {MAX_SHARED_RATIO} times the file; \
                 games that need more of them are left out"
            );
            BadGameReason::Unsupported(what)
        })?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_texts_are_cut_between_characters() {
        let short = SharedText::new("x".repeat(MAX_SHARED_TEXT));
        assert_eq!((short.text.len(), short.is_cut), (MAX_SHARED_TEXT, false));
        let long = SharedText::new("棋".repeat(MAX_SHARED_TEXT));
        assert!(long.is_cut && long.text.len() <= MAX_SHARED_TEXT, "{}", long.text.len());
        assert!(long.text.ends_with("棋…"));
    }

    #[test]
    fn a_budget_ends() {
        let mut budget = SharedBudget::of(1);
        assert_eq!(budget.take(FREE_SHARED), Ok(()));
        assert_eq!(budget.take(MAX_SHARED_RATIO), Ok(()));
        assert!(budget.take(1).is_err());
    }
}
