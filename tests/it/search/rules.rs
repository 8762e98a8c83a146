//! Repetition and move limits inside the search: won endings are won without repeating, lost ones
//! saved by what the rules allow, forbidden loops are avoided, and nothing that hangs on the path
//! stays in the transposition table.

use std::sync::Mutex;

use juzhong::game::{Adjudicate, Bound, Game, Horizon, Line, MoveList, ScoreKind, Side, Verdict};
use juzhong::search::{
    Control, HashEntry, Iteration, Limits, Score, SearchOptions, SearchResult, Searcher, tt_key,
};
use juzhong::xiangqi::{Move, Position, RuleSet};

fn searcher() -> Searcher<Position> {
    Searcher::new(SearchOptions { hash_mib: 8, ..SearchOptions::default() }).unwrap()
}

fn line(fen: &str, clock: u32) -> Line<Position> {
    Line::new(Position::from_fen(fen).unwrap(), clock)
}

fn search(
    searcher: &mut Searcher<Position>,
    line: &Line<Position>,
    rules: RuleSet,
    depth: u32,
) -> SearchResult<Move> {
    searcher.run(line, rules, &Limits::depth(depth), &(), &())
}

fn is_mate(found: &SearchResult<Move>) -> bool {
    matches!(found.score.kind(), ScoreKind::MateIn(_))
}

/// Won endings, Red to move.
const WON: [&str; 7] = [
    "3ak4/4a4/9/9/9/9/9/9/4R4/3K5 w - - 0 1",
    "4k4/4a4/9/9/4N4/9/9/9/9/4K4 w - - 0 1",
    "2b1k4/9/4b4/9/9/9/9/9/4R4/3K5 w - - 0 1",
    "4k4/9/9/9/4N4/9/9/9/9/4K4 w - - 0 1",
    "4k4/4a4/9/9/9/9/9/3R5/9/4K4 w - - 0 1",
    "3k5/9/9/9/9/2P6/9/9/9/4K4 w - - 0 1",
    "2bak4/4a4/4b4/9/9/9/4P4/2R6/9/3RK4 w - - 0 1",
];

/// A move that answers `mv` so that both can be taken back.
fn answer_there_and_back(start: &Position, mv: Move) -> Option<Move> {
    let back = |mv: Move| Move::new(mv.to(), mv.from());
    let after = |position: &Position, mv: Move| {
        let legal = position.is_legal(mv) && !position.is_irreversible(mv);
        legal.then(|| {
            let mut after = position.clone();
            after.make(mv);
            after
        })
    };
    let there = after(start, mv)?;
    let mut answers = MoveList::new();
    there.legal_moves(&mut answers);
    answers.into_iter().find(|&answer| {
        let answered = after(&there, answer);
        let returned = answered.and_then(|position| after(&position, back(mv)));
        returned.and_then(|position| after(&position, back(answer))).is_some()
    })
}

/// A line that comes to `start` once more, after `mv` has been answered and taken back: `mv` would
/// repeat for the third time.
fn with_history(start: &Position, mv: Move) -> Option<Line<Position>> {
    let answer = answer_there_and_back(start, mv)?;
    let back = |mv: Move| Move::new(mv.to(), mv.from());
    let mut after = start.clone();
    after.make(mv);
    let mut line = Line::new(after, 0);
    for next in [answer, back(mv), back(answer), mv, answer, back(mv), back(answer)] {
        line.push(next);
    }
    (line.position() == start).then_some(line)
}

