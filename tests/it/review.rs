//! Reviews by engines other than the own one, well and badly behaved.

use std::time::{Duration, Instant};

use juzhong::bytes::StopFlag;
use juzhong::engine::{Engine, EngineOptions, TableOptions};
use juzhong::game::{EvaluationKind, Game, Line, MoveList};
use juzhong::protocol::Dialect;
use juzhong::protocol::client::{Client, EngineCommand, Timeouts};
use juzhong::review::{
    Analyst, Analysts, ClientAnalyst, Evaluators, GameMoves, GameValues, Question, ReviewError,
    ReviewOptions,
};
use juzhong::search::{Limits, Score};
use juzhong::tablebase::Wdl;
use juzhong::xiangqi::{Move, Position, RuleSet};

use crate::support::tables::small_tables;

const TIMES: Timeouts = Timeouts {
    start: Duration::from_secs(10),
    search: Duration::from_secs(2),
    stop: Duration::from_millis(500),
};

fn options(limits: Limits) -> ReviewOptions<RuleSet> {
    ReviewOptions {
        limits,
        effort: 18,
        hash_mib: 1,
        evaluation: EvaluationKind::default(),
        threads: 1,
        tables: TableOptions::default(),
        rules: RuleSet::default(),
        engine: None,
    }
}

fn moves(text: &str) -> Vec<Move> {
    text.split_whitespace().map(|mv| Move::parse(mv).unwrap()).collect()
}

/// The own engine behind a protocol.
fn within() -> Box<dyn Analyst<Position>> {
    let options = EngineOptions { hash_mib: 1, ..EngineOptions::default() };
    let engine = Engine::<Position>::new(options).unwrap();
    Box::new(ClientAnalyst::new(Client::within(engine, TIMES).unwrap()).unwrap())
}

fn evaluated(
    analysts: Analysts<Position>,
    options: &ReviewOptions<RuleSet>,
    start: &Position,
    moves: &[Move],
) -> Result<GameValues<Position>, ReviewError> {
    let game = GameMoves { start, start_clock: 0, moves, known: &[] };
    let mut evaluators = Evaluators::with_analysts(options, analysts)?;
    let values = evaluators.evaluate(&[game], &StopFlag::default(), &mut || ())?;
    Ok(values.into_iter().next().flatten().expect("nobody stops it"))
}

const GAME: &str = "h2e2 h9g7 h0g2 i9h9 i0h0 b9c7 h0h7 h9h7";

#[test]
fn an_engine_behind_a_protocol_finds_what_it_finds_without() {
    let start = Position::start();
    let options = ReviewOptions { effort: 42, ..options(Limits::depth(4)) };
    let game = moves(GAME);
    let of_client = evaluated(vec![within()], &options, &start, &game).unwrap();
    let mut own = Evaluators::<Position>::new(&options).unwrap();
    let of_game = GameMoves { start: &start, start_clock: 0, moves: &game, known: &[] };
    let own = own.evaluate(&[of_game], &StopFlag::default(), &mut || ()).unwrap();
    let own = own[0].as_ref().unwrap();
    assert_eq!(own.len(), 9);
    for (one, two) in own.iter().zip(&of_client) {
        assert_eq!((one.score, one.line[0], one.depth), (two.score, two.line[0], two.depth));
    }
    // The chariot that was given away, by both.
    let looks = [&own[6], &of_client[6]].map(|value| value.look.as_ref().unwrap());
    assert!(looks.iter().all(|look| look.is_stable && look.other.score > look.played.score + 200));
}

#[test]
fn the_number_of_engines_changes_nothing() {
    let start = Position::start();
    let options = options(Limits::nodes(400));
    let game = moves(GAME);
    let of = |count: usize| {
        let analysts = (0..count).map(|_| within()).collect();
        evaluated(analysts, &options, &start, &game).unwrap()
    };
    let one = of(1);
    assert!(one.iter().any(|value| value.look.is_some()));
    assert_eq!(one, of(3));
}

#[test]
fn tables_stand_in_front_of_any_engine() {
    let start = Position::from_fen("4k4/R8/9/9/9/9/9/9/9/3K5 w - - 0 1").unwrap();
    let mut options = options(Limits::nodes(200));
    options.tables = small_tables().into();
    options.rules = RuleSet::Check;
    let values = evaluated(vec![within()], &options, &start, &moves("a8a7")).unwrap();
    assert_eq!(values[0].table.unwrap().best.wdl, Wdl::Win);
    assert!(values[0].score.is_proved() && values[0].nodes == 0);
}

#[test]
fn moves_can_be_searched_alone() {
    let mut analyst = within();
    let line = Line::new(Position::start(), 0);
    let (a3a4, limits) = (Move::parse("a3a4").unwrap(), Limits::nodes(500));
    let stop = StopFlag::default();
    analyst.forget().unwrap();
    let alone = analyst.search_move(&line, a3a4, &limits, &stop).unwrap().unwrap();
    assert_eq!(alone.line[0], a3a4);
    let some = moves("i3i4 a3a4");
    let found = analyst.search(&line, &Question::of_some(&some, limits), &stop).unwrap().unwrap();
    assert!(some.contains(&found.line[0]));
}

