//! Endgame tables at play: won positions are won, drawn ones held, whatever a defender does who knows
//! the tables, under the tables' own rules and others, and close to the limit of moves.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use juzhong::engine::{Engine, EngineOptions, MoveSource, TableOptions};
use juzhong::game::{Adjudicate, Game, Horizon, Line, Outcome, ScoreKind, Side};
use juzhong::search::{Limits, Score};
use juzhong::tablebase::Rules as TableRules;
use juzhong::tablebase::{
    Entry, GenerateOptions, Material, Metric, NoProgress, Rules, Tables, Wdl, generate_all,
};
use juzhong::xiangqi::move_limit::MOVE_LIMIT;
use juzhong::xiangqi::{Move, Piece, Position, Role, RuleSet, Setup, Square, can_stand};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

use crate::support::effort::is_full;

/// Built once for all tests, with every set of rules. KRvKN has wins by repetition.
const SETS: [&str; 5] = ["KRvKN", "KNvKA", "KPvKP", "KRvKA", "KRvKP"];

/// Longer games have gone wrong.
const MAX_PLIES: usize = 600;

fn generate(dir: &Path, sets: &[&str], rules: Rules, metric: Metric) {
    let materials: Vec<Material> = sets.iter().map(|name| name.parse().unwrap()).collect();
    let options = GenerateOptions { rules, metric, ..GenerateOptions::default() };
    generate_all(dir, &materials, &options, &NoProgress).unwrap();
}

/// A folder with the tables of all rules.
fn folder() -> &'static Path {
    static FOLDER: OnceLock<tempfile::TempDir> = OnceLock::new();
    let build = || {
        let folder = tempfile::tempdir().unwrap();
        for rules in Rules::ALL {
            generate(folder.path(), &SETS, rules, Metric::Dtm);
        }
        folder
    };
    FOLDER.get_or_init(build).path()
}

/// Random legal positions of a material in which there is something to play.
fn positions(material: Material, count: usize, seed: u64) -> Vec<Position> {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let mut men = Vec::new();
    for (side, role) in Side::ALL.into_iter().flat_map(|s| Role::ALL.map(|r| (s, r))) {
        let piece = Piece::new(side, role);
        let squares: Vec<Square> = Square::all().filter(|&s| can_stand(piece, s)).collect();
        men.extend((0..material.count(side, role)).map(|_| (piece, squares.clone())));
    }
    let mut below = |limit: usize| random.next_u32() as usize % limit;
    let mut positions = Vec::new();
    while positions.len() < count {
        let mut setup = Setup::empty();
        for (piece, squares) in &men {
            setup.board[squares[below(squares.len())].index()] = Some(*piece);
        }
        setup.turn = Side::ALL[below(2)];
        let is_whole = setup.board.iter().flatten().count() == men.len();
        let position =
            Position::from_setup(&setup).ok().filter(|p| is_whole && p.outcome().is_none());
        positions.extend(position);
    }
    positions
}

/// Plays against the engine and knows the tables.
struct Opponent<'a> {
    tables: &'a Tables,
    rules: RuleSet,
    random: ChaCha8Rng,
    /// Among moves of equal result any one, not the one that lasts longest.
    is_fickle: bool,
}

impl Opponent<'_> {
    /// The best result; of moves that draw, one that leaves few such to the engine; never one that
    /// the rules punish, if there is another.
    fn choose(&mut self, line: &Line<Position>) -> Move {
        let position = line.position();
        let mover = position.turn();
        let moves = self.tables.probe_root(position).unwrap();
        let punished = |mv: Move| {
            let mut after = line.clone();
            after.push(mv);
            let verdict = Position::judge(&after, self.rules, Horizon::Game).verdict;
            verdict.outcome() == Some(Outcome::Win(!mover))
        };
        let is_sound = |m: &&(Move, Entry)| !punished(m.0);
        let best = moves.iter().find(is_sound).unwrap_or(&moves[0]);
        let equal: Vec<&(Move, Entry)> = moves
            .iter()
            .filter(|m| m.1.wdl == best.1.wdl && m.1.order == best.1.order)
            .filter(|m| !punished(m.0))
            .collect();
        if equal.is_empty() || best.1.wdl != Wdl::Draw && !self.is_fickle {
            return best.0;
        }
        if best.1.wdl != Wdl::Draw || self.is_fickle {
            return equal[self.random.next_u32() as usize % equal.len()].0;
        }
        let worth = |mv| (self.draws_left(position, mv), Reverse(occurrences(line, mv)));
        equal.iter().min_by_key(|m| worth(m.0)).unwrap().0
    }

    fn draws_left(&self, position: &Position, mv: Move) -> usize {
        let mut after = position.clone();
        after.make(mv);
        let replies = self.tables.probe_children(&after).unwrap();
        replies.iter().filter(|(_, entry)| entry.wdl == Wdl::Draw).count()
    }
}