/// If the best move would repeat for the third time, another one is played that wins as well;
/// and neither search spoils the other through the table that they share.
#[test]
fn a_win_is_kept_where_the_best_move_would_repeat() {
    let mut asked = 0;
    for fen in WON {
        let mut searcher = searcher();
        let fresh = line(fen, 0);
        let naive = search(&mut searcher, &fresh, RuleSet::Asian, 12);
        assert!(naive.score > Score::DRAW + 100, "{fen}: {naive:?}");
        let Some(repeated) = with_history(fresh.position(), naive.best.unwrap()) else { continue };
        asked += 1;
        let mut third = repeated.clone();
        third.push(naive.best.unwrap());
        let verdict = Position::judge(&third, RuleSet::Asian, Horizon::Game).verdict;
        assert_ne!(verdict, Verdict::None, "{fen}");
        let found = search(&mut searcher, &repeated, RuleSet::Asian, 12);
        assert_ne!(found.best, naive.best, "{fen}");
        assert!(found.score > Score::DRAW + 100, "{fen}: {found:?}");
        let again = search(&mut searcher, &fresh, RuleSet::Asian, 12);
        assert!(is_mate(&again) || !is_mate(&naive), "{fen}: {again:?}");
    }
    assert!(asked >= 4);
}

/// A game that has come twice to its last position, where the third time would lose; and the FEN of
/// the position before that.
const JUDGED_BEFORE_ROOT: (&str, &str, &str) = (
    "1C1N1k3/1N2P4/1n2b4/9/9/9/9/4p4/3p1p3/4K4 b - - 1 1",
    "e7c9 d9c7 c9e7 c7d9 e7c9 d9c7 c9e7",
    "1Cb2k3/1N2P4/1nN6/9/9/9/9/4p4/3p1p3/4K4 b - - 0 1",
);

/// A result that the game before the root decides is not remembered of the root's position, which is another
/// one's child in the next search.
#[test]
fn a_verdict_of_the_game_is_not_remembered_of_the_position() {
    let (fen, moves, before) = JUDGED_BEFORE_ROOT;
    let mut game = line(fen, 0);
    moves.split(' ').for_each(|mv| game.push(Move::parse(mv).unwrap()));
    let mut searcher = searcher();
    let lost = search(&mut searcher, &game, RuleSet::Asian, 14);
    assert!(lost.score < Score::DRAW - 300, "{lost:?}");
    let known = searcher.probe(tt_key(&game, RuleSet::Asian));
    let holds = |known: &HashEntry<Move>| known.bound != Bound::Exact && !known.score.is_lost();
    assert!(known.as_ref().is_none_or(holds), "{known:?}");
    for depth in 1..=6 {
        let used = search(&mut searcher, &line(before, 0), RuleSet::Asian, depth);
        assert!(!(-used.score).is_lost(), "{used:?}");
    }
}

/// Plays on with `nodes` a move on both sides until the game is over.
fn play_out(mut line: Line<Position>, rules: RuleSet, nodes: u64) -> (Line<Position>, Verdict) {
    let mut players = [searcher(), searcher()];
    loop {
        let turn = line.position().turn();
        if line.position().outcome().is_some() {
            return (line, Verdict::Loses(turn));
        }
        let verdict = Position::judge(&line, rules, Horizon::Game).verdict;
        if verdict != Verdict::None {
            return (line, verdict);
        }
        let player = &mut players[turn.index()];
        let found = player.run(&line, rules, &Limits::nodes(nodes), &(), &());
        line.push(found.best.unwrap());
    }
}

/// With little thought on both sides, one table for the whole game.
#[test]
fn won_endings_are_won_without_repeating() {
    for fen in WON {
        let (line, verdict) = play_out(line(fen, 0), RuleSet::Asian, 16_000);
        assert_eq!(
            verdict,
            Verdict::Loses(Side::Second),
            "{fen}: {:?}",
            line.plies().iter().map(|ply| ply.mv).collect::<Vec<_>>()
        );
    }
}

