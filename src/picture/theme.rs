//! Colours and measures of boards: those of the page in the browser.

use crate::picture::drawing::Colour;

/// The distance of lines.
pub(crate) const CELL: f32 = 100.0;
/// The edge around the board, where coordinates stand.
pub(crate) const MARGIN: f32 = 36.0;

pub(crate) const PLANK: Colour = [0xe2, 0xb8, 0x73];
pub(crate) const GRAIN: Colour = [122, 74, 24];
pub(crate) const GRAIN_OPACITY: f32 = 0.085;
pub(crate) const LINES: Colour = [0x6b, 0x44, 0x20];
pub(crate) const RIVER: Colour = [92, 54, 20];
pub(crate) const RIVER_OPACITY: f32 = 0.55;
pub(crate) const LABELS: Colour = [0x6b, 0x42, 0x18];
pub(crate) const RIM: Colour = [0xa9, 0x7a, 0x40];
pub(crate) const SHADOW: Colour = [30, 18, 6];
pub(crate) const SHADOW_OPACITY: f32 = 0.34;
pub(crate) const RED: Colour = [0xb0, 0x1e, 0x15];
pub(crate) const BLACK: Colour = [0x1d, 0x1a, 0x17];
pub(crate) const LAST: Colour = [0x0f, 0x5f, 0xa8];
pub(crate) const WHITE: Colour = [0xff; 3];

/// The light on the face of a piece: its middle and its reach around the middle of the piece, and its colours.
pub(crate) const LIGHT_AT: [f32; 2] = [-6.64, -13.28];
pub(crate) const LIGHT_RADIUS: f32 = 59.76;
pub(crate) const FACE: [(f32, Colour); 3] =
    [(0.0, [0xff, 0xf6, 0xe2]), (0.7, [0xf8, 0xe6, 0xc2]), (1.0, [0xe9, 0xcd, 0x98])];

pub(crate) const STONE_BLACK: Colour = [0x22, 0x1f, 0x1d];
pub(crate) const STONE_WHITE: Colour = [0xfb, 0xf8, 0xf1];
pub(crate) const STONE_EDGE: Colour = [0x9b, 0x90, 0x7f];
pub(crate) const ON_BLACK: Colour = [0xf1, 0xeb, 0xe0];
pub(crate) const ON_WHITE: Colour = [0x2a, 0x26, 0x22];
pub(crate) const LAST_STONE: Colour = [0xd2, 0x40, 0x1a];
