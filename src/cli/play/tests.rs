//! States that commands can make, kept and restored.

use clap::Parser;
use proptest::prelude::*;
use proptest::sample::{Index, select};

use super::*;
use crate::cli::{Cli, Command as Subcommand};
use autosave::kept_and_restored;
use juzhong::answers::legal_moves;
use juzhong::game::Outcome;
use juzhong::gomoku::Board;
use juzhong::xiangqi::Position;

/// A command, or a legal move.
#[derive(Debug, Clone)]
enum Typed {
    Line(String),
    Move(Index),
}

fn typed(files: &[String]) -> impl Strategy<Value = Typed> + use<> {
    let mut lines: Vec<String> = [
        "undo",
        "redo",
        "retry",
        "next",
        "prev",
        "end",
        "goto 0",
        "goto 1",
        "goto 3",
        "study",
        "study 1",
        "back",
        "switch",
        "resign",
        "new",
        "setup a0= h9=",
        "setup clear",
        "setup start",
        "save",
        "setup 3k5/9/9/9/9/9/9/9/R8/4K4 w - - 7 9",
        "setup 15/15/15/15/15/15/15/7x7/15/6o8/15/15/15/15/15 x 5",
    ]
    .map(str::to_owned)
    .to_vec();
    for file in files {
        lines.extend([format!("open {file}"), format!("open {file} 2"), format!("save {file}")]);
    }
    prop_oneof![
        2 => select(lines).prop_map(Typed::Line),
        3 => any::<Index>().prop_map(Typed::Move),
    ]
}

/// Obeys what is typed, answers by the first legal move where the engine is to move, and compares the game after
/// every step with what would be kept of it.
fn every_state_is_kept<G: PlayGame>(args: &[&str], lines: &[Typed]) {
    let Subcommand::Play(play) = Cli::parse_from(args).command else { panic!("{args:?}") };
    let mut out = Vec::new();
    let common = Cli::parse_from(args).common;
    let mut context = Context::new(&mut out, common);
    let mut session = TerminalGame::<G>::new(&play, Prompt::Lines, &mut context).unwrap();
    for line in lines {
        let moves = legal_moves(session.position());
        let line = match line {
            Typed::Line(line) => line.clone(),
            Typed::Move(_) if moves.is_empty() => continue,
            Typed::Move(index) => G::move_text(*index.get(&moves)),
        };
        session.obey(&line).unwrap();
        if session.is_engine_to_move()
            && let Some(&mv) = legal_moves(session.position()).first()
        {
            session.games.current.push(mv);
        }
        let game = session.games.itself();
        let (restored, human) = kept_and_restored(game, session.human).unwrap();
        assert_eq!(restored.state(), game.state(), "after {line}");
        assert_eq!(human, session.human);
    }
}

const GAMES: &str = "[Event \"A \\\"cup\\\"\"]\n[Red \"甲\"]\n[Black \"乙\"]\n[Result \"1/2-1/2\"]\n\n\
    1. h2e2 h9g7 2. h0g2 i9h9 1/2-1/2\n\n\
    [Red \"c\"]\n[FEN \"3k5/9/9/9/9/9/9/9/R8/4K4 b - - 5 1\"]\n[Result \"1-0\"]\n\n1... d9d8 2. a1a8 1-0\n\n";

#[test]
fn an_opened_game_has_its_tags_and_its_result_and_who_has_given_up() {
    let folder = tempfile::tempdir().unwrap();
    let games = folder.path().join("a.pgn");
    std::fs::write(&games, GAMES).unwrap();
    let args = ["juzhong", "play", "--hash", "1"];
    let Subcommand::Play(play) = Cli::parse_from(args).command else { panic!("{args:?}") };
    let mut out = Vec::new();
    let common = Cli::parse_from(args).common;
    let mut context = Context::new(&mut out, common);
    let mut session = TerminalGame::<Position>::new(&play, Prompt::Lines, &mut context).unwrap();
    let restored = |session: &TerminalGame<'_, Position>| {
        kept_and_restored(session.games.itself(), session.human).unwrap().0
    };
    session.open(&games.display().to_string(), 1).unwrap();
    session.obey("goto 2").unwrap();
    let game = restored(&session);
    let record = game.record(None, ["x".to_owned(), "y".to_owned()]);
    assert_eq!((record.tag("Red"), record.tag("Event")), (Some("甲"), Some("A \"cup\"")));
    assert_eq!((record.result, game.waits), (Some(Outcome::Draw), true));
    assert!(!game.is_unsaved());
    session.obey("resign").unwrap();
    let game = restored(&session);
    assert_eq!((game.resigned(), game.is_unsaved()), (Some(Side::First), true));
    assert_eq!(session.game().line().len(), 2);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn a_game_of_xiangqi_comes_back_as_it_was(
        (lines, black) in (proptest::collection::vec(typed(&["<games>".to_owned(), "<own>".to_owned()]), 1..30), any::<bool>())
    ) {
        let folder = tempfile::tempdir().unwrap();
        let [games, own] = ["a.pgn", "b.pgn"].map(|name| folder.path().join(name));
        std::fs::write(&games, GAMES).unwrap();
        let lines: Vec<Typed> = lines
            .into_iter()
            .map(|typed| match typed {
                Typed::Line(line) => {
                    let line = line.replace("<games>", &games.display().to_string());
                    Typed::Line(line.replace("<own>", &own.display().to_string()))
                }
                typed @ Typed::Move(_) => typed,
            })
            .collect();
        let side = if black { "black" } else { "red" };
        every_state_is_kept::<Position>(&["juzhong", "play", "--hash", "1", "--side", side], &lines);
    }

    #[test]
    fn a_game_of_gomoku_comes_back_as_it_was(lines in proptest::collection::vec(typed(&[]), 1..20)) {
        let args = ["juzhong", "--game", "gomoku", "play", "--hash", "1"];
        every_state_is_kept::<Board>(&args, &lines);
    }
}
