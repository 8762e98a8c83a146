//! Sessions with the engine: text in, text out, at once or while they run.

use std::io::{BufRead, BufReader, Cursor, Read, Write};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use juzhong::engine::{Engine, EngineOptions};
use juzhong::protocol::{Dialect, serve};
use juzhong::xiangqi::Position;

/// A session of the engine, until the input ends.
fn serve_engine(assumed: Dialect, input: impl BufRead + Send + 'static, output: &mut dyn Write) {
    let options = EngineOptions { hash_mib: 1, seed: Some(0), ..EngineOptions::default() };
    serve(input, output, Engine::<Position>::new(options).unwrap(), assumed).unwrap();
}

/// The answers to a whole session.
pub(crate) fn answers_to(assumed: Dialect, input: impl Into<Vec<u8>>) -> String {
    let mut output = Vec::new();
    serve_engine(assumed, Cursor::new(input.into()), &mut output);
    String::from_utf8(output).unwrap()
}

/// The words after each `bestmove`.
pub(crate) fn best_moves(output: &str) -> Vec<&str> {
    output.lines().filter_map(|line| line.strip_prefix("bestmove ")).collect()
}

/// A session in its own thread, to be spoken to while it runs.
pub(crate) struct Live {
    input: Option<Sender<Vec<u8>>>,
    output: Arc<Mutex<Vec<u8>>>,
    thread: Option<JoinHandle<()>>,
}

pub(crate) struct Feed {
    chunks: Receiver<Vec<u8>>,
    rest: Cursor<Vec<u8>>,
}

impl Read for Feed {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        if self.rest.fill_buf()?.is_empty() {
            self.rest = Cursor::new(self.chunks.recv().unwrap_or_default());
        }
        self.rest.read(buffer)
    }
}

struct Shared(Arc<Mutex<Vec<u8>>>);

impl Write for Shared {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }
    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

impl Live {
    pub(crate) fn start(assumed: Dialect) -> Self {
        Self::with(move |input, output| serve_engine(assumed, input, output))
    }

    /// A session that this serves.
    pub(crate) fn with(
        serve: impl FnOnce(BufReader<Feed>, &mut dyn Write) + Send + 'static,
    ) -> Self {
        let (input, chunks) = channel();
        let output = Arc::new(Mutex::new(Vec::new()));
        let mut shared = Shared(output.clone());
        let thread = std::thread::spawn(move || {
            let feed = BufReader::new(Feed { chunks, rest: Cursor::default() });
            serve(feed, &mut shared);
        });
        Self { input: Some(input), output, thread: Some(thread) }
    }

    pub(crate) fn say(&self, text: &str) {
        self.input.as_ref().unwrap().send(text.as_bytes().to_vec()).unwrap();
    }

    pub(crate) fn heard(&self) -> String {
        String::from_utf8(self.output.lock().unwrap().clone()).unwrap()
    }

    /// Waits until a line that starts so has come `count` times.
    pub(crate) fn wait_for(&self, start: &str, count: usize) {
        let end = Instant::now() + Duration::from_secs(20);
        while self.heard().lines().filter(|line| line.starts_with(start)).count() < count {
            assert!(Instant::now() < end, "no \"{start}\" in {}", self.heard());
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    /// Ends the input and waits for the session's end.
    pub(crate) fn end(mut self) -> String {
        self.input = None;
        self.thread.take().unwrap().join().unwrap();
        self.heard()
    }
}
