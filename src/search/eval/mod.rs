mod gomoku;
pub mod xiangqi;
