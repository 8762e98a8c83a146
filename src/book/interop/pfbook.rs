//! `.pfBook`: the SQLite books of 鹏飞 and 佳佳 (`PengFei`, `JiaJia`), table `pfBook`. Keys and moves are those of
//! [`.obk`](super::obk); keys are always signed integers.

use crate::book::interop::BookFormat;
use crate::book::interop::sqlite::Layout;

/// The table, and the one with the version beside it.
pub(crate) const LAYOUT: Layout = Layout {
    format: BookFormat::PfBook,
    table: "pfBook",
    columns: super::obk::LAYOUT.columns,
    create: "CREATE TABLE pfBook(id INTEGER PRIMARY KEY AUTOINCREMENT, vkey INTEGER, vmove INTEGER, \
             vscore INTEGER, vwin INTEGER, vdraw INTEGER, vlost INTEGER, vvalid INTEGER, vmemo TEXT, \
             vindex INTEGER); \
             CREATE TABLE bookVersion([key] text, [version] text); \
             INSERT INTO bookVersion VALUES('pfBook', '1.0.0.0')",
    create_index: "CREATE INDEX idxkey ON pfBook(vkey)",
};
