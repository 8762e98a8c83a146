//! Outlines: SVG's path data as segments, as far as the drawings of this room use it.

/// A part of an outline, with absolute coordinates.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Segment {
    Move([f32; 2]),
    Line([f32; 2]),
    Cubic([[f32; 2]; 3]),
    Close,
}

/// Reads path data of the commands `M`, `L`, `H`, `V`, `C` and `Z`, absolute and relative; `None` for anything else.
pub(crate) fn segments(data: &str) -> Option<Vec<Segment>> {
    let mut reader = Reader { rest: data.as_bytes(), at: [0.0; 2], start: [0.0; 2] };
    let mut segments = Vec::new();
    let mut command = None;
    loop {
        reader.skip_separators();
        let Some(&byte) = reader.rest.first() else { return Some(segments) };
        if byte.is_ascii_alphabetic() {
            command = Some(byte);
            reader.rest = &reader.rest[1..];
        }
        let segment = reader.segment(command?)?;
        // Further points behind a move are lines.
        command = match command {
            Some(b'M') => Some(b'L'),
            Some(b'm') => Some(b'l'),
            // Nothing but another command follows an outline that is closed.
            Some(b'Z' | b'z') => None,
            other => other,
        };
        segments.push(segment);
    }
}

struct Reader<'a> {
    rest: &'a [u8],
    at: [f32; 2],
    /// The point that closing leads back to.
    start: [f32; 2],
}

impl Reader<'_> {
    fn skip_separators(&mut self) {
        let blanks = self.rest.iter().take_while(|byte| matches!(byte, b' ' | b',')).count();
        self.rest = &self.rest[blanks..];
    }

    fn number(&mut self) -> Option<f32> {
        self.skip_separators();
        let mut has_point = false;
        // Numbers may stand without a separator: a sign, or a second point, begins the next one.
        let is_part = |(at, byte): &(usize, &u8)| match byte {
            b'-' => *at == 0,
            b'.' => !std::mem::replace(&mut has_point, true),
            _ => byte.is_ascii_digit(),
        };
        let length = self.rest.iter().enumerate().take_while(is_part).count();
        let (number, rest) = self.rest.split_at(length);
        self.rest = rest;
        std::str::from_utf8(number).ok()?.parse().ok()
    }

    fn point(&mut self, is_relative: bool) -> Option<[f32; 2]> {
        let [x, y] = [self.number()?, self.number()?];
        let [x0, y0] = if is_relative { self.at } else { [0.0; 2] };
        Some([x0 + x, y0 + y])
    }

    fn segment(&mut self, command: u8) -> Option<Segment> {
        let is_relative = command.is_ascii_lowercase();
        let [x0, y0] = if is_relative { self.at } else { [0.0; 2] };
        let segment = match command.to_ascii_uppercase() {
            b'M' => {
                self.start = self.point(is_relative)?;
                self.at = self.start;
                return Some(Segment::Move(self.at));
            }
            b'L' => Segment::Line(self.point(is_relative)?),
            b'H' => Segment::Line([x0 + self.number()?, self.at[1]]),
            b'V' => Segment::Line([self.at[0], y0 + self.number()?]),
            b'C' => {
                let [from, to] = [self.point(is_relative)?, self.point(is_relative)?];
                Segment::Cubic([from, to, self.point(is_relative)?])
            }
            b'Z' => {
                self.at = self.start;
                return Some(Segment::Close);
            }
            _ => return None,
        };
        if let Segment::Line(end) | Segment::Cubic([_, _, end]) = segment {
            self.at = end;
        }
        Some(segment)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_read_absolute_and_relative() {
        let read = |data| segments(data).unwrap();
        assert_eq!(
            read("M1 2l3-4h-.5V7z"),
            [
                Segment::Move([1.0, 2.0]),
                Segment::Line([4.0, -2.0]),
                Segment::Line([3.5, -2.0]),
                Segment::Line([3.5, 7.0]),
                Segment::Close
            ]
        );
        assert_eq!(read("M0 0 1,1"), [Segment::Move([0.0; 2]), Segment::Line([1.0; 2])]);
        assert_eq!(
            read("m1 1c1 0 2 0 3 3"),
            [Segment::Move([1.0; 2]), Segment::Cubic([[2.0, 1.0], [3.0, 1.0], [4.0, 4.0]])]
        );
        for wrong in ["1 2", "M1", "M1 2a1 1 0 0 0 1 1", "M1 2q1 1 1 1", "Mx", "M1 2z3 4"] {
            assert_eq!(segments(wrong), None, "{wrong}");
        }
    }
}
