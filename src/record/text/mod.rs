//! Formats of lines and blocks of text: PGN, move lists, tables, JSON lines, WXF, texts of web pages.

pub(crate) mod dhtmlxq;
pub(crate) mod export;
pub(crate) mod jsonl;
pub(crate) mod move_words;
pub(crate) mod pgn;
pub(crate) mod pgn_writer;
pub(crate) mod plain;
pub(crate) mod scan;
pub(crate) mod split;
pub(crate) mod table;
pub(crate) mod typed;
pub(crate) mod wxf;
mod xiangqi;
