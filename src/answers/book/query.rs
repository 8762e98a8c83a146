//! The answer about a position: the moves that a book has for it.

use serde::Serialize;

use crate::answers::book::moves::{
    EngineScore, MoveAnswer, all_games, all_weight, moves_of, sort_moves,
};
use crate::answers::book::names::{Names, OpeningName};
use crate::answers::described::Described;
use crate::answers::error::AnswerError;
use crate::answers::line::LineRequest;
use crate::book::opening::Named;
use crate::book::{Book, BookMove, Score};
use crate::game::{Line, Notation, Symmetric};
use crate::xiangqi::notation::MoveNotation;

/// The question about a position.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct QueryRequest {
    /// The position with the moves before it.
    pub line: LineRequest,
    /// Moves of fewer games are left out; if not given, as the book was built.
    pub min_games: Option<u64>,
    /// The notation in which texts of moves are wanted beside their coordinates.
    pub notation: Option<MoveNotation>,
}

impl QueryRequest {
    /// The answer of a book.
    ///
    /// # Errors
    ///
    /// The position or a move cannot be read; the book cannot be read, or is one of another game.
    pub fn answer<G: Described + Named>(&self, book: &Book) -> Result<QueryAnswer, AnswerError> {
        self.find::<G>(book)?.answer(self.notation)
    }

    /// The findings that the answer is made of.
    ///
    /// # Errors
    ///
    /// As [`answer`](Self::answer).
    pub fn find<'a, G: Described + Named>(
        &self,
        book: &'a Book,
    ) -> Result<FoundPosition<'a, G>, AnswerError> {
        let line = self.line.line::<G>()?.line;
        let names = Names::along(&self.line, &line);
        FoundPosition::look_up(book, line.position(), names, self.min_games)
    }
}

/// A position with what a book has of it.
#[derive(Debug)]
pub struct FoundPosition<'a, G: Named> {
    /// The book.
    pub book: &'a Book,
    /// The position.
    pub position: G,
    /// Its name and those of the positions after it.
    pub names: Names<G>,
    /// The moves in order, see [`moves_of`].
    pub moves: Vec<BookMove<G::Move>>,
    /// The score of the best source for the position itself.
    pub score: Option<Score>,
}

impl<'a, G: Described + Named> FoundPosition<'a, G> {
    /// Looks a position up. Moves of fewer games are left out, by default as the book was built.
    ///
    /// # Errors
    ///
    /// The book cannot be read, or is one of another game.
    pub fn look_up(
        book: &'a Book,
        position: &G,
        names: Names<G>,
        min_games: Option<u64>,
    ) -> Result<Self, AnswerError> {
        let min_games = min_games.unwrap_or(book.metadata().min_games);
        let moves = moves_of(book, position, min_games)?;
        let score = Score::that_counts(book.scores_of(position)?);
        Ok(Self { book, position: position.clone(), names, moves, score })
    }

    /// Returns true if the book has the position as its mirror image.
    #[must_use]
    pub fn is_mirrored(&self) -> bool {
        is_mirrored(self.book, &self.position)
    }

    /// The position after a move of the book.
    #[must_use]
    pub fn after(&self, found: &BookMove<G::Move>) -> G {
        after(&self.position, found)
    }

    /// The number of games that the book follows beyond a position, by any moves that led there.
    ///
    /// # Errors
    ///
    /// The book cannot be read.
    pub fn games_beyond(&self, position: &G) -> Result<u64, AnswerError> {
        Ok(all_games(&self.book.probe_with(position, 0)?))
    }

    /// The answer, with texts of moves in that notation.
    ///
    /// # Errors
    ///
    /// The book cannot be read.
    pub fn answer(&self, notation: Option<MoveNotation>) -> Result<QueryAnswer, AnswerError> {
        let moves = self.moves.iter().map(|found| self.move_answer(found, notation));
        Ok(QueryAnswer {
            place: Place::of(self.book, &self.position),
            opening: OpeningName::of::<G>(self.names.here(&self.position)),
            total: all_games(&self.moves),
            total_weight: all_weight(&self.moves),
            engine: self.score.as_ref().map(EngineScore::from),
            moves: moves.collect::<Result<_, _>>()?,
        })
    }

    fn move_answer(
        &self,
        found: &BookMove<G::Move>,
        notation: Option<MoveNotation>,
    ) -> Result<QueryMove, AnswerError> {
        let next = self.after(found);
        let games_after = self.games_beyond(&next)?;
        let opening = self.names.after(&next);
        Ok(QueryMove {
            found: MoveAnswer::of(found, &self.position, opening, notation),
            games_after,
            transposed: games_after.saturating_sub(found.stats.games),
            origin: origin(self.book, found.origin)?,
        })
    }
}

/// Returns true if the book has the position as its mirror image.
fn is_mirrored<G: Symmetric>(book: &Book, position: &G) -> bool {
    // Bit 0 is the identity: without it only an image of the position has the canonical key.
    position.canonical_with(book.foreign_keys()).by & 1 == 0
}

/// The position after a move of the book, which is legal.
pub(crate) fn after<G: Notation>(position: &G, found: &BookMove<G::Move>) -> G {
    let mut next = position.clone();
    next.make(found.mv);
    next
}

/// The name of the merged book with that number.
fn origin(book: &Book, number: Option<u32>) -> Result<Option<String>, AnswerError> {
    let Some(number) = number else { return Ok(None) };
    let mut books = book.origins()?.books.into_iter();
    let index = (number as usize).checked_sub(1);
    Ok(index.and_then(|index| books.nth(index)).map(|origin| origin.name))
}

