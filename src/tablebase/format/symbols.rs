//! Values as symbols and symbols as bytes: the symbols allowed for a slot, the choice among them,
//! and their packing.

use crate::tablebase::format::compress::BLOCK_LEN;
use crate::tablebase::value::Wdl;

/// The symbol of a loss in the WDL section.
pub(crate) const LOSS: u16 = 0;
/// The symbol of a draw in the WDL section.
pub(crate) const DRAWN: u16 = 1;
/// The symbol of a win in the WDL section.
pub(crate) const WIN: u16 = 2;

/// The symbol of a result.
pub(crate) const fn symbol_of(wdl: Wdl) -> u16 {
    match wdl {
        Wdl::Loss => LOSS,
        Wdl::Draw => DRAWN,
        Wdl::Win => WIN,
    }
}

/// The result that a symbol stands for.
pub(crate) const fn wdl_of(symbol: u16) -> Option<Wdl> {
    match symbol {
        LOSS => Some(Wdl::Loss),
        DRAWN => Some(Wdl::Draw),
        WIN => Some(Wdl::Win),
        _ => None,
    }
}

/// The kind of symbols that a stream has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Alphabet {
    /// [`LOSS`], [`DRAWN`] and [`WIN`].
    Results,
    /// Numbers of (order, distance) pairs, at most 256 of them.
    Numbers,
    /// Numbers of more pairs.
    WideNumbers,
    /// [`NO_MARK`] and [`LOOP_MARK`].
    LoopMarks,
}

/// The symbol of a win by rule at distance 1 where distances are rebuilt.
pub(crate) const LOOP_MARK: u16 = 1;
/// The symbol of any other value there.
pub(crate) const NO_MARK: u16 = 0;

/// The packing of the symbols of a stream into bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Packing {
    /// One symbol a byte.
    Bytes,
    /// Four symbols below 4 a byte, the first in the lowest bits.
    Quads,
    /// Five symbols below 3 a byte, the first the least significant digit in base 3.
    Fives,
    /// Two bytes a symbol: the low bytes of a block, then the high bytes.
    Wide,
}

impl Packing {
    /// The choices for symbols below 3.
    pub(crate) const WDL: [Self; 3] = [Self::Bytes, Self::Quads, Self::Fives];

    pub(crate) const fn byte(self) -> u8 {
        self as u8
    }

    pub(crate) fn from_byte(byte: u8) -> Option<Self> {
        [Self::Bytes, Self::Quads, Self::Fives, Self::Wide].into_iter().find(|p| p.byte() == byte)
    }

    /// Returns true if a stream can be packed like this.
    pub(crate) fn is_possible(self, alphabet: Alphabet) -> bool {
        match alphabet {
            Alphabet::Results | Alphabet::LoopMarks => Self::WDL.contains(&self),
            Alphabet::Numbers => self == Self::Bytes,
            Alphabet::WideNumbers => self == Self::Wide,
        }
    }

    /// Symbols whose places in a byte repeat.
    pub(crate) const fn per_byte(self) -> usize {
        match self {
            Self::Bytes | Self::Wide => 1,
            Self::Quads => 4,
            Self::Fives => 5,
        }
    }

    /// Symbols of a full block.
    pub(crate) const fn block_slots(self) -> u64 {
        (match self {
            Self::Bytes => BLOCK_LEN,
            Self::Quads => 4 * BLOCK_LEN,
            Self::Fives => 5 * BLOCK_LEN,
            Self::Wide => BLOCK_LEN / 2,
        }) as u64
    }

    /// Bytes of a block of this number of symbols.
    pub(crate) const fn raw_len(self, symbols: usize) -> usize {
        match self {
            Self::Bytes => symbols,
            Self::Quads => symbols.div_ceil(4),
            Self::Fives => symbols.div_ceil(5),
            Self::Wide => 2 * symbols,
        }
    }

    pub(crate) fn pack(self, symbols: &[u16], raw: &mut Vec<u8>) {
        raw.clear();
        match self {
            Self::Bytes => raw.extend(symbols.iter().map(|&symbol| symbol as u8)),
            Self::Quads => raw.extend(symbols.chunks(4).map(in_base(4))),
            Self::Fives => raw.extend(symbols.chunks(5).map(in_base(3))),
            Self::Wide => {
                raw.extend(symbols.iter().map(|&symbol| symbol as u8));
                // High bytes are nearly all alike; apart from the low ones they compress to almost nothing.
                raw.extend(symbols.iter().map(|&symbol| (symbol >> 8) as u8));
            }
        }
    }

