//! Palettes: the few colours that stand for all of a picture.

use std::cmp::Reverse;
use std::collections::HashMap;

use crate::picture::drawing::Colour;

/// Up to 255 colours, and one that stands for a pixel that stays as it is.
#[derive(Debug)]
pub(crate) struct Palette {
    bytes: Vec<u8>,
    colours: Vec<Colour>,
    /// Colours that were looked for.
    known: HashMap<Colour, u8>,
}

/// A colour and the number of its pixels.
type Counted = (Colour, u64);

impl Palette {
    /// The index of a pixel that stays as it is.
    pub(crate) const UNCHANGED: u8 = 255;

    /// The palette of pictures, by median cut: the colours are divided where most differences are. It depends on the pixels
    /// alone.
    pub(crate) fn of(pictures: &[Vec<Colour>]) -> Self {
        let mut counts = HashMap::<Colour, u64>::new();
        for &colour in pictures.iter().flatten() {
            *counts.entry(colour).or_default() += 1;
        }
        let mut all: Vec<Counted> = counts.into_iter().collect();
        // Hash maps have no order, and the palette must not depend on theirs.
        all.sort_unstable();
        let mut boxes = vec![all];
        while boxes.len() < usize::from(Self::UNCHANGED) {
            let spreads = boxes.iter().enumerate().map(|(at, part)| (spread(part), Reverse(at)));
            // The first one of equal weights.
            let Some(((weight, axis), Reverse(at))) = spreads.max() else { break };
            if weight == 0 {
                break;
            }
            let [low, high] = halves(boxes.swap_remove(at), axis);
            boxes.extend([low, high]);
        }
        let colours: Vec<Colour> = boxes.iter().map(|part| mean(part)).collect();
        let mut bytes = colours.as_flattened().to_vec();
        // The colour of `UNCHANGED` is never seen.
        bytes.resize(3 * 256, 0);
        Self { bytes, colours, known: HashMap::new() }
    }

    /// The colours as GIF has them.
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The indices of the nearest colours.
    pub(crate) fn indices(&mut self, picture: &[Colour]) -> Vec<u8> {
        picture.iter().map(|&colour| self.index(colour)).collect()
    }

    fn index(&mut self, colour: Colour) -> u8 {
        if let Some(&index) = self.known.get(&colour) {
            return index;
        }
        let nearest = (0..).zip(&self.colours).min_by_key(|(_, other)| distance(colour, **other));
        let index = nearest.map_or(0, |(index, _)| index);
        self.known.insert(colour, index);
        index
    }
}

fn distance(colour: Colour, other: Colour) -> u32 {
    let squares = colour.iter().zip(other).map(|(&a, b)| u32::from(a.abs_diff(b)).pow(2));
    squares.sum()
}

/// The weight of a part for being divided, and the axis along which it is: 0 for a single colour.
fn spread(part: &[Counted]) -> (u64, usize) {
    let pixels: u64 = part.iter().map(|(_, count)| count).sum();
    let ranges = (0..3).map(|axis| (range(part, axis), axis));
    let (range, axis) = ranges.max().unwrap_or_default();
    // The square root of the pixels: a few of another colour, such as the mark of the last move, are not lost.
    (range * range * pixels.isqrt(), axis)
}

/// The difference between the highest and the lowest value along an axis.
fn range(part: &[Counted], axis: usize) -> u64 {
    let values = part.iter().map(|(colour, _)| colour[axis]);
    let [low, high] = [values.clone().min(), values.max()].map(Option::unwrap_or_default);
    u64::from(high - low)
}

/// Divides a part along an axis where half of its pixels are on either side.
fn halves(mut part: Vec<Counted>, axis: usize) -> [Vec<Counted>; 2] {
    part.sort_unstable_by_key(|&(colour, _)| (colour[axis], colour));
    let pixels: u64 = part.iter().map(|(_, count)| count).sum();
    let mut seen = 0;
    let is_high = |&(_, count): &Counted| {
        seen += count;
        seen * 2 > pixels
    };
    let middle = part.iter().position(is_high);
    // Both halves keep a colour: a part with a weight has two or more.
    let at = middle.unwrap_or(part.len()).clamp(1, part.len() - 1);
    let high = part.split_off(at);
    [part, high]
}

fn mean(part: &[Counted]) -> Colour {
    let pixels: u64 = part.iter().map(|(_, count)| count).sum();
    [0, 1, 2].map(|axis| {
        let sum: u64 = part.iter().map(|(colour, count)| u64::from(colour[axis]) * count).sum();
        // Rounded; a mean of bytes is a byte.
        ((sum + pixels / 2) / pixels.max(1)) as u8
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_colours_are_kept_and_many_are_near() {
        let few = vec![[1, 2, 3], [200, 0, 0], [1, 2, 3]];
        let mut palette = Palette::of(std::slice::from_ref(&few));
        let indices = palette.indices(&few);
        let colour = |index: u8| &palette.bytes()[3 * usize::from(index)..][..3];
        assert_eq!(indices.iter().map(|&index| colour(index)).collect::<Vec<_>>(), few);
        let many: Vec<Colour> = (0..=255).flat_map(|at| [[at, 255 - at, 7], [at, 0, at]]).collect();
        let mut palette = Palette::of(std::slice::from_ref(&many));
        for (&colour, index) in many.iter().zip(palette.indices(&many)) {
            assert!(index < Palette::UNCHANGED);
            assert!(distance(colour, palette.colours[usize::from(index)]) < 40, "{colour:?}");
        }
        assert!(Palette::of(&[]).indices(&[]).is_empty());
    }
}
