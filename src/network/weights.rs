//! The weights, and the file that they are read from.
//!
//! ```text
//! offset  size  field
//!      0     8  magic "JZNET\0\0\0"
//!      8     4  version, 2
//!     12     4  crc32 of all that follows
//!     16    28  numbers of features, of pairs of units, of outputs; the integers for 1 of units and of weights of the
//!               output; centipawns for 1 of the output; 0 if it is the evaluation, 1 if it is added to the
//!               classical one
//!     44        weights of the features, i16: a row of pairs for each kind and square, own kinds first
//!               bias of the units, i16
//!               weights of the outputs, i16: for each output those of the side to move, then of the other
//!               bias of the outputs, i32
//! ```
//!
//! All numbers are little-endian.

use std::sync::{Arc, LazyLock};

use super::units::{MOST_HIDDEN, MOST_OUTPUT, PAIRS, UNIT_HIDDEN, UNIT_OUTPUT, Units};
use crate::xiangqi::{Bitboard, Piece, Square};

const MAGIC: [u8; 8] = *b"JZNET\0\0\0";
const VERSION: u32 = 2;
/// Bytes before the weights.
const HEAD: usize = 44;
/// The first byte that the check covers.
const CHECKED: usize = 16;
/// Kinds of men on squares.
const FEATURES: usize = Piece::COUNT * Square::COUNT;
/// Outputs, by the number of men.
const OUTPUTS: usize = 8;
/// Centipawns that the output may stand for at most.
const MOST_SCALE: u32 = 10_000;
/// Greater biases of the outputs are refused.
const MOST_OUTPUT_BIAS: u32 = 1 << 30;
/// Bytes of a file.
const LEN: usize = HEAD + 2 * PAIRS * (FEATURES + 1 + 2 * OUTPUTS) + 4 * OUTPUTS;

/// The weights of a network, checked: no sum of them overflows.
pub struct Network {
    /// By feature.
    rows: Vec<Units>,
    bias: Units,
    outputs: [Output; OUTPUTS],
    scale: i32,
    is_correction: bool,
    digest: blake3::Hash,
}

/// The weights of an output.
#[derive(Debug, Clone, Copy)]
struct Output {
    /// Of the view of the side to move, and of the other.
    weights: [Units; 2],
    bias: i32,
}

/// The reason why bytes are no network of this program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NetworkError {
    /// Another kind of file.
    #[error("not a network of this program")]
    Magic,
    /// Another version of the format.
    #[error("a network of version {found}, but this program reads version 2")]
    Version {
        /// Version in the file.
        found: u32,
    },
    /// Another number of weights than this program computes with.
    #[error("a network of another shape")]
    Shape,
    /// Changed or cut since it was written.
    #[error("a damaged network: its check fails")]
    Damaged,
    /// A weight that sums could overflow with.
    #[error("a network with weights out of range")]
    Range,
}

/// The file of the network that is part of the program.
static BUILT_IN: &[u8] = include_bytes!("xiangqi.jznet");

impl Network {
    /// The network that is part of the program.
    #[must_use]
    pub fn built_in() -> Arc<Self> {
        static NETWORK: LazyLock<Arc<Network>> = LazyLock::new(|| {
            Arc::new(Network::from_bytes(BUILT_IN).expect("the program's own network can be read"))
        });
        Arc::clone(&NETWORK)
    }

