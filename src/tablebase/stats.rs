//! What a table's header tells people.

use super::format::SideCounts;
use super::material::Material;
use super::probe::{ProbeError, Tables};
use super::table::position_of;
use super::value::{Metric, Rules};
use crate::game::{BySide, Side};
use crate::xiangqi::{Position, Setup};

/// The counts of a table, by side to move, the canonical first side being Red.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stats {
    /// Which table.
    pub material: Material,
    /// Which repetition rules.
    pub rules: Rules,
    /// What distances count.
    pub metric: Metric,
    /// By side to move.
    pub sides: BySide<SideStats>,
    /// Slots per side to move.
    pub slots: u64,
    /// Size of the file.
    pub bytes: u64,
    /// The content hash, independent of numbering and compression.
    pub content: [u8; 32],
}

/// The counts with one side to move.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SideStats {
    /// Results of all positions.
    pub counts: SideCounts,
    /// A position with the longest win of order 0, if there is one.
    pub longest: Option<Position>,
}

impl Stats {
    /// The same with the sides exchanged: the canonical second side being Red.
    #[must_use]
    pub fn swapped(self) -> Self {
        let turn = |side: SideStats| SideStats { longest: side.longest.map(exchanged), ..side };
        Self { sides: self.sides.swapped().map(turn), ..self }
    }
}

impl Tables {
    /// The counts of a table.
    ///
    /// # Errors
    ///
    /// If the table is missing or its header damaged.
    pub fn stats(&self, material: Material) -> Result<Stats, ProbeError> {
        let file = self.file(material)?;
        let side_stats = |side: Side| {
            let counts = file.header.counts[side.index()];
            let slot = counts.longest_slot;
            let longest = slot.and_then(|slot| {
                if material.is_symmetric() {
                    let position = position_of(&file.index, 0, slot)?;
                    Some(if side == Side::Second { exchanged(position) } else { position })
                } else {
                    position_of(&file.index, side.index(), slot)
                }
            });
            SideStats { counts, longest }
        };
        Ok(Stats {
            material,
            rules: self.rules(),
            metric: self.metric(),
            sides: BySide::new_with(side_stats),
            slots: file.header.slots,
            bytes: file.bytes(),
            content: file.header.content,
        })
    }
}

/// The position with the colours exchanged and the board turned.
#[expect(clippy::needless_pass_by_value, reason = "maps one position to another")]
fn exchanged(position: Position) -> Position {
    let mut setup = Setup::empty();
    for square in position.occupied() {
        if let Some(piece) = position.piece_at(square) {
            let piece = crate::xiangqi::Piece::new(!piece.side(), piece.role());
            setup.board[square.flipped().index()] = Some(piece);
        }
    }
    setup.turn = !position.turn();
    Position::from_setup_unchecked(&setup)
}