/// The number of earlier occurrences of the position that the move leads to.
fn occurrences(line: &Line<Position>, mv: Move) -> usize {
    let mut after = line.clone();
    after.push(mv);
    after.earlier_occurrences().count()
}

/// The end of a game, and true if the engine said anything before its first move.
struct End {
    outcome: Outcome,
    said: Vec<juzhong::message::Message>,
    line: Line<Position>,
}

/// Plays the line to its end. The engine has the side to move.
fn play(engine: &mut Engine<Position>, opponent: &mut Opponent<'_>, start: Line<Position>) -> End {
    play_within(&Limits::nodes(300), engine, opponent, start)
}

fn play_within(
    limits: &Limits,
    engine: &mut Engine<Position>,
    opponent: &mut Opponent<'_>,
    start: Line<Position>,
) -> End {
    let own = start.position().turn();
    let mut line = start;
    let mut said = None;
    engine.new_game();
    drop(engine.take_warnings());
    loop {
        let judged = || Position::judge(&line, opponent.rules, Horizon::Game).verdict.outcome();
        if let Some(outcome) = line.position().outcome().or_else(judged) {
            return End { outcome, said: said.unwrap_or_default(), line };
        }
        assert!(line.len() < MAX_PLIES, "no end: {}", line.start().to_fen());
        let mv = if line.position().turn() == own {
            let choice = engine.choose(&line, limits, &()).unwrap();
            said.get_or_insert_with(|| engine.take_warnings());
            choice.mv
        } else {
            opponent.choose(&line)
        };
        line.push(mv);
    }
}

fn text(line: &Line<Position>) -> String {
    let moves: Vec<String> = line.moves().map(|mv| mv.to_string()).collect();
    format!("{} moves {}", line.start().to_fen(), moves.join(" "))
}

fn engine(folder: &Path, rules: RuleSet, made: Option<Rules>) -> Engine<Position> {
    let tables = TableOptions { rules: made, ..folder.into() };
    let options = EngineOptions { tables, rules, hash_mib: 1, ..EngineOptions::default() };
    Engine::new(options).unwrap()
}

/// Plays `count` positions of each set under `rules` with tables made for `made`, against an opponent
/// whose tables are for `truth`, and returns how many were won, held and lost.
fn play_out(
    folder: &Path,
    sets: &[&str],
    rules: RuleSet,
    made: Rules,
    truth: Rules,
    count: usize,
    seed: u64,
) -> BTreeMap<Wdl, usize> {
    let mut engine = engine(folder, rules, Some(made));
    let tables = Tables::open(folder, truth, Metric::Dtm).unwrap();
    let own = Tables::open(folder, made, Metric::Dtm).unwrap();
    let mut results = BTreeMap::new();
    for (i, set) in sets.iter().enumerate() {
        let seed = seed + i as u64;
        for (number, position) in
            positions(set.parse().unwrap(), count, seed).into_iter().enumerate()
        {
            let value = tables.probe(&position).unwrap();
            let known = own.probe(&position).unwrap().wdl;
            // What the engine's tables do not know, it need not play.
            let expected = match known {
                _ if known != value.wdl => Wdl::Loss,
                Wdl::Win if u32::from(value.distance) > MOVE_LIMIT => Wdl::Draw,
                _ => known,
            };
            let random = ChaCha8Rng::seed_from_u64(number as u64);
            let is_fickle = number % 3 == 2;
            let mut opponent = Opponent { tables: &tables, rules, random, is_fickle };
            let side = position.turn();
            let end = play(&mut engine, &mut opponent, Line::new(position, 0));
            let reached = match end.outcome {
                Outcome::Draw => Wdl::Draw,
                Outcome::Win(winner) if winner == side => Wdl::Win,
                Outcome::Win(_) => Wdl::Loss,
            };
            assert!(
                reached >= expected,
                "{reached:?} where {value:?} by {truth}, playing {rules} with {made}: {}",
                text(&end.line)
            );
            *results.entry(value.wdl).or_insert(0) += 1;
        }
    }
    results
}

