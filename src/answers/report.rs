//! Reports of what the program did or found in its surroundings: games converted, settings in effect.

use serde::Serialize;

use crate::record::Dropped;

/// The counts of a conversion of game records: schema `juzhong.convert/1`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ConvertReport {
    /// The schema.
    pub schema: &'static str,
    /// The output.
    pub output: String,
    /// The format written.
    pub format: &'static str,
    /// Files read.
    pub files: usize,
    /// Games written.
    pub games: u64,
    /// Games refused.
    pub bad: u64,
    /// Good games that the conditions left out.
    pub filtered: u64,
    /// Files without games passed over.
    pub skipped: u64,
    /// Variations cut at a move that cannot be played.
    pub cut_variations: u64,
    /// Games read otherwise than their file states.
    pub noted: u64,
    /// Games with bytes that stand for no character.
    pub undecoded: u64,
    /// Games cut before an illegal move, or where the file ends too early.
    pub cut: u64,
    /// Moves that several pieces could make.
    pub guessed: u64,
    /// Words and signs between moves that are no moves.
    pub skipped_words: u64,
    /// Parts that the format has no room for.
    pub dropped: DroppedParts,
}

impl ConvertReport {
    /// The schema.
    pub const SCHEMA: &str = "juzhong.convert/1";
}

/// The parts of games that a format has no room for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct DroppedParts {
    /// Variations, those within others included.
    pub variations: u64,
    /// Comments.
    pub comments: u64,
    /// Tags.
    pub tags: u64,
    /// Results, but for those that the last position shows.
    pub results: u64,
}

impl From<Dropped> for DroppedParts {
    fn from(Dropped { variations, comments, tags, results }: Dropped) -> Self {
        Self { variations, comments, tags, results }
    }
}

/// The settings in effect: schema `juzhong.config/1`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ConfigAnswer {
    /// The schema.
    pub schema: &'static str,
    /// The file of the settings, whether it is there or not.
    pub file: Option<String>,
    /// The file was there, and was read.
    pub file_read: bool,
    /// The settings.
    pub settings: Vec<SettingInEffect>,
}

impl ConfigAnswer {
    /// The schema.
    pub const SCHEMA: &str = "juzhong.config/1";
}

/// A setting in effect.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SettingInEffect {
    /// Its name in the file, with its table.
    pub name: String,
    /// Its values.
    pub values: Vec<String>,
    /// `default`, `file` or the variable of the environment.
    pub source: String,
}