/// A mate counts if it comes with the 120th ply at the latest, whatever the table knows from
/// searches farther from the limit or nearer to it.
#[test]
fn the_move_limit_is_seen_whatever_the_table_knows() {
    let fen = "4k4/4a4/9/9/9/9/9/3R5/9/4K4 w - - 0 1";
    let (mut searcher, mut without_limit) = (searcher(), searcher());
    let shortest = search(&mut without_limit, &line(fen, 0), RuleSet::None, 10);
    let ScoreKind::MateIn(plies) = shortest.score.kind() else { panic!("{shortest:?}") };
    assert!(plies > 1);
    let clocks = [0, 119, 50, 118, 117, 116, 118, 100, 119, 117];
    for clock in clocks.into_iter().chain(60..120).chain((60..120).rev()) {
        let found = search(&mut searcher, &line(fen, clock), RuleSet::Asian, 10);
        assert_eq!(is_mate(&found), clock + plies <= 120, "{clock}: {found:?}");
        if clock + plies > 120 {
            assert_eq!(found.score, Score::DRAW, "{clock}");
        }
        let unlimited = search(&mut without_limit, &line(fen, clock), RuleSet::None, 10);
        assert!(is_mate(&unlimited), "{clock}");
    }
}

/// A side that is lost with any other move, a loop that the rules allow, and what they call it.
const SAVED: [(&str, &str, &str); 2] = [
    // Red, a rook down, checks; Black's only good answers check too.
    ("9/4ck3/9/4r4/9/5C3/2r6/9/5R3/4K4 w - - 0 1", "f4e4 e6f6 e4f4 f6e6", "mutual perpetual check"),
    // Black's rook and Red's pawn go to and fro; anything else is mate.
    ("2rak4/4aP3/b1P1b4/4C4/9/3R5/9/9/4p4/3K5 b - - 0 1", "c9b9 c7b7 b9c9 b7c7", "repetition"),
];

#[test]
fn a_lost_position_is_saved_by_a_loop_that_is_allowed() {
    for (fen, cycle, name) in SAVED {
        let start = line(fen, 0);
        let moves: Vec<Move> = cycle.split(' ').map(|mv| Move::parse(mv).unwrap()).collect();
        let mut repeated = start.clone();
        moves.iter().for_each(|&mv| repeated.push(mv));
        let judged = Position::judge(&repeated, RuleSet::Asian, Horizon::Search { root: 0 });
        assert_eq!((judged.verdict, judged.reason), (Verdict::Draw, Some(name)), "{fen}");
        let found = search(&mut searcher(), &start, RuleSet::Asian, 12);
        assert_eq!((found.best, found.score), (Some(moves[0]), Score::DRAW), "{fen}");
        let mut others = MoveList::new();
        start.position().legal_moves(&mut others);
        others.retain(|mv| Some(*mv) != found.best);
        for mv in others {
            let mut after = start.clone();
            after.push(mv);
            let reply = search(&mut searcher(), &after, RuleSet::Asian, 8);
            assert!(reply.score > Score::DRAW + 150, "{mv} in {fen}: {reply:?}");
        }
        let (_, verdict) = play_out(start, RuleSet::Asian, 8_000);
        assert_eq!(verdict, Verdict::Draw, "{fen}");
    }
}

/// Positions of Red in which chasing or checking for ever would draw if every repetition did. It is
/// forbidden: Red has to play something else, and is worse.
const FORBIDDEN: [&str; 3] = [
    "2bak4/4a4/4b4/1rp6/P2R5/4pp3/9/CC7/4p4/5K3 w - - 0 1",
    "5k3/3P5/9/5c3/CP7/2B6/2P2r3/3p1R3/5K3/9 w - - 0 1",
    "3R5/4k4/5R3/9/9/2B6/n8/3pB4/4p4/3K5 w - - 0 1",
];

#[test]
fn a_forbidden_loop_is_avoided() {
    for fen in FORBIDDEN {
        let start = line(fen, 0);
        let free = search(&mut searcher(), &start, RuleSet::None, 14);
        assert_eq!(free.score, Score::DRAW, "{fen}: {free:?}");
        let bound = search(&mut searcher(), &start, RuleSet::Asian, 14);
        assert!(bound.score < Score::DRAW - 100, "{fen}: {bound:?}");
        let (line, _) = play_out(start, RuleSet::Asian, 8_000);
        let by_rule = Position::judge(&line, RuleSet::Asian, Horizon::Game).verdict;
        assert_ne!(by_rule, Verdict::Loses(Side::First), "{fen}");
    }
}