#[test]
fn wins_are_won_and_draws_held() {
    let cases = [
        (RuleSet::Check, Rules::Check),
        (RuleSet::Asian, Rules::Asian),
        (RuleSet::None, Rules::None),
    ];
    let count = if is_full() { 40 } else { 16 };
    let mut total = 0;
    for (play, rules) in cases {
        let results = play_out(folder(), &SETS, play, rules, rules, count, 7);
        assert!(results.values().all(|&seen| seen > 5), "{results:?}");
        total += results.values().sum::<usize>();
    }
    assert!(total >= 12 * count, "{total}");
}

#[test]
fn tables_of_other_rules_serve_as_far_as_they_are_valid() {
    use Rules::{Asian, Check, None};
    let cases = [
        (RuleSet::Asian, Check, Asian),
        (RuleSet::Computer, Check, Check),
        (RuleSet::Computer, Asian, Check),
        (RuleSet::Check, Asian, Check),
        (RuleSet::None, Check, None),
        (RuleSet::Chinese, Check, Check),
    ];
    for (play, made, truth) in cases {
        play_out(folder(), &["KRvKN", "KRvKA"], play, made, truth, 20, 7);
    }
    // Mates count under all rules.
    for play in [RuleSet::Check, RuleSet::Asian, RuleSet::Chinese] {
        play_out(folder(), &["KRvKP", "KRvKA"], play, None, None, 20, 7);
    }
}

/// Every position that repetition decides, of a share of the set.
#[test]
fn wins_by_repetition_are_claimed() {
    for (play_by, rules) in [(RuleSet::Check, Rules::Check), (RuleSet::Asian, Rules::Asian)] {
        let tables = Tables::open(folder(), rules, Metric::Dtm).unwrap();
        let mut engine = engine(folder(), play_by, None);
        let all = positions("KRvKN".parse().unwrap(), 60_000, 3);
        let by_rule: Vec<Position> = all
            .into_iter()
            .filter(|position| {
                let entry = tables.probe(position).unwrap();
                entry.wdl == Wdl::Win && entry.order > 0
            })
            .collect();
        assert!(by_rule.len() >= 20, "{}", by_rule.len());
        for (number, position) in by_rule.into_iter().enumerate() {
            let random = ChaCha8Rng::seed_from_u64(number as u64);
            let is_fickle = number % 2 == 1;
            let mut opponent = Opponent { tables: &tables, rules: play_by, random, is_fickle };
            let side = position.turn();
            let end = play(&mut engine, &mut opponent, Line::new(position, 0));
            assert_eq!(end.outcome, Outcome::Win(side), "{}", text(&end.line));
        }
    }
}

/// A win that is possible before the limit is won; one that may not be is reported.
#[test]
fn the_limit_of_moves_is_minded() {
    let tables = Tables::open(folder(), Rules::Check, Metric::Dtm).unwrap();
    let mut engine = engine(folder(), RuleSet::Check, None);
    let (mut told, mut won) = (0, 0);
    for (number, position) in positions("KNvKA".parse().unwrap(), 150, 5).into_iter().enumerate() {
        let entry = tables.probe(&position).unwrap();
        if entry.wdl != Wdl::Win {
            continue;
        }
        let distance = u32::from(entry.distance);
        // Just enough, one too few, half of it.
        let left = [distance, distance - 1, distance / 2][number % 3].max(1);
        let side = position.turn();
        let random = ChaCha8Rng::seed_from_u64(1);
        let mut opponent =
            Opponent { tables: &tables, rules: RuleSet::Check, random, is_fickle: false };
        let line = Line::new(position, MOVE_LIMIT - left);
        let end = play(&mut engine, &mut opponent, line);
        let is_won = end.outcome == Outcome::Win(side);
        let is_told = end.said.iter().any(|warning| warning.to_string().contains("limit of moves"));
        assert!(is_won || is_told && left < distance, "{left} {}", text(&end.line));
        assert!(!is_told || left < distance, "{entry:?} {left}: {:?}", end.said);
        told += usize::from(is_told);
        won += usize::from(is_won);
    }
    assert!(told > 5 && won > 5, "{told} {won}");
}