    /// Reads a file, whole.
    ///
    /// # Errors
    ///
    /// If it is not the file of a network that this program computes with, or damaged.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, NetworkError> {
        let head = check(bytes)?;
        let mut rest = &bytes[HEAD..];
        let hidden = shorts(&mut rest, FEATURES * PAIRS);
        let bias = shorts(&mut rest, PAIRS);
        let outputs = shorts(&mut rest, OUTPUTS * 2 * PAIRS);
        let output_bias: Vec<i32> = words(rest).into_iter().map(u32::cast_signed).collect();
        let within =
            |weights: &[i16], most: i16| weights.iter().all(|w| (-most..=most).contains(w));
        let is_within = within(&hidden, MOST_HIDDEN)
            && within(&bias, MOST_HIDDEN)
            && within(&outputs, MOST_OUTPUT)
            && output_bias.iter().all(|bias| bias.unsigned_abs() <= MOST_OUTPUT_BIAS)
            && head.scale <= MOST_SCALE;
        if !is_within {
            return Err(NetworkError::Range);
        }
        Ok(Self {
            rows: (0..FEATURES).map(|feature| row(&hidden, feature)).collect(),
            bias: Units::of_halves(&bias, &bias),
            outputs: std::array::from_fn(|i| Output {
                weights: [2 * i, 2 * i + 1].map(|at| {
                    let half = &outputs[at * PAIRS..(at + 1) * PAIRS];
                    Units::of_halves(half, half)
                }),
                bias: output_bias[i],
            }),
            scale: head.scale.cast_signed(),
            is_correction: head.is_correction,
            digest: blake3::hash(bytes),
        })
    }

    /// The BLAKE3 digest of the file, by which networks are told apart.
    #[must_use]
    pub fn digest(&self) -> String {
        self.digest.to_hex().to_string()
    }

    /// Returns true if what the network computes is added to the classical evaluation.
    #[must_use]
    pub const fn is_correction(&self) -> bool {
        self.is_correction
    }

    /// The units of an empty board.
    pub(super) const fn bias(&self) -> &Units {
        &self.bias
    }

    /// The weights of a man as Red and as Black see it.
    #[inline(always)]
    pub(super) fn rows(&self, piece: Piece, square: Square) -> [&Units; 2] {
        let kind = piece.index();
        // Half of the kinds are one side's: each side sees its own first, and the board from its own edge.
        let other_kind = (kind + Piece::COUNT / 2) % Piece::COUNT;
        [
            &self.rows[kind * Square::COUNT + square.index()],
            &self.rows[other_kind * Square::COUNT + square.flipped().index()],
        ]
    }

    /// The evaluation in centipawns from the views of the side to move and of the other.
    #[inline(always)]
    pub(super) fn output(&self, own: &Units, other: &Units, occupied: Bitboard) -> i32 {
        let men = occupied.len() as usize;
        // An output for 1 to 4 men, one for 5 to 8, and so on up to 32.
        let output = &self.outputs[(men.saturating_sub(1) / 4).min(OUTPUTS - 1)];
        let sum = own.weighed(&output.weights[0]) + other.weighed(&output.weights[1]);
        // The product with the scale may need 64 bits; the bounds of the bias and the scale keep the quotient
        // within 32 bits.
        let unit = i64::from(UNIT_HIDDEN).pow(2) * i64::from(UNIT_OUTPUT);
        ((i64::from(sum) + i64::from(output.bias)) * i64::from(self.scale) / unit) as i32
    }
}

impl std::fmt::Debug for Network {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Network").field("digest", &self.digest()).finish_non_exhaustive()
    }
}

/// The numbers before the weights that may differ from one network to another.
struct Head {
    scale: u32,
    is_correction: bool,
}

/// Checks everything of a file but the weights.
fn check(bytes: &[u8]) -> Result<Head, NetworkError> {
    if bytes.len() < HEAD || bytes[..8] != MAGIC {
        return Err(NetworkError::Magic);
    }
    let head = words(&bytes[8..HEAD]);
    let [version, crc, shape @ .., scale, correction] = &head[..] else {
        return Err(NetworkError::Magic);
    };
    if *version != VERSION {
        return Err(NetworkError::Version { found: *version });
    }
    let units = [UNIT_HIDDEN, UNIT_OUTPUT].map(i16::unsigned_abs).map(u32::from);
    let expected = [FEATURES as u32, PAIRS as u32, OUTPUTS as u32, units[0], units[1]];
    if crc32fast::hash(&bytes[CHECKED..]) != *crc {
        return Err(NetworkError::Damaged);
    }
    if *shape != expected || *correction > 1 || bytes.len() != LEN {
        return Err(NetworkError::Shape);
    }
    Ok(Head { scale: *scale, is_correction: *correction == 1 })
}

/// The row of a feature with that of its mirror image.
fn row(hidden: &[i16], feature: usize) -> Units {
    let square = Square::from_index(feature % Square::COUNT);
    let mirrored = feature - square.index() + square.mirrored().index();
    let half = |feature: usize| &hidden[feature * PAIRS..(feature + 1) * PAIRS];
    Units::of_halves(half(feature), half(mirrored))
}

