//! Material with which nobody can win.

use crate::game::Side;
use crate::xiangqi::piece::Role;
use crate::xiangqi::position::Position;

impl Position {
    /// Returns true if no sequence of legal moves, however helpful, ends in mate or stalemate. So
    /// it is with these pieces and with fewer of them, and with no others:
    ///
    /// - advisors and elephants;
    /// - a cannon, both sides' elephants;
    /// - a cannon against an advisor and elephants;
    /// - a cannon against a cannon.
    ///
    /// In the endgame tables of these sets (`KAABBvKAABB`, `KCBBvKBB`, `KCvKABB`, `KCvKC`) every
    /// position is drawn. With one piece more there are mates (`KCvKAA`, `KCBvKA`, `KCBvKC`, `KCAvK`,
    /// `KCCvK`).
    #[must_use]
    #[inline]
    pub fn is_dead(&self) -> bool {
        let strong = self.role(Role::Rook) | self.role(Role::Horse) | self.role(Role::Pawn);
        strong.is_empty() && self.cannons_are_idle()
    }

    /// Returns true if the cannons, beside advisors and elephants, have nothing to mate with.
    fn cannons_are_idle(&self) -> bool {
        let cannons = self.role(Role::Cannon);
        let advisors = self.role(Role::Advisor);
        let elephants = self.role(Role::Elephant);
        match cannons.len() {
            0 => true,
            1 => {
                let owner = if cannons.meets(self.side(Side::First)) {
                    self.side(Side::First)
                } else {
                    self.side(Side::Second)
                };
                advisors.is_empty()
                    || advisors.len() == 1 && !owner.meets(advisors) && !owner.meets(elephants)
            }
            2 => {
                let is_one_each =
                    cannons.meets(self.side(Side::First)) && cannons.meets(self.side(Side::Second));
                is_one_each && (advisors | elephants).is_empty()
            }
            _ => false,
        }
    }
}