/// A lost position is defended as long as the tables say, against the best play.
#[test]
fn losses_last_as_long_as_they_can() {
    let tables = Tables::open(folder(), Rules::Check, Metric::Dtm).unwrap();
    let mut engine = engine(folder(), RuleSet::Check, None);
    let mut count = 0;
    for position in positions("KRvKA".parse().unwrap(), 60, 9) {
        let entry = tables.probe(&position).unwrap();
        if entry.wdl == Wdl::Loss {
            let random = ChaCha8Rng::seed_from_u64(1);
            let rules = RuleSet::Check;
            let mut opponent = Opponent { tables: &tables, rules, random, is_fickle: false };
            let end = play(&mut engine, &mut opponent, Line::new(position, 0));
            assert_eq!(end.line.len(), usize::from(entry.distance), "{}", text(&end.line));
            count += 1;
        }
    }
    assert!(count > 10, "{count}");
}

#[test]
fn what_other_rules_made_is_told_once() {
    let warnings = |rules, made| {
        let mut engine = engine(folder(), rules, made);
        let line = Line::new(Position::start(), 0);
        assert!(engine.choose(&line, &Limits::nodes(10), &()).is_some());
        let warnings = engine.take_warnings();
        assert!(engine.choose(&line, &Limits::nodes(10), &()).is_some());
        assert!(engine.take_warnings().is_empty());
        warnings
    };
    for rules in [RuleSet::None, RuleSet::Check, RuleSet::Asian] {
        assert!(warnings(rules, None).is_empty(), "{rules}");
    }
    let told = warnings(RuleSet::Asian, Some(TableRules::Check));
    assert_eq!(told.len(), 1, "{told:?}");
    assert!(
        told[0].to_string().contains("tables of rules check in play by rules asian"),
        "{told:?}"
    );
    assert_eq!(warnings(RuleSet::Chinese, Some(TableRules::None)).len(), 1);
}

/// Tables of several folders are one set; restrictions are minded.
#[test]
fn folders_men_and_depth() {
    let [one, other] = [(); 2].map(|()| tempfile::tempdir().unwrap());
    generate(one.path(), &["KRvK"], Rules::Check, Metric::Dtm);
    generate(other.path(), &["KRvKA"], Rules::Check, Metric::Dtm);
    for name in ["KRvK", "KvK"] {
        // Found in the first folder only.
        let name = format!("{name}.check.dtm.jzt");
        if one.path().join(&name).is_file() {
            std::fs::remove_file(other.path().join(name)).unwrap();
        }
    }
    let folders: Vec<PathBuf> = [&one, &other].map(|dir| dir.path().to_owned()).to_vec();
    let all = TableOptions { folders, ..TableOptions::default() };
    let start = Position::from_fen("3k5/4a4/9/9/9/9/9/9/4R4/4K4 w").unwrap();
    let source = |tables: &TableOptions, rules| {
        let tables = tables.clone();
        let options = EngineOptions { tables, rules, hash_mib: 1, ..EngineOptions::default() };
        let mut engine = Engine::<Position>::new(options).unwrap();
        let line = Line::new(start.clone(), 0);
        let choice = engine.choose(&line, &Limits::depth(3), &()).unwrap();
        assert!(engine.take_warnings().is_empty());
        choice.source
    };
    let rules = RuleSet::Check;
    assert_eq!(source(&all, rules), MoveSource::Table);
    assert_eq!(source(&TableOptions { men: 3, ..all.clone() }, rules), MoveSource::Search);
    assert_eq!(source(&TableOptions { men: 4, ..all.clone() }, rules), MoveSource::Table);
    let deep = TableOptions { probe_depth: 50, ..all };
    assert_eq!(source(&deep, rules), MoveSource::Table, "the root is always looked up");
}

/// Tables of distances to captures alone are enough to win.
#[test]
fn distances_to_captures_convert() {
    let folder = tempfile::tempdir().unwrap();
    generate(folder.path(), &["KNvKA"], Rules::Check, Metric::Dtc);
    let tables = Tables::open(folder.path(), Rules::Check, Metric::Dtc).unwrap();
    let mut engine = engine(folder.path(), RuleSet::Check, None);
    for position in positions("KNvKA".parse().unwrap(), 40, 2) {
        if tables.probe_wdl(&position).unwrap() == Wdl::Win {
            let side = position.turn();
            let random = ChaCha8Rng::seed_from_u64(1);
            let rules = RuleSet::Check;
            let mut opponent = Opponent { tables: &tables, rules, random, is_fickle: false };
            let end = play(&mut engine, &mut opponent, Line::new(position, 0));
            assert_eq!(end.outcome, Outcome::Win(side), "{}", text(&end.line));
        }
    }
}

