//! The project's own opening lines: legal, distinct, named, and grouped.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use juzhong::game::Game;
use juzhong::record::{Record, read_games};
use juzhong::xiangqi::{Move, Position};

use crate::support::files::in_repository;

fn files() -> Vec<PathBuf> {
    let folder = in_repository("books/openings");
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder)
        .expect("the folder")
        .map(|e| e.expect("an entry").path())
        .collect();
    files.sort();
    files
}

fn lines() -> Vec<(String, Record<Position>)> {
    let mut lines = Vec::new();
    for file in files() {
        let slug = file.file_stem().expect("a name").to_string_lossy().into_owned();
        let bytes = std::fs::read(&file).expect("readable");
        read_games(&slug, &bytes, &mut |game| {
            lines.push((slug.clone(), game.expect("every line is legal").record));
        });
    }
    lines
}

#[test]
fn every_line_is_legal_named_and_of_the_stated_length() {
    let lines = lines();
    assert!(lines.len() >= 80, "{} lines", lines.len());
    for (slug, record) in &lines {
        let name = record.tag("Opening").expect("a Chinese name");
        assert_eq!(record.tag("Group"), Some(slug.as_str()), "{name}");
        assert!(record.tag("OpeningEN").is_some_and(|n| !n.is_empty()), "{name}");
        let ecco = record.tag("ECCO").expect("a code").as_bytes();
        assert!(matches!(ecco, [b'A'..=b'E', b'0'..=b'9', b'0'..=b'9']), "{name}");
        assert!((8..=20).contains(&record.tree.moves.len()), "{name}");
        assert!(record.start.is_none() && record.result.is_none(), "{name}");
        let ideas: usize = record.tree.comments.iter().map(|(_, text)| text.len()).sum();
        assert!(ideas > 40, "{name} states its key idea");
        let mut position = Position::start();
        for &mv in &record.tree.moves {
            assert!(position.is_legal(mv), "{name}: {mv}");
            position.make(mv);
        }
    }
}

#[test]
fn no_line_equals_or_begins_another_also_mirrored() {
    let mut moves: Vec<(Vec<Move>, String)> = Vec::new();
    for (_, record) in lines() {
        let line = record.tree.moves.clone();
        let mirrored: Vec<Move> = line.iter().map(|mv| mv.mirrored()).collect();
        let name = record.tag("Opening").unwrap_or_default().to_owned();
        moves.push((line.min(mirrored), name));
    }
    moves.sort();
    for pair in moves.windows(2) {
        assert!(!pair[1].0.starts_with(&pair[0].0), "{} begins {}", pair[0].1, pair[1].1);
    }
    let names: BTreeSet<&String> = moves.iter().map(|(_, name)| name).collect();
    assert_eq!(names.len(), moves.len(), "names occur once");
}

#[test]
fn the_readme_counts_the_lines_of_each_system() {
    let readme = in_repository("books/README.md");
    let readme = std::fs::read_to_string(readme).expect("readable");
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for (slug, _) in lines() {
        *counts.entry(slug).or_default() += 1;
    }
    for (slug, count) in &counts {
        let row = readme.lines().find(|l| l.contains(&format!("openings/{slug}.pgn"))).expect(slug);
        assert!(row.ends_with(&format!("| {count} |")), "{row}");
    }
    let total: usize = counts.values().sum();
    assert!(readme.contains(&format!("| **{total}** |")));
}

#[test]
fn self_play_games_are_legal_and_finished() {
    let file = in_repository("books/selfplay/selfplay.pgn");
    let bytes = std::fs::read(file).expect("readable");
    let mut games = 0;
    read_games("selfplay", &bytes, &mut |game| {
        let record = game.expect("every game is legal").record;
        assert!(record.result.is_some() && record.tag("ECCO").is_some());
        assert!(record.tree.moves.len() >= 10);
        games += 1;
    });
    assert!(games >= 200, "{games} games");
}
