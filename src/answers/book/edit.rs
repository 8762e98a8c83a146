//! Edits of a book: weights, priorities, comments and groups of moves, moves added and deleted, and their undoing.

use std::path::Path;

use serde::{Deserialize, Deserializer, Serialize};

use crate::answers::described::Described;
use crate::answers::error::{AnswerError, ErrorKind};
use crate::answers::line::LineRequest;
use crate::book::opening::Named;
use crate::book::{Book, Change, Editor, JournalStep};
use crate::bytes::StopFlag;
use crate::message::message;

/// One edit, as a line of a script or the body of a request has it.
#[derive(Debug, Default, Clone, PartialEq, Eq, Deserialize)]
#[cfg_attr(
    feature = "schemas",
    derive(schemars::JsonSchema),
    schemars(rename = "Edit", description = "A line of `book edit --script`.")
)]
#[serde(default, deny_unknown_fields)]
pub struct EditRequest {
    /// A FEN or `startpos`, perhaps with moves after it; the start of a game if there is none.
    pub fen: Option<String>,
    /// Moves from there, in any notation.
    #[serde(deserialize_with = "texts")]
    #[cfg_attr(feature = "schemas", schemars(with = "Texts"))]
    pub moves: Vec<String>,
    /// The move to edit, in any notation.
    #[serde(rename = "move")]
    pub mv: Option<String>,
    /// A line of moves to add, in any notation; changes other than groups are those of its last move.
    pub add_line: Option<String>,
    /// The groups that the move, or every move of the line, is put into.
    #[serde(deserialize_with = "texts")]
    #[cfg_attr(feature = "schemas", schemars(with = "Texts"))]
    pub group: Vec<String>,
    /// The groups that the move is taken out of.
    #[serde(deserialize_with = "texts")]
    #[cfg_attr(feature = "schemas", schemars(with = "Texts"))]
    pub no_group: Vec<String>,
    /// The weight.
    pub weight: Option<u64>,
    /// The weight becomes that computed from the games.
    pub clear_weight: bool,
    /// The priority.
    pub priority: Option<i64>,
    /// The comment.
    pub comment: Option<String>,
    /// The comment is removed.
    pub clear_comment: bool,
    /// The move is excluded from play.
    pub disable: bool,
    /// The move is allowed in play again.
    pub enable: bool,
    /// The move is locked against further changes.
    pub lock: bool,
    /// The move is unlocked, for the changes of this edit too.
    pub unlock: bool,
    /// The move is deleted.
    pub delete: bool,
}

/// One text, or a list of them.
#[derive(Deserialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema), schemars(inline))]
#[serde(untagged)]
enum Texts {
    One(String),
    Many(Vec<String>),
}

/// One text, or a list of them.
fn texts<'de, D: Deserializer<'de>>(input: D) -> Result<Vec<String>, D::Error> {
    Ok(match Texts::deserialize(input)? {
        Texts::One(text) => vec![text],
        Texts::Many(texts) => texts,
    })
}

impl EditRequest {
    /// Makes the edit in the book at a path and writes it.
    ///
    /// # Errors
    ///
    /// The edit cannot be made, or the book not be written; it is as it was then.
    pub fn answer<G: Described + Named>(
        &self,
        book: &Path,
        stop: &StopFlag,
    ) -> Result<Changed, AnswerError> {
        let mut editor = Editor::open(book, stop)?;
        let changed = self.make::<G>(&mut editor)?;
        editor.commit()?;
        Ok(Changed { changed })
    }

