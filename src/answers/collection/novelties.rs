//! Novelties of a collection: by whom, with what result, and what became of them.

use serde::Serialize;

use crate::answers::collection::found::FoundGame;
use crate::answers::described::Described;
use crate::answers::error::AnswerError;
use crate::book::Book;
use crate::bytes::StopFlag;
use crate::collection::{
    Collected, Conditions, FirstMove, FoundPage, GameIndex, IndexedGame, NoveltyError,
    NoveltySearch,
};
use crate::xiangqi::notation::MoveNotation;

/// A move made for the first time.
#[derive(Debug, Clone, Serialize)]
pub struct NoveltyRow {
    /// The first game with it.
    pub game: FoundGame,
    /// The ply of the move, from 1.
    pub ply: u32,
    /// The moves up to it, the novelty last.
    pub moves: Vec<String>,
    /// The novelty in the notation that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// Games that reached the position before: earlier ones of the collection, or those of the book.
    pub games_before: u64,
    /// Games of the collection with the move, this one among them, copies aside.
    pub games_with: u64,
}

/// The novelties of a collection: schema `juzhong.games.novelties/1`.
#[derive(Debug, Clone, Serialize)]
pub struct NoveltiesAnswer {
    schema: &'static str,
    /// The novelties in the order that was asked for.
    pub novelties: Vec<NoveltyRow>,
}

/// Novelties, and the games that have them first.
#[derive(Debug, Clone)]
pub struct Novelties {
    /// The answer.
    pub answer: NoveltiesAnswer,
    /// The game of each.
    pub games: Vec<IndexedGame>,
}

impl Novelties {
    /// Finds the moves that were made for the first time, by the earlier games of the collection, or by an older book.
    ///
    /// # Errors
    ///
    /// The index or the book cannot be read, or the search was interrupted.
    pub fn of<G: Described + Collected>(
        index: &GameIndex,
        book: Option<&Book>,
        search: &NoveltySearch,
        notation: Option<MoveNotation>,
        stop: &StopFlag,
    ) -> Result<Self, AnswerError> {
        let found = match book {
            None => index.first_moves(search, stop)?,
            Some(book) => index.moves_beyond::<G>(book, search, stop)?,
        };
        let mut rows = Vec::with_capacity(found.len());
        let mut games = Vec::with_capacity(found.len());
        for first in found {
            let Some(game) = game_of(index, &first)? else { continue };
            rows.push(row::<G>(index, &first, game.clone(), notation)?);
            games.push(game);
        }
        let answer = NoveltiesAnswer { schema: "juzhong.games.novelties/1", novelties: rows };
        Ok(Self { answer, games })
    }
}

impl From<NoveltyError> for AnswerError {
    fn from(error: NoveltyError) -> Self {
        match error {
            NoveltyError::Index(error) => error.into(),
            NoveltyError::Book(error) => error.into(),
        }
    }
}

/// The first game of a novelty's line.
fn game_of(index: &GameIndex, first: &FirstMove) -> Result<Option<IndexedGame>, AnswerError> {
    let conditions = Conditions {
        lines: Some(first.line_alone()),
        years: (first.year, first.year),
        ..Conditions::default()
    };
    let page = FoundPage { take: 1, fold_copies: true, ..FoundPage::default() };
    Ok(index.find(&conditions, &page)?.games.into_iter().next())
}

fn row<G: Described + Collected>(
    index: &GameIndex,
    first: &FirstMove,
    game: IndexedGame,
    notation: Option<MoveNotation>,
) -> Result<NoveltyRow, AnswerError> {
    let lines = index.moves_of_lines::<G>(std::iter::once(first.line))?;
    let line = lines.get(&first.line);
    let mut position = line.and_then(|line| line.start.clone()).unwrap_or_else(G::start);
    let mut moves = Vec::new();
    let mut text = None;
    let played = line.map_or(&[][..], |line| &line.moves);
    for &mv in played.iter().take(first.ply as usize + 1) {
        text = notation.map(|notation| position.write_move(mv, notation));
        moves.push(G::move_text(mv));
        position.make(mv);
    }
    Ok(NoveltyRow {
        game: game.into(),
        ply: first.ply + 1,
        moves,
        text,
        games_before: first.games_before,
        games_with: first.games_with,
    })
}