const SCHEMA: &str = "juzhong.book.query/1";

/// The part of an answer that names the position.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
pub struct Place {
    /// The schema.
    #[cfg_attr(feature = "schemas", schemars(extend("const" = SCHEMA)))]
    pub schema: &'static str,
    /// The position.
    pub fen: String,
    /// The key by which the book has it.
    pub key: String,
    /// The book has it as its mirror image.
    pub mirrored: bool,
}

impl Place {
    /// The place of a position in a book.
    pub(crate) fn of<G: Symmetric + Notation>(book: &Book, position: &G) -> Self {
        Self {
            schema: SCHEMA,
            fen: position.to_fen(),
            key: book.key_of(position).to_string(),
            mirrored: is_mirrored(book, position),
        }
    }
}

/// The answer: schema `juzhong.book.query/1`.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(
    feature = "schemas",
    derive(schemars::JsonSchema),
    schemars(rename = "Book", description = "The object of `book query --json`.")
)]
pub struct QueryAnswer {
    /// The position.
    #[serde(flatten)]
    pub place: Place,
    /// Its name.
    #[serde(flatten)]
    pub opening: OpeningName,
    /// The games of all moves.
    pub total: u64,
    /// The weights of all moves.
    pub total_weight: u64,
    /// The score that the best source gives to the position.
    pub engine: Option<EngineScore>,
    /// The moves, those of most games first.
    pub moves: Vec<QueryMove>,
}

/// A move of the answer.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema), schemars(rename = "BookMove"))]
pub struct QueryMove {
    /// The move.
    #[serde(flatten)]
    pub found: MoveAnswer,
    /// The games that go on from the position after it, by whatever moves they came there.
    pub games_after: u64,
    /// Those of them that came there by other moves.
    pub transposed: u64,
    /// The name of the merged book that it comes from.
    pub origin: Option<String>,
}

/// The moves that games made at the end of a line, as a book of these games would have them.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
pub struct PlayedMoves {
    /// The position.
    pub fen: String,
    /// Its name.
    #[serde(flatten)]
    pub opening: OpeningName,
    /// The games of all moves.
    pub total: u64,
    /// The weights of all moves.
    pub total_weight: u64,
    /// The moves, those of most games first.
    pub moves: Vec<MoveAnswer>,
}

impl PlayedMoves {
    /// The answer about the last position of a line that was asked for so.
    #[must_use]
    pub fn of<G: Described + Named>(
        request: &LineRequest,
        line: &Line<G>,
        mut moves: Vec<BookMove<G::Move>>,
        notation: Option<MoveNotation>,
    ) -> Self {
        sort_moves::<G>(&mut moves);
        let names = Names::along(request, line);
        let position = line.position();
        let named = moves.iter().map(|found| {
            let opening = names.after(&after(position, found));
            MoveAnswer::of(found, position, opening, notation)
        });
        Self {
            fen: position.to_fen(),
            opening: OpeningName::of::<G>(names.here(position)),
            total: all_games(&moves),
            total_weight: all_weight(&moves),
            moves: named.collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answers::book::sample_book::book_of;
    use crate::answers::error::ErrorKind;
    use crate::gomoku::Board;
    use crate::xiangqi::Position;

    const GAMES: &str = "1. h2e2 h9g7 1-0\n\n1. h2e2 b9c7 0-1\n\n1. g3g4 1/2-1/2\n";

    #[test]
    fn moves_have_the_members_of_their_game() {
        let folder = tempfile::tempdir().unwrap();
        let book = Book::open(&book_of(folder.path(), GAMES)).unwrap();
        let answer = QueryRequest::default().answer::<Position>(&book).unwrap();
        assert_eq!((answer.total, answer.moves.len()), (3, 2));
        let object = serde_json::to_value(&answer).unwrap();
        assert_eq!(object["schema"], "juzhong.book.query/1");
        let first = object["moves"][0].as_object().unwrap();
        assert_eq!(
            (&first["move"], &first["red"], &first["black"]),
            (&"h2e2".into(), &1.into(), &1.into())
        );
        assert_eq!((&first["games_after"], &first["transposed"]), (&2.into(), &0.into()));
        // What is not known is null, and a text that was not asked for is absent.
        assert!(first["engine"].is_null() && first["origin"].is_null());
        assert!(first["ecco"].is_string() && !first.contains_key("text"));
    }

    #[test]
    fn texts_and_limits_are_as_asked_for() {
        let folder = tempfile::tempdir().unwrap();
        let book = Book::open(&book_of(folder.path(), GAMES)).unwrap();
        let request = QueryRequest {
            min_games: Some(2),
            notation: Some(MoveNotation::Wxf),
            ..QueryRequest::default()
        };
        let answer = request.answer::<Position>(&book).unwrap();
        let texts: Vec<_> = answer.moves.iter().map(|mv| mv.found.text.as_deref()).collect();
        assert_eq!(texts, [Some("C2=5")]);
    }

    #[test]
    fn errors_tell_the_request_from_the_book() {
        let folder = tempfile::tempdir().unwrap();
        let book = Book::open(&book_of(folder.path(), GAMES)).unwrap();
        let line = LineRequest { moves: "h2e2 h2e2".to_owned(), ..LineRequest::default() };
        let request = QueryRequest { line, ..QueryRequest::default() };
        let error = request.answer::<Position>(&book).unwrap_err();
        assert_eq!((error.kind(), error.parameter()), (ErrorKind::BadData, Some("moves")));
        let error = QueryRequest::default().answer::<Board>(&book).unwrap_err();
        assert_eq!((error.kind(), error.parameter()), (ErrorKind::Damaged, None));
    }
}