/// Distances to captures are no mates, but for a mate on the board.
#[test]
fn distances_to_captures_are_not_told_as_mates() {
    let folder = tempfile::tempdir().unwrap();
    generate(folder.path(), &["KRvKA"], Rules::Check, Metric::Dtc);
    let told = |fen: &str| {
        let mut engine = engine(folder.path(), RuleSet::Check, None);
        let line = Line::new(Position::from_fen(fen).unwrap(), 0);
        let choice = engine.choose(&line, &Limits::depth(3), &()).unwrap();
        assert_eq!(choice.source, MoveSource::Table);
        (choice.score.unwrap().kind(), choice.table.unwrap().to_string())
    };
    let (kind, text) = told("3k5/4a4/9/9/9/9/9/9/8R/4K4 w");
    assert!(matches!(kind, ScoreKind::TableWin(_)), "{kind:?}");
    assert!(text.starts_with("win, capture or mate in "), "{text}");
    let (kind, text) = told("3k5/4a4/9/9/9/9/9/8R/9/4K4 b");
    assert!(matches!(kind, ScoreKind::TableLoss(_)), "{kind:?}");
    assert!(text.starts_with("loss, capture or mate in "), "{text}");
    let (kind, text) = told(MATE_IN_ONE);
    assert_eq!((kind, text.as_str()), (ScoreKind::MateIn(1), "win, mate in 1 ply"));
}

/// The rook takes the advisor and mates.
const MATE_IN_ONE: &str = "3k5/4a4/9/9/4R4/9/9/9/9/4K4 w";

/// A mate that the search sees among positions that the tables know is a mate, and so are the mates
/// that the tables themselves know.
#[test]
fn mates_within_the_tables_are_mates() {
    let dtc = tempfile::tempdir().unwrap();
    generate(dtc.path(), &["KRvK"], Rules::Check, Metric::Dtc);
    for folder in [folder(), dtc.path()] {
        let tables = TableOptions { men: 3, ..folder.into() };
        let rules = RuleSet::Check;
        let options = EngineOptions { tables, rules, hash_mib: 1, ..EngineOptions::default() };
        let mut engine = Engine::<Position>::new(options).unwrap();
        let line = Line::new(Position::from_fen(MATE_IN_ONE).unwrap(), 0);
        for depth in 2..=4 {
            let choice = engine.choose(&line, &Limits::depth(depth), &()).unwrap();
            assert_eq!(choice.source, MoveSource::Search);
            assert_eq!(choice.score.map(Score::kind), Some(ScoreKind::MateIn(1)));
        }
    }
    // The elephant is taken, then mate comes by the table, at its distance.
    let tables = Tables::open(folder(), Rules::Check, Metric::Dtm).unwrap();
    let mut engine = engine(folder(), RuleSet::Check, None);
    let start = Position::from_fen("3k5/4a4/4b4/9/9/9/9/9/4R4/4K4 w").unwrap();
    let choice = engine.choose(&Line::new(start.clone(), 0), &Limits::depth(2), &()).unwrap();
    let mut after = start;
    after.make(choice.mv);
    let Entry { wdl, order, distance } = tables.probe(&after).unwrap();
    assert_eq!((wdl, order), (Wdl::Loss, 0));
    assert_eq!(choice.score.map(Score::kind), Some(ScoreKind::MateIn(u32::from(distance) + 1)));
}