/// An engine in a shell script: what it answers to `go`, and to positions.
#[cfg(unix)]
fn fake(on_go: &str, on_position: &str) -> Box<dyn Analyst<Position>> {
    let script = format!(
        "while read -r x; do case \"$x\" in uci) echo id name Fake; echo uciok;; isready) echo readyok;; \
         position*) {on_position} ;; go*) {on_go} ;; quit) exit;; esac; done"
    );
    let args = vec!["-c".to_owned(), script];
    let command = EngineCommand { program: "sh".to_owned(), args };
    let client = Client::start(&command, None, TIMES).unwrap();
    Box::new(ClientAnalyst::new(client).unwrap())
}

/// An engine of UCCI that plays the first of two moves that is not banned, if it heeds that; with neither it gives up.
#[cfg(unix)]
fn of_ucci(heeds: bool) -> Box<dyn Analyst<Position>> {
    let forgets = if heeds { "" } else { "b=;" };
    let script = format!(
        "while read -r x; do case \"$x\" in \
         ucci) echo id name Fake; echo ucciok;; isready) echo readyok;; quit) exit;; \
         position*h2e2*) b=; all=h9g7;; position*) b=; all='h2e2 b2e2 none';; \
         banmoves*) b=$x; {forgets} ;; \
         go*) for m in $all; do case \"$b\" in *$m*) ;; *) break;; esac; done; \
         case $m in none) echo nobestmove; continue;; b2e2) s=-900;; *) s=50;; esac; \
         echo info depth 3 score $s pv $m; echo bestmove $m;; esac; done"
    );
    let args = vec!["-c".to_owned(), script];
    let command = EngineCommand { program: "sh".to_owned(), args };
    let client = Client::start(&command, Some(Dialect::Ucci), TIMES).unwrap();
    Box::new(ClientAnalyst::new(client).unwrap())
}

/// In UCCI the moves that are not to be searched are banned, so that only moves are found.
#[cfg(unix)]
#[test]
fn an_engine_of_ucci_is_told_the_moves_to_leave_out() {
    let line = Line::new(Position::start(), 0);
    let stop = StopFlag::default();
    let mut others = MoveList::new();
    line.position().legal_moves(&mut others);
    others.retain(|mv| mv.to_string() != "h2e2");
    let question = Question::of_some(&others, Limits::nodes(9));
    let search = |mut analyst: Box<dyn Analyst<Position>>| {
        analyst.search(&line, &question, &stop).unwrap().unwrap().line
    };
    assert_eq!(search(of_ucci(true)), moves("b2e2"));
    // One that does not heed that answers as before.
    assert_eq!(search(of_ucci(false)), moves("h2e2"));
    // One that gives up, because all that it plays is banned, is asked about all moves.
    let banned = moves("a3a4");
    let question = Question::of_some(&banned, Limits::nodes(9));
    let found = of_ucci(true).search(&line, &question, &stop).unwrap().unwrap();
    assert_eq!(found.line, moves("h2e2"));
    // The best move is played, and the others are far worse: it is the only one.
    let options = options(Limits::nodes(9));
    let start = Position::start();
    let values = evaluated(vec![of_ucci(true)], &options, &start, &moves("h2e2")).unwrap();
    assert_eq!(values[0].second.unwrap().score, Score::from_eval(-900));
    let values = evaluated(vec![of_ucci(false)], &options, &start, &moves("h2e2")).unwrap();
    assert_eq!(values[0].second, None);
}

#[cfg(unix)]
#[test]
fn an_engine_that_misbehaves_is_named_and_ends_the_review() {
    let start = Position::start();
    let cases = [
        ("echo bestmove h2h8x", "illegal move"),
        ("echo info depth 1 score cp 5; echo bestmove i0i9", "illegal move"),
        ("echo bestmove h2e2", "no score"),
        ("echo 'bestmove (none)'", "no move"),
        ("exit 3", "ended"),
        (":", "no answer"),
        ("printf 'bestmove h2e2'; exit", "no score"),
        ("while :; do echo info string flood; done", "no answer"),
    ];
    for (on_go, part) in cases {
        let began = Instant::now();
        let options = options(Limits::nodes(100));
        let analysts = vec![fake(on_go, ":"), fake(on_go, ":")];
        let error = evaluated(analysts, &options, &start, &moves("h2e2 h9g7")).unwrap_err();
        let text = error.to_string();
        assert!(text.contains(part), "{on_go}: {text}");
        assert!(began.elapsed() < Duration::from_secs(30), "{on_go}: {:?}", began.elapsed());
    }
}

#[cfg(unix)]
#[test]
fn an_engine_that_ignores_the_moves_to_search_is_asked_about_the_next_position() {
    let on_position = "m=h2e2; s=10; case \"$x\" in *a3a4) m=h9g7; s=70;; esac";
    let mut analyst = fake(
        "echo info depth 3 nodes 9 score cp $s wdl 100 800 100 pv $m; echo bestmove $m",
        on_position,
    );
    let line = Line::new(Position::start(), 0);
    let mv = Move::parse("a3a4").unwrap();
    let stop = StopFlag::default();
    let found = analyst.search_move(&line, mv, &Limits::nodes(9), &stop).unwrap().unwrap();
    assert_eq!(found.line, moves("a3a4 h9g7"));
    assert_eq!(found.valuation.score, Score::from_eval(-70));
    assert_eq!(found.valuation.chances, Some([100, 800, 100]));
    // It is not asked again what it does not heed.
    let others = moves("a3a4 c3c4");
    let question = Question::of_some(&others, Limits::nodes(9));
    assert_eq!(analyst.search(&line, &question, &stop).unwrap().unwrap().line, moves("h2e2"));
}
