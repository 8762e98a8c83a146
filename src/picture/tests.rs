//! Properties of pictures: whatever the game, they are well formed and have the size that they state.

use proptest::prelude::*;

use super::*;
use crate::game::{Game, MoveList};
use crate::gomoku::Board;
use crate::message::Message;
use crate::record::{Record, Tree};
use crate::xiangqi::Position;
use crate::xiangqi::notation::MoveNotation;

/// The moves of a game along choices.
fn moves_of<G: Pictured>(start: &G, choices: &[u16]) -> Vec<G::Move> {
    let mut position = start.clone();
    let mut moves = Vec::new();
    for &choice in choices {
        let mut legal = MoveList::new();
        position.legal_moves(&mut legal);
        let Some(&mv) = legal.get(usize::from(choice) % legal.len().max(1)) else { break };
        position.make(mv);
        moves.push(mv);
    }
    moves
}

/// Asserts that elements end in order, that values of attributes are in quotation marks, and that there is no bare `&`.
fn assert_well_formed(text: &str) {
    let mut open = Vec::new();
    let mut rest = text.trim_start_matches("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    while let Some((before, after)) = rest.split_once('<') {
        assert_plain(before);
        let (tag, after) = after.split_once('>').expect("a tag ends");
        rest = after;
        if let Some(name) = tag.strip_prefix('/') {
            assert_eq!(open.pop(), Some(name), "in {tag}");
            continue;
        }
        let (inner, is_empty) = tag.strip_suffix('/').map_or((tag, false), |tag| (tag, true));
        let (name, attributes) = inner.split_once(' ').unwrap_or((inner, ""));
        let parts: Vec<&str> = attributes.split('"').collect();
        assert!(parts.len() % 2 == 1 && parts.last() == Some(&""), "{tag}");
        for pair in parts.chunks_exact(2) {
            assert!(pair[0].ends_with('='), "{tag}");
            assert_plain(pair[1]);
        }
        if !is_empty {
            open.push(name);
        }
    }
    assert!(open.is_empty(), "{open:?} end nowhere");
}

/// Asserts that a text has no bare signs of markup.
fn assert_plain(text: &str) {
    assert!(!text.contains('>'), "{text}");
    for part in text.split('&').skip(1) {
        let name = part.split(';').next().unwrap_or_default();
        assert!(["amp", "lt", "gt", "quot", "#39"].contains(&name), "{text}");
    }
}

/// Width and height of a PNG, all of whose pixels can be read.
fn size_of(bytes: &[u8]) -> [u32; 2] {
    let mut reader = png::Decoder::new(std::io::Cursor::new(bytes)).read_info().expect("a PNG");
    let mut pixels = vec![0; reader.output_buffer_size().expect("a size")];
    let frame = reader.next_frame(&mut pixels).expect("pixels");
    [frame.width, frame.height]
}

fn draws_all<G: Pictured>(start: &G, choices: &[u16], look: BoardLook) {
    let moves = moves_of(start, choices);
    let mut position = start.clone();
    for ply in 0..=moves.len() {
        if let Some(&mv) = ply.checked_sub(1).and_then(|last| moves.get(last)) {
            position.make(mv);
        }
        let scene = Scene { position: &position, moves: &moves[..ply], marks: &[], look };
        let drawing = draw_board(&scene);
        assert_well_formed(&svg_file(&drawing, 400, "<&>"));
    }
    let scene = Scene { position: &position, moves: &moves, marks: &[], look };
    let drawing = draw_board(&scene);
    assert_eq!(size_of(&png(&drawing, 90).expect("a PNG")), drawing.pixels(90));
}

/// The page of a game along choices, and the moves that it must have.
fn page_of(choices: &[u16], text: &str) -> (String, Vec<String>) {
    let start = Position::start();
    let moves = moves_of(&start, choices);
    let mut position = start;
    let texts = moves.iter().map(|&mv| {
        let text = position.text_of(mv, MoveNotation::Chinese);
        position.make(mv);
        text
    });
    let texts = texts.collect();
    let comments = (1..=moves.len()).step_by(3).map(|ply| (ply, text.to_owned())).collect();
    let tags = ["Red", "Event", text].map(|name| (name.to_owned(), text.to_owned())).to_vec();
    let tree: Tree<Position> = Tree { moves, comments, ..Tree::default() };
    let record: Record<Position> = Record { tags, start: None, start_clock: 0, result: None, tree };
    let translate = |message: &Message| message.to_string();
    let notation = MoveNotation::Chinese;
    let reader = Reader { language: "zh", notation, translate: &translate };
    (game_page(&record, BoardLook::default(), reader), texts)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn every_board_of_a_game_is_drawn(
        choices in prop::collection::vec(any::<u16>(), 0..30),
        is_flipped in any::<bool>(),
        is_numbered in any::<bool>(),
        kind in 0..3_usize,
    ) {
        let pieces = [PieceSet::Traditional, PieceSet::Simplified, PieceSet::Letters][kind];
        let coordinates = [Coordinates::Letters, Coordinates::Files, Coordinates::None][kind];
        let look = BoardLook { is_flipped, pieces, coordinates, is_numbered };
        draws_all(&Position::start(), &choices, look);
        let [width, height] = [[15, 15], [20, 9], [5, 20]][kind];
        draws_all(&Board::new(width, height, 5).expect("a board"), &choices, look);
    }

    #[test]
    fn pages_have_every_move_in_order_and_no_markup_of_texts(
        choices in prop::collection::vec(any::<u16>(), 0..40),
        text in "[<>&\"'a-z\\[\\]%\u{0}-\u{9}炮 ]{0,24}",
    ) {
        let (page, texts) = page_of(&choices, &text);
        let (_, body) = page.split_once("<body>").expect("a body");
        let body = body.split_once("</body>").expect("its end").0;
        assert_well_formed(body);
        let spans = body.split("<span class=\"move\">").skip(1);
        let written: Vec<&str> = spans.map(|rest| rest.split('<').next().unwrap_or("")).collect();
        prop_assert_eq!(written, texts);
    }
}