/// With tables of distances to mate alone, what can be brought to a capture before the limit is,
/// against a defender who knows the distances to captures; nothing else is said of it.
#[test]
fn wins_are_brought_to_a_capture_before_the_limit() {
    let truth = tempfile::tempdir().unwrap();
    generate(truth.path(), &["KNvKA"], Rules::Check, Metric::Dtc);
    let truth = Tables::open(truth.path(), Rules::Check, Metric::Dtc).unwrap();
    let tables = Tables::open(folder(), Rules::Check, Metric::Dtm).unwrap();
    let mut engine = engine(folder(), RuleSet::Check, None);
    let (mut count, mut late) = (0, 0);
    for position in positions("KNvKA".parse().unwrap(), if is_full() { 90 } else { 50 }, 11) {
        let (to_mate, forced) = (tables.probe(&position).unwrap(), truth.probe(&position).unwrap());
        if to_mate.wdl != Wdl::Win || to_mate.distance < forced.distance + 6 || forced.distance < 9
        {
            continue;
        }
        let side = position.turn();
        for left in [forced.distance, forced.distance - 2] {
            let mut line = Line::new(position.clone(), MOVE_LIMIT - u32::from(left));
            engine.new_game();
            let choice = engine.choose(&line, &LONG, &()).unwrap();
            let said = engine.take_warnings();
            if left < forced.distance {
                assert!(
                    said[0].to_string().contains("neither mate nor a capture"),
                    "{said:?} {}",
                    text(&line)
                );
                assert!(!choice.score.unwrap().is_decisive());
                late += 1;
                continue;
            }
            assert!(said.is_empty(), "{left} {said:?} {}", text(&line));
            assert!(matches!(choice.score.unwrap().kind(), ScoreKind::MateIn(_)));
            while line.position().outcome().is_none() {
                let verdict = Position::judge(&line, RuleSet::Check, Horizon::Game).verdict;
                assert!(verdict.outcome().is_none(), "{left} {}", text(&line));
                let mv = if line.position().turn() == side {
                    engine.choose(&line, &LONG, &()).unwrap().mv
                } else {
                    truth.probe_root(line.position()).unwrap()[0].0
                };
                line.push(mv);
            }
            assert_eq!(line.position().outcome(), Some(Outcome::Win(side)), "{}", text(&line));
            count += 1;
        }
    }
    assert!(count > 1 && late > 1, "{count} {late}");
}

/// Enough to look for a capture.
const LONG: Limits = Limits { nodes: Some(100_000), depth: None, soft_time: None, hard_time: None };

/// Those of the positions that the tables give this value.
fn of_value(tables: &Tables, wdl: Wdl, positions: Vec<Position>) -> Vec<Position> {
    let has_it = |position: &Position| tables.probe_wdl(position).unwrap() == wdl;
    positions.into_iter().filter(has_it).collect()
}

/// The search alone, with tables in the tree, makes progress and counts what it looked up.
#[test]
fn the_search_makes_progress_by_the_tables() {
    let tables = Tables::open(folder(), Rules::Asian, Metric::Dtm).unwrap();
    let mut engine = engine(folder(), RuleSet::Asian, None);
    let opponent_tables = &tables;
    for position in of_value(&tables, Wdl::Win, positions("KNvKA".parse().unwrap(), 40, 4)) {
        let side = position.turn();
        let mut line = Line::new(position, 0);
        while line.position().outcome().is_none() {
            let verdict = Position::judge(&line, RuleSet::Asian, Horizon::Game).verdict;
            assert!(verdict.outcome().is_none(), "{}", text(&line));
            let mv = if line.position().turn() == side {
                engine.search(&line, &Limits::depth(3), &()).unwrap().mv
            } else {
                opponent_tables.probe_root(line.position()).unwrap()[0].0
            };
            line.push(mv);
        }
        assert_eq!(line.position().outcome(), Some(Outcome::Win(side)));
    }
}

/// All that the tables say is "drawn": the search still looks ahead, and tells a draw.
#[test]
fn drawn_positions_are_played_on() {
    let tables = Tables::open(folder(), Rules::Asian, Metric::Dtm).unwrap();
    let mut engine = engine(folder(), RuleSet::Asian, None);
    let mut looked_ahead = 0;
    for position in of_value(&tables, Wdl::Draw, positions("KPvKP".parse().unwrap(), 100, 5)) {
        let choice = engine.choose(&Line::new(position, 0), &Limits::depth(6), &()).unwrap();
        assert_eq!(choice.score, Some(Score::DRAW));
        looked_ahead += usize::from(choice.pv.len() > 2);
    }
    assert!(looked_ahead > 5, "{looked_ahead}");
}

/// If nothing but checks keeps a draw for a while, the way out is found before the loop has lost.
#[test]
fn draws_are_not_lost_in_loops_of_checks() {
    let folder = tempfile::tempdir().unwrap();
    generate(folder.path(), &["KNvKCA"], Rules::Check, Metric::Dtm);
    let tables = Tables::open(folder.path(), Rules::Check, Metric::Dtm).unwrap();
    let rules = RuleSet::Check;
    let mut engine = engine(folder.path(), rules, None);
    for fen in [
        "5kc2/9/5a3/9/9/9/9/9/9/4NK3 w",
        "3k2c2/9/5a3/9/9/9/1N7/9/9/5K3 w",
        "5k3/9/3a5/8c/9/9/5N3/3K5/9/9 w",
        "3a5/4k4/1N7/9/5c3/9/9/3K5/9/9 w",
        "3a5/4k3N/c8/9/9/9/9/9/3K5/9 w",
    ] {
        let start = Line::new(Position::from_fen(fen).unwrap(), 0);
        let random = ChaCha8Rng::seed_from_u64(1);
        let mut opponent = Opponent { tables: &tables, rules, random, is_fickle: false };
        let end = play(&mut engine, &mut opponent, start);
        assert_eq!(end.outcome, Outcome::Draw, "{}", text(&end.line));
    }
}