/// Keeps the score of every iteration.
#[derive(Default)]
struct Scores(Mutex<Vec<Score>>);

impl Control<Move> for Scores {
    fn should_stop(&self) -> bool {
        false
    }
    fn report(&self, iteration: &Iteration<Move>) {
        self.0.lock().unwrap().push(iteration.score);
    }
}

/// Drawn positions whose weaker side has loops of checks and loops of chases, each of which would lose for ever; and
/// the nodes that are enough to see both.
const LOOPS_IN_TURN: [(&str, u64); 2] = [
    ("3aka3/4n4/9/9/9/9/2C6/9/6r2/3AK4 b - - 0 1", 200_000),
    ("4k4/6R2/9/4r4/9/9/5p3/5A3/5K3/9 w - - 0 1", 2_000_000),
];

#[test]
fn loops_that_the_loser_can_go_round_in_turn_are_no_mate() {
    for (fen, nodes) in LOOPS_IN_TURN {
        for rules in [RuleSet::Asian, RuleSet::Computer] {
            let scores = Scores::default();
            let limits = Limits { depth: Some(40), ..Limits::nodes(nodes) };
            searcher().run(&line(fen, 0), rules, &limits, &(), &scores);
            let scores = scores.0.into_inner().unwrap();
            let mates = scores.iter().filter(|score| score.is_proved());
            assert_eq!(mates.count(), 0, "{fen}, {rules}: {scores:?}");
            assert!(scores.last().is_some_and(|last| !last.is_decisive()), "{fen}: {scores:?}");
        }
    }
}

/// The judge agrees: checks and chases in turn are a draw.
#[test]
fn checks_and_chases_in_turn_draw_at_the_board() {
    let mut game = line(LOOPS_IN_TURN[0].0, 0);
    let cycle = "g1c1 c3g3 c1g1 g3c3 g1g0 e0e1 g0g1 e1e0";
    for mv in cycle.split(' ').cycle().take(16) {
        game.push(Move::parse(mv).unwrap());
    }
    assert_eq!(Position::judge(&game, RuleSet::Asian, Horizon::Game).verdict, Verdict::Draw);
}

/// A position won by nothing but the rules on repetition: the search sees it, and calls it no mate; the proof of a mate
/// goes on to the verdict at the board.
#[test]
fn a_win_by_rule_is_no_mate_until_the_verdict_falls() {
    let start = line(FORBIDDEN[2], 0);
    let mut scores = Vec::new();
    for depth in 4..=14 {
        let found = search(&mut searcher(), &start, RuleSet::Asian, depth);
        assert!(!is_mate(&found));
        scores.push(found.score);
    }
    assert!(scores.iter().all(|score| !score.is_early() || score.is_lost()), "{scores:?}");
}

/// The limit of moves ends quiescence too: a mate behind it is none, whatever the depth.
#[test]
fn no_mate_lies_behind_the_limit_of_moves() {
    let fen = "4k4/4a4/9/9/9/9/9/3R5/9/4K4 w - - 0 1";
    for rules in [RuleSet::Asian, RuleSet::Check, RuleSet::Chinese] {
        for clock in 110..120 {
            let shortest = search(&mut searcher(), &line(fen, 0), RuleSet::None, 10);
            let ScoreKind::MateIn(plies) = shortest.score.kind() else { panic!("{shortest:?}") };
            for depth in 1..=6 {
                let found = search(&mut searcher(), &line(fen, clock), rules, depth);
                assert!(!is_mate(&found) || clock + plies <= 120, "{clock}, {depth}: {found:?}");
            }
        }
    }
}
