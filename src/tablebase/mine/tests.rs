//! Themes against positions probed one by one and moves made on boards.

use std::collections::BTreeSet;

use super::*;
use crate::game::Game;
use crate::tablebase::solve::table::exchanged;
use crate::tablebase::value::{Metric, Rules};
use crate::tablebase::{GenerateOptions, NoProgress, generate_all};

fn tables(name: &str, metric: Metric) -> (tempfile::TempDir, Tables, Material) {
    let folder = tempfile::tempdir().unwrap();
    let material: Material = name.parse().unwrap();
    let options = GenerateOptions { rules: Rules::Check, metric, ..GenerateOptions::default() };
    generate_all(folder.path(), &[material], &options, &NoProgress).unwrap();
    let tables = Tables::open(folder.path(), Rules::Check, metric).unwrap();
    (folder, tables, material)
}

fn mirrored(position: &Position) -> Position {
    let mut setup = position.to_setup();
    for square in position.occupied() {
        setup.board[square.mirrored().index()] = position.piece_at(square);
        if position.piece_at(square.mirrored()).is_none() {
            setup.board[square.index()] = None;
        }
    }
    Position::from_setup_unchecked(&setup)
}

/// One name for a position and its images.
fn name_of(position: &Position, is_symmetric: bool) -> String {
    let mut images = vec![position.clone()];
    if is_symmetric {
        images.push(exchanged(position));
    }
    images.iter().flat_map(|image| [image.to_fen(), mirrored(image).to_fen()]).min().unwrap()
}

fn with_other_to_move(position: &Position) -> Option<Position> {
    let mut setup = position.to_setup();
    setup.turn = !setup.turn;
    Position::from_setup(&setup).ok().filter(|_| !position.in_check())
}

fn after(position: &Position, mv: crate::xiangqi::Move) -> Position {
    let mut next = position.clone();
    next.make(mv);
    next
}

/// Every line of play by only moves and best defences, each position by itself.
fn has_only_moves(tables: &Tables, position: &Position, plies: u16) -> bool {
    if plies == 0 {
        return true;
    }
    let moves = tables.probe_children(position).unwrap();
    let best = moves.iter().map(|&(_, value)| value).max();
    let chosen: Vec<_> = match tables.probe_wdl(position).unwrap() {
        Wdl::Win => moves.iter().filter(|(_, value)| value.wdl == Wdl::Win).collect(),
        _ => moves.iter().filter(|&&(_, value)| Some(value) == best).collect(),
    };
    let is_winner = tables.probe_wdl(position).unwrap() == Wdl::Win;
    !(chosen.is_empty() || is_winner && chosen.len() > 1)
        && chosen.iter().all(|&&(mv, _)| has_only_moves(tables, &after(position, mv), plies - 1))
}

/// Returns true if a position fits a theme, found by probes of the position and its moves.
fn fits(tables: &Tables, material: Material, position: &Position, theme: Theme) -> bool {
    let entry = tables.probe(position).unwrap();
    let is_first = Material::of(position) == (material, position.turn() == Side::Second);
    match theme {
        Theme::Zugzwang | Theme::FullZugzwang => {
            let Some(other) = with_other_to_move(position) else { return false };
            let other = tables.probe_wdl(&other).unwrap();
            entry.wdl == Wdl::Loss
                && match other {
                    Wdl::Win => false,
                    Wdl::Draw => theme == Theme::Zugzwang,
                    Wdl::Loss => material.is_symmetric() || is_first,
                }
        }
        Theme::OnlyMove { plies } => {
            entry.wdl == Wdl::Win && entry.order == 0 && has_only_moves(tables, position, plies)
        }
        Theme::Longest => {
            let stats = tables.stats(material).unwrap();
            let counts = &stats.sides[if is_first { Side::First } else { Side::Second }].counts;
            entry == Entry::win(0, counts.longest_win)
        }
        Theme::ByRule => entry.order > 0,
        Theme::WeakerSide => {
            let Some(weaker) = weaker_side(material) else { return false };
            let captures_win =
                tables.probe_children(position).unwrap().iter().any(|&(mv, value)| {
                    value.wdl == Wdl::Win && position.piece_at(mv.to()).is_some()
                });
            if (weaker == Side::First) == is_first {
                entry.wdl == Wdl::Win && !captures_win
            } else {
                entry.wdl == Wdl::Loss
            }
        }
    }
}

/// All positions of a set in which the side not to move is not in check.
fn positions(material: Material) -> impl Iterator<Item = Position> {
    let index = Index::new(material).unwrap();
    (0..index.sides()).flat_map(move |side| {
        let index = Index::new(material).unwrap();
        let slots = index.slots;
        (0..slots).filter_map(move |slot| {
            Position::from_setup(&position_of(&index, side, slot)?.to_setup()).ok()
        })
    })
}

/// The names of positions of a set.
fn names(positions: &[Position], material: Material) -> BTreeSet<String> {
    positions.iter().map(|position| name_of(position, material.is_symmetric())).collect()
}

fn check(name: &str, metric: Metric, themes: &[Theme]) {
    let (_folder, tables, material) = tables(name, metric);
    let all: Vec<_> = positions(material).collect();
    for &theme in themes {
        let found = tables.mine(material, theme).unwrap();
        let given: Vec<_> = found.positions().collect();
        assert_eq!(given.len() as u64, found.count());
        let expected: Vec<_> =
            all.par_iter().filter(|p| fits(&tables, material, p, theme)).cloned().collect();
        let (given, expected) = (names(&given, material), names(&expected, material));
        assert_eq!(given.len() as u64, found.count(), "{name}, {theme}: each once");
        assert_eq!(given, expected, "{name}, {theme}");

        let some = found.sample(7, 1);
        assert_eq!(some.len() as u64, found.count().min(7));
        assert!(found.sample(20, 1).starts_with(&some));
        assert!(names(&some, material).is_subset(&expected));
    }
}

#[test]
fn themes_are_as_probes_say() {
    check("KNvKA", Metric::Dtm, &Theme::ALL);
    check("KPvKP", Metric::Dtm, &Theme::ALL);
    check("KPvKA", Metric::Dtc, &Theme::ALL);
    check("KPvKA", Metric::Dtm, &[1, 2, 3, 4, 15].map(|plies| Theme::OnlyMove { plies }));
}

#[test]
#[ignore = "a minute: cargo test --release --lib tablebase::mine -- --ignored"]
fn themes_of_larger_sets_are_as_probes_say() {
    check("KRvKN", Metric::Dtm, &Theme::ALL);
    check("KNvKP", Metric::Dtc, &Theme::ALL);
    check("KRvKC", Metric::Dtm, &Theme::ALL);
    check("KPvKAB", Metric::Dtm, &Theme::ALL);
}

#[test]
fn themes_have_names() {
    for theme in Theme::ALL {
        assert_eq!(theme.name().parse(), Ok(theme));
    }
    assert!("study".parse::<Theme>().is_err());
}
