//! The board of gomoku.

use std::collections::HashMap;

use crate::game::{Notation, Side};
use crate::gomoku::{Board, Point};
use crate::picture::board::{BoardLook, Coordinates, Pictured, Scene};
use crate::picture::drawing::{Drawing, Shape, text};
use crate::picture::points::{Grid, Spot};
use crate::picture::svg::push;
use crate::picture::theme::{
    CELL, LABELS, LAST_STONE, LINES, MARGIN, ON_BLACK, ON_WHITE, SHADOW, SHADOW_OPACITY,
    STONE_BLACK, STONE_EDGE, STONE_WHITE,
};
use crate::xiangqi::notation::MoveNotation;

/// The height of coordinates.
const LABEL: f32 = 27.0;

/// The dots of the usual board.
const STARS: [(u8, u8); 5] = [(3, 3), (11, 3), (3, 11), (11, 11), (7, 7)];

impl Pictured for Board {
    const MOVES_A_NUMBER: usize = 1;

    fn extent(&self) -> [u8; 2] {
        [self.width(), self.height()]
    }

    fn spots_of(mv: Point) -> Vec<Spot> {
        vec![spot_of(mv)]
    }

    fn text_of(&self, mv: Point, _notation: MoveNotation) -> String {
        Self::move_text(mv)
    }

    fn draw_ground(drawing: &mut Drawing, grid: Grid, _look: BoardLook) {
        let [width, height] = drawing.size;
        let first = MARGIN + CELL / 2.0;
        let mut path = String::new();
        for column in 0..grid.columns {
            let x = first + CELL * f32::from(column);
            push(&mut path, format_args!("M{x} {first}V{}", height - first));
        }
        for row in 0..grid.rows {
            let y = first + CELL * f32::from(row);
            push(&mut path, format_args!("M{first} {y}H{}", width - first));
        }
        drawing.add(Shape::path(path).stroked(LINES, 2.0));
        if [grid.columns, grid.rows] == [15, 15] {
            for (column, row) in STARS {
                let star = Shape::circle(grid.place(Spot { column, row }), 9.0);
                drawing.add(star.filled(LINES));
            }
        }
    }

    fn draw_pieces(drawing: &mut Drawing, grid: Grid, scene: &Scene<'_, Self>) {
        let numbers: HashMap<Point, usize> = match scene.look.is_numbered {
            true => scene.moves.iter().copied().zip(1..).collect(),
            false => HashMap::new(),
        };
        let last = scene.moves.last().copied();
        for point in scene.position.points() {
            let Some(side) = scene.position.stone(point) else { continue };
            let place = grid.place(spot_of(point));
            let (name, ink) = match side {
                Side::First => ("stone-x", ON_BLACK),
                Side::Second => ("stone-o", ON_WHITE),
            };
            drawing.add_symbol(name, place, || stone_shapes(side));
            let is_last = last == Some(point);
            if let Some(number) = numbers.get(&point) {
                let size = if *number < 100 { 46.0 } else { 38.0 };
                for shape in text(&number.to_string(), place, size, ink) {
                    drawing.add(shape);
                }
                if is_last {
                    drawing.add(Shape::circle(place, 44.0).stroked(LAST_STONE, 7.0));
                }
            } else if is_last {
                drawing.add(Shape::circle(place, 13.0).filled(LAST_STONE));
            }
        }
    }

    fn draw_labels(drawing: &mut Drawing, grid: Grid, look: BoardLook) {
        if look.coordinates == Coordinates::None {
            return;
        }
        let height = drawing.size[1];
        let first = MARGIN + CELL / 2.0;
        for column in 0..grid.columns {
            let letter = char::from(b'a' + grid.seen(column, 0).column).to_string();
            add_label(drawing, &letter, [first + CELL * f32::from(column), height - MARGIN * 0.6]);
        }
        for row in 0..grid.rows {
            let number = (grid.seen(0, row).row + 1).to_string();
            add_label(drawing, &number, [MARGIN * 0.75, first + CELL * f32::from(row)]);
        }
    }
}

fn add_label(drawing: &mut Drawing, words: &str, middle: [f32; 2]) {
    for shape in text(words, middle, LABEL, LABELS) {
        drawing.add(shape);
    }
}

const fn spot_of(point: Point) -> Spot {
    Spot { column: point.column(), row: point.row() }
}

fn stone_shapes(side: Side) -> Vec<Shape> {
    let face = Shape::circle([0.0; 2], 44.0);
    let face = match side {
        Side::First => face.filled(STONE_BLACK),
        Side::Second => face.filled(STONE_WHITE).stroked(STONE_EDGE, 2.0),
    };
    vec![Shape::circle([0.0, 4.0], 45.0).filled(SHADOW).opaque(SHADOW_OPACITY), face]
}
