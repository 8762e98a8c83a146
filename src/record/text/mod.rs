//! Formats of lines and blocks of text: PGN, move lists, tables, JSON lines, WXF, texts of web pages.

pub(super) mod dhtmlxq;
pub(super) mod export;
pub(super) mod jsonl;
pub(super) mod pgn;
pub(super) mod pgn_writer;
pub(super) mod plain;
pub(super) mod scan;
pub(super) mod single;
pub(super) mod split;
pub(super) mod table;
pub(super) mod typed;
pub(super) mod utf16;
pub(super) mod wxf;
mod xiangqi;
