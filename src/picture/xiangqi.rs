//! The board of xiangqi.

use crate::game::Side;
use crate::picture::board::{BoardLook, Coordinates, Pictured, PieceSet, Scene};
use crate::picture::drawing::{Drawing, Shape, text};
use crate::picture::glyphs::{BOX, piece_path};
use crate::picture::points::{Grid, Spot};
use crate::picture::svg::{number, push};
use crate::picture::theme::{
    BLACK, CELL, LABELS, LAST, LINES, MARGIN, RED, RIM, RIVER, RIVER_OPACITY, SHADOW,
    SHADOW_OPACITY,
};
use crate::xiangqi::notation::{MoveNotation, format_move};
use crate::xiangqi::{Move, Piece, Position, Square};

/// The characters of the pieces, Red's seven before Black's, in the order of [`Piece::index`].
const TRADITIONAL: [char; 14] =
    ['帥', '俥', '馬', '炮', '兵', '仕', '相', '將', '車', '馬', '砲', '卒', '士', '象'];
const SIMPLIFIED: [char; 14] =
    ['帅', '车', '马', '炮', '兵', '仕', '相', '将', '车', '马', '炮', '卒', '士', '象'];

/// The height of coordinates.
const LABEL: f32 = 23.0;

/// Distances of coordinates from the edge of the picture.
const ACROSS: f32 = MARGIN * 0.6;
const DOWN: f32 = MARGIN * 0.62;

impl Pictured for Position {
    const MOVES_A_NUMBER: usize = 2;

    fn extent(&self) -> [u8; 2] {
        [9, 10]
    }

    fn spots_of(mv: Move) -> Vec<Spot> {
        [mv.from(), mv.to()].map(spot_of).to_vec()
    }

    fn text_of(&self, mv: Move, notation: MoveNotation) -> String {
        format_move(self, mv, notation)
    }

    fn draw_ground(drawing: &mut Drawing, _grid: Grid, look: BoardLook) {
        let frame = Shape::rectangle([x(0.0) - 9.0, y(0.0) - 9.0], [818.0, 918.0]);
        drawing.add(frame.stroked(LINES, 4.0));
        drawing.add(Shape::path(lines()).stroked(LINES, 2.0));
        drawing.add(Shape::path(crosses()).stroked(LINES, 2.5));
        add_river(drawing, look.pieces);
    }

    fn draw_pieces(drawing: &mut Drawing, grid: Grid, scene: &Scene<'_, Self>) {
        if let Some(&last) = scene.moves.last() {
            for (square, opacity) in [(last.from(), 0.55), (last.to(), 1.0)] {
                let place = grid.place(spot_of(square));
                let corners = Shape::path(corners(place)).stroked(LAST, 5.0);
                drawing.add(corners.rounded().opaque(opacity));
            }
        }
        for square in Square::all() {
            let Some(piece) = scene.position.piece_at(square) else { continue };
            let name = format!("man-{}", piece.letter());
            let place = grid.place(spot_of(square));
            drawing.add_symbol(&name, place, || piece_shapes(piece, scene.look.pieces));
        }
    }

    fn draw_labels(drawing: &mut Drawing, grid: Grid, look: BoardLook) {
        match look.coordinates {
            Coordinates::Letters => add_letters(drawing, grid),
            Coordinates::Files => add_files(drawing, grid),
            Coordinates::None => {}
        }
    }
}

const fn spot_of(square: Square) -> Spot {
    Spot { column: square.file(), row: square.rank() }
}

const fn x(column: f32) -> f32 {
    MARGIN + CELL * (column + 0.5)
}

const fn y(row: f32) -> f32 {
    MARGIN + CELL * (row + 0.5)
}

/// A piece around its middle.
fn piece_shapes(piece: Piece, set: PieceSet) -> Vec<Shape> {
    let is_red = piece.side() == Side::First;
    let colour = if is_red { RED } else { BLACK };
    let (character, size) = match set {
        PieceSet::Traditional => (TRADITIONAL[piece.index()], 58.0),
        PieceSet::Simplified => (SIMPLIFIED[piece.index()], 58.0),
        PieceSet::Letters => (piece.letter().to_ascii_uppercase(), 66.0),
    };
    let mut shapes = vec![
        Shape::circle([0.0, 5.0], 45.0).filled(SHADOW).opaque(SHADOW_OPACITY),
        Shape::circle([0.0; 2], 44.5).filled(RIM),
        Shape::circle([0.0; 2], 41.5).with_face(),
        Shape::circle([0.0; 2], 36.0).stroked(colour, 2.6),
    ];
    if !is_red {
        shapes.push(Shape::circle([0.0; 2], 32.5).stroked(colour, 1.6));
    }
    let glyph = piece_path(character).map(|path| {
        Shape::path(path).filled(colour).placed([-size / 2.0, -size / 2.0], size / BOX)
    });
    shapes.extend(glyph);
    shapes
}