    /// The symbol at a place of a decoded block. Damaged blocks may give symbols that no value has.
    #[inline]
    pub(crate) fn symbol(self, raw: &[u8], place: usize) -> u16 {
        match self {
            Self::Bytes => raw[place].into(),
            Self::Quads => (raw[place / 4] >> (2 * (place % 4)) & 3).into(),
            Self::Fives => FIVES[usize::from(raw[place / 5])][place % 5].into(),
            Self::Wide => u16::from(raw[place]) | u16::from(raw[raw.len() / 2 + place]) << 8,
        }
    }
}

/// Packs symbols as digits in a base, the first the least significant.
fn in_base(base: u8) -> impl Fn(&[u16]) -> u8 {
    move |part: &[u16]| part.iter().rev().fold(0, |byte, &s| byte * base + s as u8)
}

/// By byte: its digits in base 3, the least significant first; 3 for bytes that are no five digits.
const FIVES: [[u8; 5]; 256] = {
    let mut digits = [[3; 5]; 256];
    let mut byte = 0;
    // Three to the power of five.
    while byte < 243 {
        let mut rest = byte;
        let mut i = 0;
        while i < 5 {
            digits[byte][i] = (rest % 3) as u8;
            rest /= 3;
            i += 1;
        }
        byte += 1;
    }
    digits
};

/// The symbols that may stand for a slot: from `low` to `high`; one of them is the value's own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Allowed {
    pub(crate) low: u16,
    pub(crate) high: u16,
}

impl Allowed {
    /// Any symbol.
    pub(crate) const ANY: Self = Self { low: 0, high: u16::MAX };

    pub(crate) const fn only(symbol: u16) -> Self {
        Self { low: symbol, high: symbol }
    }

    const fn has(self, symbol: u16) -> bool {
        self.low <= symbol && symbol <= self.high
    }
}

/// The choice of symbols where several are allowed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Filling {
    /// The symbol before.
    Before,
    /// The symbol this number of slots before, and where that is not allowed, the symbol before.
    Above(usize),
}

impl Filling {
    /// Chooses the symbols of a block.
    pub(crate) fn fill(self, allowed: &[Allowed], start: u16, symbols: &mut Vec<u16>) {
        symbols.clear();
        let mut last = start;
        for (i, choice) in allowed.iter().enumerate() {
            if let Self::Above(period) = self
                && choice.low < choice.high
                && i >= period
                && choice.has(symbols[i - period])
            {
                last = symbols[i - period];
            } else {
                // The nearest symbol that is allowed: runs of equal symbols are as long as they can be,
                // which compresses best.
                last = last.clamp(choice.low, choice.high);
            }
            symbols.push(last);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn packing_keeps_symbols(symbols in prop::collection::vec(0u16..3, 1..100)) {
            for packing in [Packing::Bytes, Packing::Quads, Packing::Fives, Packing::Wide] {
                let mut raw = Vec::new();
                packing.pack(&symbols, &mut raw);
                prop_assert_eq!(raw.len(), packing.raw_len(symbols.len()));
                for (i, &symbol) in symbols.iter().enumerate() {
                    prop_assert_eq!(packing.symbol(&raw, i), symbol);
                }
                prop_assert_eq!(Packing::from_byte(packing.byte()), Some(packing));
            }
        }

        #[test]
        fn filling_keeps_to_what_is_allowed(
            ends in prop::collection::vec((0u16..9, 0u16..9), 1..60),
            period in 1usize..9,
        ) {
            let allowed: Vec<Allowed> =
                ends.iter().map(|&(a, b)| Allowed { low: a.min(b), high: a.max(b) }).collect();
            for filling in [Filling::Before, Filling::Above(period)] {
                let mut symbols = Vec::new();
                filling.fill(&allowed, 1, &mut symbols);
                prop_assert_eq!(symbols.len(), allowed.len());
                prop_assert!(symbols.iter().zip(&allowed).all(|(&s, a)| a.has(s)));
            }
        }
    }
}
