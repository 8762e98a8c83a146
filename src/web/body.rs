//! The bodies of long answers: made within a bound, sent in pieces that are free once they are sent, and counted until
//! the client has them.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::io::{self, Write};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use axum::body::{Body, Bytes, HttpBody};
use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse, Response};
use hyper::body::{Frame, SizeHint};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::problem::Problem;

/// The longest body of a request that brings games, and of others, in bytes.
pub(crate) const LONGEST_BODY: usize = 8 << 20;
/// The longest answer, in bytes: eight times the longest body of a request.
pub(crate) const LONGEST_ANSWER: usize = 8 * LONGEST_BODY;
/// Bytes of answers that clients have not taken yet, all of them together; shorter answers than [`COUNTED`] aside.
const WAITING: usize = 4 * LONGEST_ANSWER;
const COUNTED: usize = 64 << 10;
/// Bytes of a piece of an answer.
const PIECE: usize = 64 << 10;
/// Bytes that a permit stands for.
const UNIT: usize = 1 << 10;

/// An answer while it is made.
#[derive(Default)]
pub(crate) struct LongBody {
    pieces: VecDeque<Vec<u8>>,
    len: usize,
}

impl LongBody {
    /// The answer as JSON.
    pub(crate) fn json(value: &impl serde::Serialize) -> Result<Self, Problem> {
        let mut body = Self::default();
        serde_json::to_writer(&mut body, value).map_err(|error| not_made(&error.into()))?;
        Ok(body)
    }

    /// The answer, of that kind.
    pub(crate) fn answer(self, kind: &'static str) -> Response {
        let Self { pieces, len } = self;
        let pieces = pieces.into_iter().map(|piece| Ok::<_, Infallible>(Bytes::from(piece)));
        let body = Body::from_stream(tokio_stream::iter(pieces));
        let kind = (header::CONTENT_TYPE, HeaderValue::from_static(kind));
        ([kind, (header::CONTENT_LENGTH, HeaderValue::from(len))], body).into_response()
    }

    /// Begins another piece.
    fn begin(&mut self) -> io::Result<()> {
        let mut piece = Vec::new();
        piece.try_reserve_exact(PIECE).map_err(|_| io::ErrorKind::OutOfMemory)?;
        self.pieces.try_reserve(1).map_err(|_| io::ErrorKind::OutOfMemory)?;
        self.pieces.push_back(piece);
        Ok(())
    }
}

impl Write for LongBody {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.pieces.back().is_none_or(|piece| piece.len() >= PIECE) {
            self.begin()?;
        }
        let Some(piece) = self.pieces.back_mut() else { return Ok(0) };
        // No more than the piece has room for: it is never moved to a larger one.
        let taken = bytes.len().min(PIECE - piece.len());
        if self.len + taken > LONGEST_ANSWER {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        piece.extend_from_slice(&bytes[..taken]);
        self.len += taken;
        Ok(taken)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The reason why an answer could not be made.
pub(crate) fn not_made(error: &io::Error) -> Problem {
    match error.kind() {
        io::ErrorKind::FileTooLarge => Problem::answer_too_long(LONGEST_ANSWER),
        io::ErrorKind::OutOfMemory => Problem::memory(),
        _ => Problem::internal(error.to_string()),
    }
}

/// Checks that a number of bytes of memory can be had, before work begins that may need them: an allocation that fails
/// in its midst would end the server. The bytes are not kept: what else takes memory meanwhile may still make it fail;
/// within the server the numbers of requests in work are the bound.
pub(crate) fn expect_memory(bytes: usize) -> Result<(), Problem> {
    let mut room: Vec<u8> = Vec::new();
    let reserved = room.try_reserve_exact(bytes);
    // Else the compiler would leave the allocation out.
    std::hint::black_box(&mut room);
    reserved.map_err(|_| Problem::memory())
}

/// The room for answers that clients have not taken yet.
#[derive(Clone)]
pub(crate) struct Outbox(Arc<Semaphore>);

impl Outbox {
    pub(crate) fn new() -> Self {
        Self(Arc::new(Semaphore::new(WAITING / UNIT)))
    }

    /// The answer, counted until it is sent or the client is gone. It is refused if too many others wait.
    pub(crate) fn admit(&self, answer: Response) -> Result<Response, Problem> {
        let stated = answer.headers().get(header::CONTENT_LENGTH);
        let stated = stated.and_then(|len| len.to_str().ok()?.parse::<usize>().ok());
        let exact = answer.body().size_hint().exact().and_then(|len| usize::try_from(len).ok());
        let len = stated.or(exact).unwrap_or(0);
        if len <= COUNTED {
            return Ok(answer);
        }
        let units = u32::try_from(len.div_ceil(UNIT)).unwrap_or(u32::MAX);
        let permit = Arc::clone(&self.0).try_acquire_many_owned(units);
        let permit =
            permit.map_err(|_| Problem::busy("too many answers wait for their clients"))?;
        Ok(answer.map(|body| Body::new(Counted { body, _permit: permit })))
    }
}

/// A body that is counted while it is there.
struct Counted {
    body: Body,
    _permit: OwnedSemaphorePermit,
}

impl HttpBody for Counted {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        Pin::new(&mut self.body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The longest answer that there is, if there is room for it.
    fn longest(outbox: &Outbox) -> Result<Response, Problem> {
        let mut body = LongBody::default();
        body.write_all(&vec![b'x'; LONGEST_ANSWER]).unwrap();
        outbox.admit(body.answer("text/plain"))
    }

    #[test]
    fn an_answer_has_a_bound() {
        let mut body = LongBody::default();
        let piece = vec![b'x'; 3 << 20];
        let written = (0..100).map_while(|_| body.write_all(&piece).ok()).count();
        assert_eq!(written, LONGEST_ANSWER / piece.len());
        let error = body.write_all(&piece).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::FileTooLarge);
        assert!(body.pieces.iter().all(|piece| piece.capacity() <= PIECE));
    }

    #[test]
    fn answers_that_wait_have_a_bound() {
        let outbox = Outbox::new();
        let waiting: Vec<_> =
            (0..WAITING / LONGEST_ANSWER).map(|_| longest(&outbox).unwrap()).collect();
        assert!(longest(&outbox).is_err());
        // Short ones are answered at all times.
        assert!(outbox.admit("ok".into_response()).is_ok());
        drop(waiting);
        assert!(longest(&outbox).is_ok());
    }

    #[test]
    fn memory_that_is_not_there_is_a_problem() {
        assert!(expect_memory(1 << 20).is_ok());
        assert!(expect_memory(isize::MAX as usize).is_err());
    }
}