/// Positions that are won by rule, of a share of a set.
fn won_by_rule(tables: &Tables, set: &str, tries: usize, seed: u64) -> Vec<(Position, Entry)> {
    let valued = positions(set.parse().unwrap(), tries, seed).into_iter().map(|position| {
        let entry = tables.probe(&position).unwrap();
        (position, entry)
    });
    valued.filter(|(_, entry)| entry.wdl == Wdl::Win && entry.order > 0).collect()
}

/// A claimed win is won before the limit, wherever that is, by every order.
fn claimed_wins_come_before_the_limit(
    folder: &Path,
    set: &str,
    (play_by, rules): (RuleSet, Rules),
    tries: usize,
) {
    let tables = Tables::open(folder, rules, Metric::Dtm).unwrap();
    let mut engine = engine(folder, play_by, Some(rules));
    let (mut claimed, mut open) = (0, 0);
    let all = won_by_rule(&tables, set, tries, 21);
    for (number, (position, entry)) in all.into_iter().take(150).enumerate() {
        let left = (number as u32 * 7) % 60 + 1 + u32::from(entry.distance) / 2;
        let side = position.turn();
        let line = Line::new(position, MOVE_LIMIT.saturating_sub(left));
        engine.new_game();
        let choice = engine.choose(&line, &LONG, &()).unwrap();
        let said = engine.take_warnings();
        if !choice.score.unwrap().is_decisive() {
            assert!(
                said.iter().any(|warning| warning.to_string().contains("limit of moves")),
                "{said:?}"
            );
            open += 1;
            continue;
        }
        let random = ChaCha8Rng::seed_from_u64(number as u64);
        let is_fickle = number % 2 == 1;
        let mut opponent = Opponent { tables: &tables, rules: play_by, random, is_fickle };
        let end = play_within(&LONG, &mut engine, &mut opponent, line);
        assert_eq!(end.outcome, Outcome::Win(side), "{entry:?} {left} {}", text(&end.line));
        claimed += 1;
    }
    assert!(claimed > 5 && open > 5, "{set} {rules}: {claimed} {open}");
}

#[test]
fn wins_by_repetition_are_sure_only_before_the_limit() {
    let cases = [(RuleSet::Check, Rules::Check), (RuleSet::Asian, Rules::Asian)];
    for case in cases {
        claimed_wins_come_before_the_limit(folder(), "KRvKN", case, 60_000);
    }
    let folder = tempfile::tempdir().unwrap();
    generate(folder.path(), &["KNvKCA"], Rules::Check, Metric::Dtm);
    claimed_wins_come_before_the_limit(folder.path(), "KNvKCA", cases[0], 60_000);
}

/// Orders up to 14, which take up to a hundred plies. Before, this position was claimed, and drawn.
#[test]
#[ignore = "cargo test --release --test it engine::table_play::wins_of_high_orders_are_sure_only_before_the_limit -- --ignored: a minute"]
fn wins_of_high_orders_are_sure_only_before_the_limit() {
    let folder = tempfile::tempdir().unwrap();
    generate(folder.path(), &["KRCvKR"], Rules::Check, Metric::Dtm);
    let mut engine = engine(folder.path(), RuleSet::Check, None);
    let position = Position::from_fen("9/R8/5k3/C8/9/9/9/9/9/4Kr3 w").unwrap();
    let choice = engine.choose(&Line::new(position, 50), &LONG, &()).unwrap();
    assert!(!choice.score.unwrap().is_decisive(), "{choice:?}");
    let said = engine.take_warnings();
    assert!(said[0].to_string().contains("is not proved"), "{said:?}");
    let case = (RuleSet::Check, Rules::Check);
    claimed_wins_come_before_the_limit(folder.path(), "KRCvKR", case, 20_000);
}