/// Takes `len` numbers of 16 bits from the front of `rest`.
fn shorts(rest: &mut &[u8], len: usize) -> Vec<i16> {
    let (taken, left) = rest.split_at(2 * len);
    *rest = left;
    taken.as_chunks().0.iter().map(|&bytes| i16::from_le_bytes(bytes)).collect()
}

/// Numbers of 32 bits.
fn words(bytes: &[u8]) -> Vec<u32> {
    bytes.as_chunks().0.iter().map(|&bytes| u32::from_le_bytes(bytes)).collect()
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// The file of a network whose weights `weight` makes of their bounds.
    pub(in crate::network) fn file(mut weight: impl FnMut(i16) -> i16) -> Vec<u8> {
        let mut body = Vec::new();
        let units = [UNIT_HIDDEN as u32, UNIT_OUTPUT as u32];
        for word in [FEATURES as u32, PAIRS as u32, OUTPUTS as u32, units[0], units[1], 300, 0] {
            body.extend_from_slice(&word.to_le_bytes());
        }
        let bounds = [
            (FEATURES * PAIRS, MOST_HIDDEN),
            (PAIRS, MOST_HIDDEN),
            (OUTPUTS * 2 * PAIRS, MOST_OUTPUT),
        ];
        for (len, most) in bounds {
            for _ in 0..len {
                body.extend_from_slice(&weight(most).to_le_bytes());
            }
        }
        for _ in 0..OUTPUTS {
            body.extend_from_slice(&(i32::from(weight(1000)) * 1000).to_le_bytes());
        }
        seal(&body)
    }

    /// The file of the same weights, as those of a correction.
    pub(in crate::network) fn as_correction(bytes: &[u8]) -> Vec<u8> {
        let mut body = bytes[CHECKED..].to_vec();
        body[24] = 1;
        seal(&body)
    }

    fn seal(body: &[u8]) -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        bytes.extend_from_slice(&VERSION.to_le_bytes());
        bytes.extend_from_slice(&crc32fast::hash(body).to_le_bytes());
        bytes.extend_from_slice(body);
        bytes
    }

    fn refusal(bytes: &[u8]) -> NetworkError {
        Network::from_bytes(bytes).unwrap_err()
    }

    #[test]
    fn damaged_and_foreign_files_are_refused() {
        let whole = file(|most| most / 3);
        assert_eq!(whole.len(), LEN);
        Network::from_bytes(&whole).unwrap();
        for at in [16, 20, HEAD, HEAD + 777, LEN - 1] {
            let mut other = whole.clone();
            other[at] ^= 4;
            assert_eq!(refusal(&other), NetworkError::Damaged);
        }
        for len in [0, 7, HEAD - 1] {
            assert_eq!(refusal(&whole[..len]), NetworkError::Magic);
        }
        assert_eq!(refusal(&whole[..LEN - 1]), NetworkError::Damaged);
        assert_eq!(refusal(&seal(&whole[CHECKED..LEN - 4])), NetworkError::Shape);
        let mut other = whole.clone();
        other[8] = 9;
        assert_eq!(refusal(&other), NetworkError::Version { found: 9 });
        let mut body = whole[CHECKED..].to_vec();
        body[4] += 1;
        assert_eq!(refusal(&seal(&body)), NetworkError::Shape);
        body[4] -= 1;
        body[24] = 2;
        assert_eq!(refusal(&seal(&body)), NetworkError::Shape);
        assert_eq!(refusal(&file(|most| most + 1)), NetworkError::Range);
        assert_eq!(refusal(&file(|_| i16::MIN)), NetworkError::Range);
    }

    #[test]
    fn the_network_of_the_program_is_the_documented_one() {
        let network = Network::built_in();
        assert!(!network.is_correction());
        let card = include_str!("../../docs/lab/network.md");
        assert!(
            card.contains(&network.digest()),
            "{} is not in docs/lab/network.md",
            network.digest()
        );
    }

    #[test]
    fn networks_are_told_apart() {
        let [one, other] =
            [3, 4].map(|part| Network::from_bytes(&file(|most| most / part)).unwrap());
        assert_ne!(one.digest(), other.digest());
        assert_eq!(one.digest().len(), 64);
        assert!(!one.is_correction());
        let correction = Network::from_bytes(&as_correction(&file(|most| most / 3))).unwrap();
        assert!(correction.is_correction());
        assert_ne!(correction.digest(), one.digest());
    }
}