    /// Makes the edit, which the editor has yet to write. Returns the number of moves changed.
    ///
    /// # Errors
    ///
    /// The position or a move cannot be read, the changes exclude each other, or the move cannot be changed so.
    pub fn make<G: Described + Named>(&self, editor: &mut Editor) -> Result<u64, AnswerError> {
        let mut typed = self.line().line::<G>()?;
        let changes = self.changes()?;
        if let Some(line) = &self.add_line {
            let start = typed.line.position().clone();
            let before = typed.line.len();
            typed.play_parameter("add_line", line)?;
            let line: Vec<G::Move> = typed.line.moves().skip(before).collect();
            return Ok(editor.add_line(&start, &line, &self.group, &changes)?);
        }
        let Some(text) = &self.mv else {
            return Err(AnswerError::new(ErrorKind::BadParameter, "name a move or add a line"));
        };
        if changes.is_empty() {
            let message = "say what to change, such as --weight 5";
            return Err(AnswerError::new(ErrorKind::BadParameter, message));
        }
        let position = typed.line.position();
        let mv = position
            .read_move(text)
            .map_err(|reason| AnswerError::new(ErrorKind::BadData, reason).in_parameter("move"))?;
        Ok(editor.change(position, mv, &changes).map(u64::from)?)
    }

    /// The line to the position.
    fn line(&self) -> LineRequest {
        let moves = self.moves.join(" ");
        LineRequest { fen: self.fen.clone(), moves, ..LineRequest::default() }
    }

    /// The changes requested: unlocking comes first, locking last.
    fn changes(&self) -> Result<Vec<Change>, AnswerError> {
        self.check_exclusions()?;
        // Every move of a line is put into its groups.
        let groups: &[String] = if self.add_line.is_some() { &[] } else { &self.group };
        let clear_weight = self.clear_weight.then_some(Change::Weight(None));
        let clear_comment = self.clear_comment.then_some(Change::Comment(None));
        let optional = [
            self.unlock.then_some(Change::Unlock),
            self.weight.map(|weight| Change::Weight(Some(weight))).or(clear_weight),
            self.priority.map(Change::Priority),
            self.comment.clone().map(|comment| Change::Comment(Some(comment))).or(clear_comment),
            self.disable.then_some(Change::Disabled(true)),
            self.enable.then_some(Change::Disabled(false)),
            self.delete.then_some(Change::Delete),
        ];
        let mut changes: Vec<Change> = optional.into_iter().flatten().collect();
        changes.extend(groups.iter().map(|name| Change::Group(name.clone(), true)));
        changes.extend(self.no_group.iter().map(|name| Change::Group(name.clone(), false)));
        changes.extend(self.lock.then_some(Change::Lock));
        Ok(changes)
    }

    /// Refuses changes that exclude each other.
    fn check_exclusions(&self) -> Result<(), AnswerError> {
        for (is_first, is_second, names) in [
            (self.mv.is_some(), self.add_line.is_some(), "move and add_line"),
            (self.weight.is_some(), self.clear_weight, "weight and clear_weight"),
            (self.comment.is_some(), self.clear_comment, "comment and clear_comment"),
            (self.disable, self.enable, "disable and enable"),
            (self.lock, self.unlock, "lock and unlock"),
            (self.delete, self.add_line.is_some(), "delete and add_line"),
        ] {
            if is_first && is_second {
                let message = message!("{names} exclude each other");
                return Err(AnswerError::new(ErrorKind::BadParameter, message));
            }
        }
        Ok(())
    }
}

/// Takes the last edits of the book at a path back and writes it.
///
/// # Errors
///
/// There are fewer edits, or the book cannot be written; it is as it was then.
pub fn undo_edits(book: &Path, count: u64, stop: &StopFlag) -> Result<Undone, AnswerError> {
    let mut editor = Editor::open(book, stop)?;
    let undone = Undone::of(&editor.undo(count)?);
    editor.commit()?;
    Ok(undone)
}

/// The edits of the book at a path that can be undone.
///
/// # Errors
///
/// The book cannot be read.
pub fn edit_history(book: &Path) -> Result<EditAnswer, AnswerError> {
    let history = Book::open(book)?.history()?.iter().map(EditStep::from).collect();
    Ok(EditAnswer::of(book, EditOutcome::Listed { history }))
}

/// The answer: schema `juzhong.book.edit/1`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct EditAnswer {
    /// The schema.
    pub schema: &'static str,
    /// The path of the book.
    pub book: String,
    /// The outcome.
    #[serde(flatten)]
    pub outcome: EditOutcome,
}

