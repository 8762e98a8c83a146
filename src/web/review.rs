//! Reviews of games as they are made: server-sent events.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::State;
use axum::response::sse::Event;
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::sync::{OwnedSemaphorePermit, mpsc};

use super::games::game_of;
use super::params::{Common, Params, RawBody, number};
use super::problem::Problem;
use super::searches::{EventStream, score_json, streamed};
use super::state::App;
use crate::cli::GameName;
use crate::cli::language::{self, Language};
use crate::cli::line_args::{NotationArgs, parse_rules};
use crate::cli::terminal::Terminal;
use juzhong::bytes::StopFlag;
use juzhong::engine::{OwnBook, Playable, TableOptions};
use juzhong::game::Side;
use juzhong::gomoku::Board;
use juzhong::record::Record;
use juzhong::review::{
    BookFinding, Evaluators, GameMoves, Mark, ReviewBooks, ReviewOptions, review,
};
use juzhong::search::Limits;
use juzhong::xiangqi::Position;

/// Positions searched for each position of a game, usually and at most.
const USUAL: u64 = 30_000;
const MOST: u64 = 10_000_000;
/// The time that a review waits for searches to end.
const PATIENCE: Duration = Duration::from_secs(1);
/// Events that wait for a slow reader.
const WAITING: usize = 64;
/// The longest game that is reviewed, in plies.
const LONGEST: usize = 2_000;

/// The parameters of [`stream`].
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct ReviewQuery {
    #[serde(flatten)]
    common: Common,
    client: Option<String>,
    nodes: Option<String>,
}

/// Reviews the game of the body, a JSON line. Streams the progress, then every move, then the accuracies.
pub(super) async fn stream(
    State(app): State<Arc<App>>,
    Params(query): Params<ReviewQuery>,
    RawBody(body): RawBody,
) -> Result<EventStream, Problem> {
    let nodes = number("nodes", query.nodes.as_deref(), (1, MOST))?.unwrap_or(USUAL);
    let permit = app.search_permit(PATIENCE).await?;
    let stop = app.search_of("review", query.client.as_deref());
    let (sender, receiver) = mpsc::channel(WAITING);
    let folders = app.table_folders();
    let (game, lang) = (query.common.game()?, query.common.lang());
    let job = Job { app, nodes, stop: stop.0.clone(), sender, lang, _permit: permit };
    match game {
        GameName::Xiangqi => job.start::<Position>(&query.common, &body, folders)?,
        GameName::Gomoku => job.start::<Board>(&query.common, &body, Vec::new())?,
    }
    Ok(streamed(receiver, stop))
}

/// A review to be made in a thread of its own.
struct Job {
    app: Arc<App>,
    nodes: u64,
    stop: StopFlag,
    sender: mpsc::Sender<Event>,
    lang: Language,
    _permit: OwnedSemaphorePermit,
}

impl Job {
    fn start<G: Terminal + Playable>(
        self,
        query: &Common,
        body: &[u8],
        folders: Vec<PathBuf>,
    ) -> Result<(), Problem> {
        let record = game_of::<G>(body)?;
        if record.tree.moves.len() > LONGEST {
            return Err(Problem::bad_request("the game is too long to be reviewed"));
        }
        let options = ReviewOptions {
            limits: Limits::nodes(self.nodes),
            hash_mib: self.app.config.hash_mib,
            threads: self.app.config.threads,
            tables: TableOptions { folders, ..TableOptions::default() },
            rules: parse_rules::<G>(query.rules.as_deref())?,
        };
        let evaluators =
            Evaluators::<G>::new(&options).map_err(|error| Problem::internal(error.to_string()))?;
        let notation = query.notation()?;
        let thread = std::thread::Builder::new().name("review".to_owned());
        let work = move || {
            language::within(self.lang, || {
                let last = match self.run(evaluators, &record, &options, notation) {
                    Ok(done) => Event::default().event("done").data(done.to_string()),
                    Err(what) => {
                        Event::default().event("error").data(json!({"detail": what}).to_string())
                    }
                };
                // A reader that has gone needs no answer.
                let _gone = self.sender.blocking_send(last);
            });
        };
        thread.spawn(work).map(drop).map_err(|_| Problem::busy("no thread can be started"))
    }

    fn send(&self, name: &str, data: &Value) {
        if self.sender.blocking_send(Event::default().event(name).data(data.to_string())).is_err() {
            self.stop.set();
        }
    }

    fn run<G: Terminal + Playable>(
        &self,
        mut evaluators: Evaluators<G>,
        record: &Record<G>,
        options: &ReviewOptions<G::Rules>,
        notation: NotationArgs,
    ) -> Result<Value, String> {
        let start = record.start.clone().unwrap_or_else(G::start);
        let moves = &record.tree.moves;
        let game = GameMoves { start: &start, start_clock: record.start_clock, moves };
        let mut done = 0;
        let values = evaluators
            .evaluate(&[game], &self.stop, &mut || {
                done += 1;
                self.send("progress", &json!({"done": done, "of": moves.len()}));
            })
            .map_err(|error| error.to_string())?;
        let Some(Some(values)) = values.into_iter().next() else { return Ok(Value::Null) };
        let books = self.books::<G>(&start, moves)?;
        let review = review(game, &values, &books, options.rules);
        let mut position = start.clone();
        let notation = notation.shown();
        for (ply, reviewed) in (1..).zip(&review.moves) {
            let best = reviewed.line.first().copied();
            let data = json!({
                "ply": ply,
                "move": G::move_text(reviewed.mv),
                "text": position.write_move(reviewed.mv, notation),
                "source": reviewed.source.name(),
                "score": score_json(reviewed.after),
                "best": best.map(G::move_text),
                "best_text": best.map(|best| position.write_move(best, notation)),
                "line": reviewed.line.iter().map(|&mv| G::move_text(mv)).collect::<Vec<_>>(),
                "loss": reviewed.loss(),
                "loss_cp": reviewed.centipawn_loss,
                "mark": reviewed.mark.map(Mark::name),
            });
            self.send("move", &data);
            position.make(reviewed.mv);
        }
        let accuracy = |side: Side| review.sides[side].accuracy;
        Ok(json!({"accuracy": {"red": accuracy(Side::First), "black": accuracy(Side::Second)}}))
    }

    /// The findings of the server's books about each move.
    fn books<G: Terminal + Playable>(
        &self,
        start: &G,
        moves: &[G::Move],
    ) -> Result<Vec<BookFinding<G::Move>>, String> {
        let books: Vec<OwnBook> = self
            .app
            .books(G::NAME)
            .map(|book| OwnBook::parse(&book.path.to_string_lossy()))
            .collect();
        if books.is_empty() {
            return Ok(Vec::new());
        }
        let mut books = ReviewBooks::open(&books).map_err(|error| error.to_string())?;
        let mut position = start.clone();
        let mut found = Vec::with_capacity(moves.len());
        for (ply, &mv) in moves.iter().enumerate() {
            found.push(books.look_up(&position, mv, ply).map_err(|error| error.to_string())?);
            position.make(mv);
        }
        Ok(found)
    }
}
