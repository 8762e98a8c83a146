//! What all requests share that make the engine search: they end when the client goes, and events stream what they
//! find.

use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};

use axum::response::Sse;
use axum::response::sse::{Event, KeepAlive, KeepAliveStream};
use serde_json::{Value, json};
use tokio::sync::mpsc;
use tokio_stream::Stream;

use juzhong::bytes::StopFlag;
use juzhong::game::ScoreKind;
use juzhong::search::{Control, Iteration, Score};

/// A score: centipawns, or moves to mate (negative if the side to move is mated), or a result of tables.
pub(super) fn score_json(score: Score) -> Value {
    match score.kind() {
        ScoreKind::Centipawns(cp) => json!({"cp": cp}),
        ScoreKind::MateIn(plies) => json!({"mate": plies.div_ceil(2), "plies": plies}),
        ScoreKind::MatedIn(plies) => {
            json!({"mate": -i64::from(plies.div_ceil(2)), "plies": plies})
        }
        ScoreKind::TableWin(plies) => json!({"table": "win", "plies": plies}),
        ScoreKind::TableLoss(plies) => json!({"table": "loss", "plies": plies}),
    }
}

/// Stops a search once the client is gone, or its request was refused.
pub(super) struct StopAtEnd(pub(super) StopFlag);

impl Drop for StopAtEnd {
    fn drop(&mut self) {
        self.0.set();
    }
}

/// The control of a search that reports nothing on its way.
pub(super) struct Quiet(pub(super) StopFlag);

impl<M> Control<M> for Quiet {
    fn should_stop(&self) -> bool {
        self.0.is_set()
    }

    fn report(&self, _iteration: &Iteration<M>) {}
}

/// The events of a search.
pub(super) struct Events {
    receiver: mpsc::Receiver<Event>,
    _stop: StopAtEnd,
}

/// The answer that streams them.
pub(super) type EventStream = Sse<KeepAliveStream<Events>>;

/// Streams what comes from `receiver`, of a search that stops once nobody listens.
pub(super) fn streamed(receiver: mpsc::Receiver<Event>, stop: StopAtEnd) -> EventStream {
    Sse::new(Events { receiver, _stop: stop }).keep_alive(KeepAlive::default())
}

impl Stream for Events {
    type Item = Result<Event, Infallible>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.receiver.poll_recv(context).map(|event| event.map(Ok))
    }
}
