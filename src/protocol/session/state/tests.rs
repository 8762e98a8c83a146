//! Sessions whose options are slow to be set, or whose input has ended.

#![expect(clippy::panic, reason = "a test fails by panicking")]

use std::sync::mpsc::sync_channel;

use super::*;
use crate::protocol::conversation::input::Event;
use crate::protocol::session::thinking::Prepared;
use crate::xiangqi::{Position, RuleSet};

#[test]
fn a_search_that_nobody_can_stop_any_more_ends() {
    let options = EngineOptions { hash_mib: 1, ..EngineOptions::default() };
    let engine = Engine::<Position>::new(options).unwrap();
    let (sender, events) = sync_channel(16);
    for event in [Event::Line("go nodes 99999999999".to_owned()), Event::End] {
        sender.send(event).unwrap();
    }
    let mut output = Vec::new();
    let options = engine.options().clone();
    let channel = (sender, events);
    let mut session = Session::new(engine, options, Dialect::Uci, channel, &mut output);
    session.after_end = Duration::from_millis(100);
    session.run().unwrap();
    let output = String::from_utf8(output).unwrap();
    assert!(output.contains("info string stopped, for the input has ended long ago"));
    assert!(output.trim_end().lines().last().unwrap().starts_with("bestmove "), "{output}");
}

/// Sets options as if books and tablebases took long to open.
fn slow(engine: Option<Engine<Position>>, options: EngineOptions<RuleSet>) -> Prepared<Position> {
    std::thread::sleep(Duration::from_millis(2_500));
    thinking::set_up(engine, options)
}

/// Each line of the answers to these lines, sent with these pauses in milliseconds, with the milliseconds
/// that had passed; options are slow to be set.
fn timed(lines: &[(&'static str, u64)], dialect: Dialect) -> Vec<(String, u64)> {
    struct Timed(Instant, Vec<(String, u64)>);
    impl Write for Timed {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            let since = self.0.elapsed().as_millis() as u64;
            let text = String::from_utf8_lossy(bytes).into_owned();
            self.1.push((text, since));
            Ok(bytes.len())
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    let options = EngineOptions { hash_mib: 1, ..EngineOptions::default() };
    let engine = Engine::<Position>::new(options.clone()).unwrap();
    let (sender, events) = sync_channel(16);
    let mut output = Timed(Instant::now(), Vec::new());
    let input = sender.clone();
    std::thread::scope(|scope| {
        scope.spawn(move || {
            for &(line, wait) in lines {
                std::thread::sleep(Duration::from_millis(wait));
                input.send(Event::Line(line.to_owned())).unwrap();
            }
        });
        let channel = (sender, events);
        let mut session = Session::new(engine, options, dialect, channel, &mut output);
        session.set_up = slow;
        session.run().unwrap();
    });
    output.1.push((String::new(), output.0.elapsed().as_millis() as u64));
    output.1
}

fn time_of(answers: &[(String, u64)], start: &str) -> Option<u64> {
    answers.iter().find(|(line, _)| line.starts_with(start)).map(|&(_, time)| time)
}

#[test]
fn isready_and_quit_are_answered_while_a_book_opens() {
    let answers = timed(
        &[("setoption name Hash value 2", 0), ("isready", 0), ("uci", 200), ("quit", 1_200)],
        Dialect::Uci,
    );
    for (start, expected) in [("uciok", 200..900), ("readyok", 1_000..2_000)] {
        let time = time_of(&answers, start);
        assert!(time.is_some_and(|time| expected.contains(&time)), "{answers:?}");
    }
    assert!(answers.last().unwrap().1 < 2_300, "{answers:?}");
    let answers = timed(&[("setoption hashsize 2", 0), ("quit", 300)], Dialect::Ucci);
    assert!(answers.last().unwrap().1 < 1_500, "{answers:?}");
    assert!(time_of(&answers, "bye").is_some(), "{answers:?}");
}

#[test]
fn options_take_effect_before_what_comes_after_them() {
    let said = [
        ("setoption name Hash value 2", 0),
        ("go movetime 3000", 0),
        ("setoption name MultiPV value 2", 0),
        ("go depth 1", 0),
        ("isready", 500),
        ("quit", 5_500),
    ];
    let answers = timed(&said, Dialect::Uci);
    let best: Vec<u64> = answers
        .iter()
        .filter(|(line, _)| line.starts_with("bestmove"))
        .map(|&(_, time)| time)
        .collect();
    let [first, second] = best[..] else { panic!("{answers:?}") };
    // The time of the first has gone while it waited.
    assert!((2_800..4_500).contains(&first), "{answers:?}");
    assert!(second >= first + 2_400, "{answers:?}");
}

#[test]
fn an_engine_lost_while_options_are_set_is_missed_once() {
    fn breaks(_: Option<Engine<Position>>, _: EngineOptions<RuleSet>) -> Prepared<Position> {
        std::panic::resume_unwind(Box::new("no book")); // says nothing
    }
    let options = EngineOptions { hash_mib: 1, ..EngineOptions::default() };
    let engine = Engine::<Position>::new(options.clone()).unwrap();
    let (sender, events) = sync_channel(16);
    for line in ["setoption name Hash value 2", "isready", "go depth 1", "quit"] {
        sender.send(Event::Line(line.to_owned())).unwrap();
    }
    let mut output = Vec::new();
    let channel = (sender, events);
    let mut session = Session::new(engine, options, Dialect::Uci, channel, &mut output);
    session.set_up = breaks;
    session.run().unwrap();
    let output = String::from_utf8(output).unwrap();
    assert!(output.contains("broke down") && output.contains("readyok"), "{output}");
    assert_eq!(output.matches("bestmove").count(), 1, "{output}");
}
