//! What all requests share that make the engine search: they end when the client goes, and events stream what they
//! find.

use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use axum::response::Sse;
use axum::response::sse::{Event, KeepAlive, KeepAliveStream};
use serde::Serialize;
use tokio::sync::mpsc;
use tokio_stream::Stream;

use super::problem::{Problem, json_of, text_in};
use crate::language::{self, Language};
use juzhong::bytes::StopFlag;
use juzhong::message::Message;
use juzhong::search::{Control, Iteration};

/// The time that a proof or a review waits for other searches to end.
pub(crate) const SEARCH_QUEUE_TIME: Duration = Duration::from_secs(1);
/// The time that a search by another engine waits for others by it to end: longer than it may take to stop.
pub(crate) const ENGINE_QUEUE_TIME: Duration = Duration::from_secs(5);
/// Events that wait for a slow reader.
const WAITING: usize = 64;

/// Stops a search once the client is gone, or its request was refused.
pub(crate) struct StopAtEnd(pub(crate) StopFlag);

impl Drop for StopAtEnd {
    fn drop(&mut self) {
        self.0.set();
    }
}

/// The control of a search that reports nothing on its way, and ends at a time.
pub(crate) struct Quiet {
    pub(crate) stop: StopFlag,
    pub(crate) deadline: Instant,
}

impl<M> Control<M> for Quiet {
    fn should_stop(&self) -> bool {
        self.stop.is_set() || Instant::now() >= self.deadline
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
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema), schemars(rename = "SearchFailure"))]
pub(crate) struct Failure {
    detail: String,
    /// The hint at what to do.
    hint: Option<String>,
}

/// The fault of a search, and what to do.
pub(crate) struct Fault {
    detail: Message,
    hint: Option<Message>,
}

impl Fault {
    fn failure(self, lang: Language) -> Failure {
        Failure {
            detail: text_in(lang, &self.detail),
            hint: self.hint.map(|hint| text_in(lang, &hint)),
        }
    }
}

impl From<Message> for Fault {
    fn from(detail: Message) -> Self {
        Self { detail, hint: None }
    }
}

impl From<Problem> for Fault {
    fn from(problem: Problem) -> Self {
        let (detail, hint) = problem.into_texts();
        Self { detail, hint }
    }
}

/// Does work in a thread of its own and streams its events. The last is `done` with what it returns, or `error` with
/// what is wrong; the permit is free before that. The work is stopped once nobody listens.
pub(crate) fn streamed<T: Serialize, E: Into<Fault>>(
    lang: Language,
    (stop, permit): (StopAtEnd, impl Send + 'static),
    work: impl FnOnce(&Outlet) -> Result<T, E> + Send + 'static,
) -> Result<EventStream, Problem> {
    let (sender, receiver) = mpsc::channel(WAITING);
    let outlet = Outlet { sender, stop: stop.0.clone() };
    let thread = std::thread::Builder::new().name("search".to_owned());
    let started = thread.spawn(move || {
        let last = language::within(lang, || work(&outlet));
        drop(permit);
        match last {
            Ok(done) => outlet.send("done", &done),
            Err(what) => outlet.send("error", &what.into().failure(lang)),
        }
    });
    started.map_err(|_| Problem::busy("no thread can be started"))?;
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