/// The corners around a point of the last move.
fn corners([x, y]: [f32; 2]) -> String {
    const HALF: f32 = 46.0;
    const LENGTH: f32 = 18.0;
    let [left, right, up, down] = [x - HALF, x + HALF, y - HALF, y + HALF];
    let starts = [
        (left, up + LENGTH, format!("v-{LENGTH}h{LENGTH}")),
        (right - LENGTH, up, format!("h{LENGTH}v{LENGTH}")),
        (right, down - LENGTH, format!("v{LENGTH}h-{LENGTH}")),
        (left + LENGTH, down, format!("h-{LENGTH}v-{LENGTH}")),
    ];
    starts.map(|(x, y, rest)| format!("M{} {}{rest}", number(x), number(y))).concat()
}

fn lines() -> String {
    let mut path = String::new();
    for row in 0..10 {
        push(&mut path, format_args!("M{}H{}", point(0, row), x(8.0)));
    }
    for column in 0..9 {
        // Only the edges cross the river.
        if matches!(column, 0 | 8) {
            push(&mut path, format_args!("M{}V{}", point(column, 0), y(9.0)));
        } else {
            push(
                &mut path,
                format_args!("M{}V{}M{}V{}", point(column, 0), y(4.0), point(column, 5), y(9.0)),
            );
        }
    }
    for top in [0, 7] {
        let [left, right] = [[3, 5], [5, 3]];
        for [from, to] in [left, right] {
            push(&mut path, format_args!("M{}L{}", point(from, top), point(to, top + 2)));
        }
    }
    path
}

/// A point as paths have it.
fn point(column: u8, row: u8) -> String {
    format!("{} {}", x(column.into()), y(row.into()))
}

/// The marks at the points of cannons and pawns.
fn crosses() -> String {
    const CANNONS: [(u8, u8); 4] = [(1, 2), (7, 2), (1, 7), (7, 7)];
    let pawns = [0, 2, 4, 6, 8].into_iter().flat_map(|column| [(column, 3), (column, 6)]);
    let mut path = String::new();
    for (column, row) in CANNONS.into_iter().chain(pawns) {
        for (right, down) in [(-1.0, -1.0), (1.0, -1.0), (-1.0, 1.0), (1.0, 1.0)] {
            if (column == 0 && right < 0.0) || (column == 8 && right > 0.0) {
                continue;
            }
            let [x, y] = [x(column.into()) + 7.0 * right, y(row.into()) + 7.0 * down];
            push(&mut path, format_args!("M{} {y}H{x}V{}", x + 14.0 * right, y + 14.0 * down));
        }
    }
    path
}

/// Draws the words of the river, in the characters of the pieces.
fn add_river(drawing: &mut Drawing, set: PieceSet) {
    let words = match set {
        PieceSet::Simplified => ['楚', '河', '汉', '界'],
        PieceSet::Traditional | PieceSet::Letters => ['楚', '河', '漢', '界'],
    };
    for (column, word) in [1.55, 2.75, 5.25, 6.45].into_iter().zip(words) {
        let Some(path) = piece_path(word) else { continue };
        let word = Shape::path(path).filled(RIVER).opaque(RIVER_OPACITY);
        drawing.add(word.placed([x(column) - 32.0, y(4.5) - 32.0], 0.256));
    }
}

fn add_label(drawing: &mut Drawing, words: &str, middle: [f32; 2]) {
    for shape in text(words, middle, LABEL, LABELS) {
        drawing.add(shape);
    }
}

/// Draws letters above and below, and numbers on both sides.
fn add_letters(drawing: &mut Drawing, grid: Grid) {
    let [width, height] = drawing.size;
    for column in 0..9 {
        let name = char::from(b'a' + grid.seen(column, 0).column).to_string();
        for y in [DOWN, height - DOWN] {
            add_label(drawing, &name, [x(column.into()), y]);
        }
    }
    for row in 0..10 {
        let name = grid.seen(0, row).row.to_string();
        for x in [ACROSS, width - ACROSS] {
            add_label(drawing, &name, [x, y(row.into())]);
        }
    }
}

/// Draws the numbers of files: Black's on Black's side, Red's on Red's.
fn add_files(drawing: &mut Drawing, grid: Grid) {
    const RED_FILES: [&str; 9] = ["九", "八", "七", "六", "五", "四", "三", "二", "一"];
    let height = drawing.size[1];
    let [black, red] = match grid.is_flipped {
        false => [DOWN, height - DOWN],
        true => [height - DOWN, DOWN],
    };
    for column in 0..9 {
        let file = grid.seen(column, 0).column;
        let x = x(column.into());
        add_label(drawing, &(file + 1).to_string(), [x, black]);
        add_label(drawing, RED_FILES[usize::from(file)], [x, red]);
    }
}
