pub mod gomoku;
pub mod xiangqi;
