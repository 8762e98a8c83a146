//! What all requests share that make the engine search: they end when the client goes, and events stream what they
//! find.

use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};

use axum::response::Sse;
use axum::response::sse::{Event, KeepAlive, KeepAliveStream};
use serde::Serialize;
use tokio::sync::{OwnedSemaphorePermit, mpsc};
use tokio_stream::Stream;

use super::problem::Problem;
use super::reply::json_of;
use crate::language::{self, Language};
use juzhong::bytes::StopFlag;
use juzhong::game::ScoreKind;
use juzhong::message::Message;
use juzhong::search::{Control, Iteration, Score};

/// Events that wait for a slow reader.
const WAITING: usize = 64;

/// A score for the side to move.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub(crate) enum ScoreAnswer {
    Centipawns {
        cp: i32,
    },
    Mate {
        /// Moves, negative if the side to move is mated.
        mate: i64,
        plies: u32,
    },
    Table {
        /// `win` or `loss`.
        table: &'static str,
        plies: u32,
    },
}

impl From<Score> for ScoreAnswer {
    fn from(score: Score) -> Self {
        let moves = |plies: u32| i64::from(plies.div_ceil(2));
        match score.kind() {
            ScoreKind::Centipawns(cp) => Self::Centipawns { cp },
            ScoreKind::MateIn(plies) => Self::Mate { mate: moves(plies), plies },
            ScoreKind::MatedIn(plies) => Self::Mate { mate: -moves(plies), plies },
            ScoreKind::TableWin(plies) => Self::Table { table: "win", plies },
            ScoreKind::TableLoss(plies) => Self::Table { table: "loss", plies },
        }
    }
}

/// Stops a search once the client is gone, or its request was refused.
pub(crate) struct StopAtEnd(pub(crate) StopFlag);

impl Drop for StopAtEnd {
    fn drop(&mut self) {
        self.0.set();
    }
}

/// The control of a search that reports nothing on its way.
pub(crate) struct Quiet(pub(crate) StopFlag);

impl<M> Control<M> for Quiet {
    fn should_stop(&self) -> bool {
        self.0.is_set()
    }

    fn report(&self, _iteration: &Iteration<M>) {}
}

/// The place where a search puts what it finds.
pub(crate) struct Outlet {
    sender: mpsc::Sender<Event>,
    /// Ends the search.
    pub(crate) stop: StopFlag,
}

impl Outlet {
    /// Sends an event, waiting for a slow reader. The search ends if there is none.
    pub(crate) fn send(&self, name: &str, data: &impl Serialize) {
        if self.sender.blocking_send(event(name, data)).is_err() {
            self.stop.set();
        }
    }

    /// Sends an event that a reader who is behind does without.
    pub(crate) fn offer(&self, name: &str, data: &impl Serialize) {
        let _late = self.sender.try_send(event(name, data));
    }

    /// Returns true if the search is to end.
    pub(crate) fn is_over(&self) -> bool {
        self.stop.is_set() || self.sender.is_closed()
    }
}

fn event(name: &str, data: &impl Serialize) -> Event {
    Event::default().event(name).data(json_of(data).unwrap_or_default().to_string())
}

/// The last event of work that failed.
#[derive(Debug, Serialize)]
struct Failure {
    detail: String,
}

/// Does work in a thread of its own and streams its events. The last is `done` with what it returns, or `error` with
/// what is wrong; the permit is free before that. The work is stopped once nobody listens.
pub(crate) fn streamed<T: Serialize>(
    lang: Language,
    (stop, permit): (StopAtEnd, OwnedSemaphorePermit),
    work: impl FnOnce(&Outlet) -> Result<T, Message> + Send + 'static,
) -> Result<EventStream, Problem> {
    let (sender, receiver) = mpsc::channel(WAITING);
    let outlet = Outlet { sender, stop: stop.0.clone() };
    let work = move || {
        let last = language::within(lang, || work(&outlet));
        drop(permit);
        match last {
            Ok(done) => outlet.send("done", &done),
            Err(what) => {
                let detail = language::within(lang, || language::told(what));
                outlet.send("error", &Failure { detail });
            }
        }
    };
    let thread = std::thread::Builder::new().name("search".to_owned());
    thread.spawn(work).map_err(|_| Problem::busy("no thread can be started"))?;
    Ok(Sse::new(Events { receiver, _stop: stop }).keep_alive(KeepAlive::default()))
}

/// The events of a search.
pub(crate) struct Events {
    receiver: mpsc::Receiver<Event>,
    _stop: StopAtEnd,
}

/// The answer that streams them.
pub(crate) type EventStream = Sse<KeepAliveStream<Events>>;

impl Stream for Events {
    type Item = Result<Event, Infallible>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.receiver.poll_recv(context).map(|event| event.map(Ok))
    }
}