impl EditAnswer {
    /// The answer about the book at a path.
    #[must_use]
    pub fn of(book: &Path, outcome: EditOutcome) -> Self {
        let book = book.to_string_lossy().into_owned();
        Self { schema: "juzhong.book.edit/1", book, outcome }
    }
}

/// The outcome of edits, of their undoing, or of the question about them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum EditOutcome {
    /// Edits were made.
    Made {
        /// The number of edits.
        edits: u64,
        /// The number of moves changed.
        changed: u64,
    },
    /// Edits were undone.
    Undone(Undone),
    /// The edits that can be undone.
    Listed {
        /// Their steps.
        history: Vec<EditStep>,
    },
}

/// The result of one edit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema), schemars(rename = "ChangedMoves"))]
pub struct Changed {
    /// The number of moves changed.
    pub changed: u64,
}

/// The result of undoing edits.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema), schemars(rename = "UndoneEdits"))]
pub struct Undone {
    /// The steps undone.
    pub undone: Vec<EditStep>,
}

impl Undone {
    /// The result of undoing these steps.
    #[must_use]
    pub fn of(steps: &[JournalStep]) -> Self {
        Self { undone: steps.iter().map(EditStep::from).collect() }
    }
}

/// A step of an edit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
pub struct EditStep {
    /// The number of the edit, from 1.
    pub edit: u64,
    /// The number of the step in it, from 1.
    pub step: u64,
    /// The step in words.
    pub what: String,
}

impl From<&JournalStep> for EditStep {
    fn from(step: &JournalStep) -> Self {
        Self { edit: step.edit, step: step.step, what: step.what.clone() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answers::book::sample_book::book_of;
    use crate::xiangqi::Position;

    const GAME: &str = "1. h2e2 h9g7 1-0\n";

    /// The kind, the parameter and the text of the error of an edit.
    fn fault(book: &Path, request: &str) -> (ErrorKind, Option<&'static str>, String) {
        let request: EditRequest = serde_json::from_str(request).unwrap();
        let error = request.answer::<Position>(book, &StopFlag::default()).unwrap_err();
        (error.kind(), error.parameter(), error.to_string())
    }

    #[test]
    fn edits_are_made_listed_and_undone() {
        let folder = tempfile::tempdir().unwrap();
        let book = book_of(folder.path(), GAME);
        let never = StopFlag::default();
        let text = r#"{"moves": "h2e2", "move": "h9g7", "weight": 5, "group": ["a", "b"]}"#;
        let request: EditRequest = serde_json::from_str(text).unwrap();
        assert_eq!(request.group, ["a", "b"]);
        let changed = request.answer::<Position>(&book, &never).unwrap();
        assert_eq!(changed, Changed { changed: 1 });
        let listed = edit_history(&book).unwrap().outcome;
        let EditOutcome::Listed { history } = listed else { panic!("{listed:?}") };
        let undone = undo_edits(&book, 1, &never).unwrap().undone;
        assert_eq!(undone.len(), history.len());
        assert!(undo_edits(&book, 1, &never).is_err());
    }

    #[test]
    fn faults_name_the_parameter() {
        let folder = tempfile::tempdir().unwrap();
        let book = book_of(folder.path(), GAME);
        let (kind, parameter, text) = fault(&book, r#"{"move": "a0a9", "weight": 5}"#);
        assert_eq!((kind, parameter), (ErrorKind::BadData, Some("move")), "{text}");
        let (kind, parameter, _) = fault(&book, r#"{"fen": "nonsense", "move": "h2e2"}"#);
        assert_eq!((kind, parameter), (ErrorKind::BadData, Some("fen")));
        let (kind, parameter, _) = fault(&book, r#"{"add_line": "h2e2 h2e2"}"#);
        assert_eq!((kind, parameter), (ErrorKind::BadData, Some("add_line")));
        let (kind, parameter, text) = fault(&book, r#"{"lock": true, "unlock": true}"#);
        assert_eq!((kind, parameter), (ErrorKind::BadParameter, None));
        assert_eq!(text, "lock and unlock exclude each other");
    }
}