/// That nothing but mistakes can help is said only where it is so: here a loop decides in time.
#[test]
fn a_win_by_repetition_just_before_the_limit_is_played() {
    for (rules, made) in [(RuleSet::Check, Rules::Check), (RuleSet::Asian, Rules::Asian)] {
        let tables = Tables::open(folder(), made, Metric::Dtm).unwrap();
        let mut engine = engine(folder(), rules, None);
        let start = Position::from_fen("9/9/4k4/9/9/2R6/9/9/7n1/5K3 w").unwrap();
        for (left, is_enough) in [(20, true), (19, true), (5, false)] {
            let line = Line::new(start.clone(), MOVE_LIMIT - left);
            let random = ChaCha8Rng::seed_from_u64(1);
            let mut opponent = Opponent { tables: &tables, rules, random, is_fickle: false };
            let end = play_within(&LONG, &mut engine, &mut opponent, line);
            let is_won = end.outcome == Outcome::Win(Side::First);
            assert_eq!(is_won, is_enough, "{rules} {left}: {}", text(&end.line));
            let has =
                |part: &str| end.said.iter().any(|warning| warning.to_string().contains(part));
            assert!(is_won || has("limit of moves"), "{:?}", end.said);
            assert!(!is_won || !has("only mistakes"), "{:?}", end.said);
        }
    }
}

/// Tables mind no limit of moves if play has none.
#[test]
fn without_a_limit_of_moves_every_win_is_sure() {
    let tables = Tables::open(folder(), Rules::Check, Metric::Dtm).unwrap();
    let options = |minds_limit| EngineOptions {
        tables: TableOptions { minds_limit, ..folder().into() },
        rules: RuleSet::Check,
        hash_mib: 1,
        ..EngineOptions::default()
    };
    let mut engine = Engine::<Position>::new(options(false)).unwrap();
    for position in of_value(&tables, Wdl::Win, positions("KRvKN".parse().unwrap(), 40, 6)) {
        let distance = u32::from(tables.probe(&position).unwrap().distance);
        // Not so near that the next moves are judged: rules without a limit are for the caller to choose.
        let line = Line::new(position, MOVE_LIMIT.saturating_sub((distance / 2).max(4)));
        engine.set_options(options(false)).unwrap();
        let choice = engine.choose(&line, &LONG, &()).unwrap();
        assert!(choice.score.unwrap().is_decisive(), "{}", text(&line));
        assert!(engine.take_warnings().is_empty());
        engine.set_options(options(true)).unwrap();
        let is_known = engine.search(&line, &Limits::depth(1), &()).unwrap().score.unwrap();
        engine.set_options(options(false)).unwrap();
        let unlimited = engine.search(&line, &Limits::depth(1), &()).unwrap().score.unwrap();
        assert!(unlimited >= is_known, "{}", text(&line));
    }
}

/// Many more positions of small sets.
#[test]
#[ignore = "cargo test --release --test it engine::table_play::many_seeds_of_small_sets_are_played_out -- --ignored: minutes"]
fn many_seeds_of_small_sets_are_played_out() {
    let folder = tempfile::tempdir().unwrap();
    let sets = ["KNvKCA", "KNvKC", "KRvKC", "KRvKR", "KPvKP", "KRvKN", "KRvKP"];
    for (play, rules) in [(RuleSet::Check, Rules::Check), (RuleSet::Asian, Rules::Asian)] {
        generate(folder.path(), &sets, rules, Metric::Dtm);
        for seed in (100..200).step_by(20) {
            let results = play_out(folder.path(), &sets, play, rules, rules, 200, seed);
            assert_eq!(results.len(), 3, "{results:?}");
        }
    }
}

/// Sets where repetition decides much, chases among it, and wins beyond the limit of moves.
#[test]
#[ignore = "cargo test --release --test it engine::table_play::larger_sets_are_played_out -- --ignored: minutes, 1 GiB"]
fn larger_sets_are_played_out() {
    let folder = tempfile::tempdir().unwrap();
    let sets = ["KRAvKN", "KRAvKR", "KNvKCA", "KRvKNA", "KNPvKN", "KRCvKR"];
    for rules in [Rules::Check, Rules::Asian] {
        generate(folder.path(), &sets, rules, Metric::Dtm);
    }
    for (play, rules) in [(RuleSet::Check, Rules::Check), (RuleSet::Asian, Rules::Asian)] {
        let results = play_out(folder.path(), &sets, play, rules, rules, 200, 7);
        assert_eq!(results.len(), 3, "{results:?}");
    }
}
