//! The weight of a move as a formula over its sums.

use std::fmt;
use std::str::FromStr;

use crate::book::model::move_stats::MoveStats;
use crate::game::Side;

/// The longest formula, in bytes.
pub const MAX_FORMULA: usize = 200;

/// The deepest nesting of brackets and signs.
const MAX_DEPTH: usize = 32;

/// The largest number in a formula.
const MAX_NUMBER: i128 = 1_000_000_000_000;

/// A formula such as `3*w+d-l`, evaluated in integers.
///
/// Variables are `w`, `d` and `l`, the games that the mover won, drew and lost; `u`, those without known
/// result; `n`, all of them; `r`, the mean rating of those who made the move, 0 if none is known; `y`, the
/// last year in which it was played, 0 if none is known. There are `+`, `-`, `*`, `/`, brackets, and
/// `max(a,b,…)` and `min(a,b,…)`. Quotients are rounded toward zero, and a quotient by zero is zero. Sums and
/// products that exceed 127 bits stay at the bound; a negative result counts as 0, one above 64 bits as the
/// greatest of 64 bits.
///
/// ```
/// use juzhong::book::{MoveStats, Weight};
/// use juzhong::game::Side;
///
/// let stats = MoveStats { games: 10, first: 6, draws: 3, second: 1, ..MoveStats::default() };
/// let weight: Weight = "3*w + d - l".parse()?;
/// assert_eq!(weight.of(&stats, Side::First), 20);
/// assert_eq!(weight.of(&stats, Side::Second), 0); // 3 + 3 - 6
/// assert!("w / x".parse::<Weight>().is_err());
/// # Ok::<(), juzhong::book::WeightError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Weight {
    /// Without blanks, in lower case.
    text: String,
    term: Term,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Term {
    Number(i128),
    Variable(Variable),
    Negative(Box<Self>),
    Pair(Operator, Box<[Self; 2]>),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Variable {
    Wins,
    Draws,
    Losses,
    Unknown,
    Games,
    Rating,
    Year,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Operator {
    Add,
    Subtract,
    Multiply,
    Divide,
    Max,
    Min,
}

/// A fault in a formula.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error, crate::message::ToMessage)]
#[error("column {column}: {what}")]
pub struct WeightError {
    /// The character at fault, from 1.
    pub column: usize,
    /// The fault there.
    pub what: &'static str,
}

impl Weight {
    /// The weight of a move that `mover` makes.
    #[must_use]
    pub fn of(&self, stats: &MoveStats, mover: Side) -> u64 {
        let value = self.term.value(&|variable| variable.value(stats, mover));
        u64::try_from(value.max(0)).unwrap_or(u64::MAX)
    }
}

/// Two points for a win of the mover, one for a draw or an unknown result: `2*w+d+u`.
impl Default for Weight {
    fn default() -> Self {
        let wins = [Term::Number(2), variable(Variable::Wins)];
        let wins = Term::Pair(Operator::Multiply, Box::new(wins));
        let term = sum(sum(wins, variable(Variable::Draws)), variable(Variable::Unknown));
        Self { text: "2*w+d+u".to_owned(), term }
    }
}

/// The sum of two terms.
fn sum(a: Term, b: Term) -> Term {
    Term::Pair(Operator::Add, Box::new([a, b]))
}

/// A term of one variable.
const fn variable(v: Variable) -> Term {
    Term::Variable(v)
}

impl fmt::Display for Weight {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl FromStr for Weight {
    type Err = WeightError;

    fn from_str(text: &str) -> Result<Self, WeightError> {
        if text.len() > MAX_FORMULA {
            return Err(WeightError { column: MAX_FORMULA, what: "the formula is too long" });
        }
        let mut parser = Parser { text: text.as_bytes(), at: 0, depth: 0 };
        let term = parser.sum()?;
        if parser.peek().is_some() {
            return Err(parser.error("an operator (+ - * /) or the end is expected here"));
        }
        let text = text.split_whitespace().collect::<String>().to_ascii_lowercase();
        Ok(Self { text, term })
    }
}

impl Term {
    fn value(&self, variable: &impl Fn(Variable) -> i128) -> i128 {
        match self {
            Self::Number(number) => *number,
            Self::Variable(name) => variable(*name),
            Self::Negative(term) => term.value(variable).saturating_neg(),
            Self::Pair(operator, pair) => {
                let [a, b] = pair.each_ref().map(|term| term.value(variable));
                operator.apply(a, b)
            }
        }
    }
}

impl Variable {
    fn value(self, stats: &MoveStats, mover: Side) -> i128 {
        match self {
            Self::Wins => stats.wins(mover).into(),
            Self::Draws => stats.draws.into(),
            Self::Losses => stats.wins(!mover).into(),
            Self::Unknown => stats.unknown().into(),
            Self::Games => stats.games.into(),
            Self::Rating => stats.mean_rating().unwrap_or(0).into(),
            Self::Year => stats.years.map_or(0, |years| years.max.into()),
        }
    }
}

impl Operator {
    fn apply(self, a: i128, b: i128) -> i128 {
        match self {
            Self::Add => a.saturating_add(b),
            Self::Subtract => a.saturating_sub(b),
            Self::Multiply => a.saturating_mul(b),
            Self::Divide if b == 0 => 0,
            Self::Divide => a.saturating_div(b),
            Self::Max => a.max(b),
            Self::Min => a.min(b),
        }
    }
}

/// Recursive descent: a sum of products of factors.
struct Parser<'a> {
    text: &'a [u8],
    at: usize,
    depth: usize,
}

impl Parser<'_> {
    fn sum(&mut self) -> Result<Term, WeightError> {
        let mut sum = self.product()?;
        loop {
            let operator = match self.peek() {
                Some(b'+') => Operator::Add,
                Some(b'-') => Operator::Subtract,
                _ => return Ok(sum),
            };
            self.at += 1;
            sum = Term::Pair(operator, Box::new([sum, self.product()?]));
        }
    }

    fn product(&mut self) -> Result<Term, WeightError> {
        let mut product = self.factor()?;
        loop {
            let operator = match self.peek() {
                Some(b'*') => Operator::Multiply,
                Some(b'/') => Operator::Divide,
                _ => return Ok(product),
            };
            self.at += 1;
            product = Term::Pair(operator, Box::new([product, self.factor()?]));
        }
    }

    fn factor(&mut self) -> Result<Term, WeightError> {
        if self.depth == MAX_DEPTH {
            return Err(self.error("nested too deeply"));
        }
        self.depth += 1;
        let term = match self.peek() {
            Some(b'(') => {
                self.at += 1;
                let term = self.sum()?;
                self.expect(b')', "a closing bracket is expected here")?;
                term
            }
            Some(b'-') => {
                self.at += 1;
                Term::Negative(Box::new(self.factor()?))
            }
            Some(b'0'..=b'9') => self.number()?,
            Some(byte) if byte.is_ascii_alphabetic() => self.word()?,
            _ => return Err(self.error("a number, a variable or a bracket is expected here")),
        };
        self.depth -= 1;
        Ok(term)
    }

    fn number(&mut self) -> Result<Term, WeightError> {
        let mut number = 0i128;
        while let Some(digit @ b'0'..=b'9') = self.text.get(self.at) {
            // The limit holds after each digit, so that no number of digits overflows.
            number = 10 * number + i128::from(digit - b'0');
            if number > MAX_NUMBER {
                return Err(self.error("a number above 1000000000000"));
            }
            self.at += 1;
        }
        Ok(Term::Number(number))
    }

    fn word(&mut self) -> Result<Term, WeightError> {
        let rest = &self.text[self.at..];
        let len = rest.iter().take_while(|byte| byte.is_ascii_alphanumeric()).count();
        let variable = match rest[..len].to_ascii_lowercase().as_slice() {
            b"w" => Variable::Wins,
            b"d" => Variable::Draws,
            b"l" => Variable::Losses,
            b"u" => Variable::Unknown,
            b"n" => Variable::Games,
            b"r" => Variable::Rating,
            b"y" => Variable::Year,
            b"max" => return self.extreme(len, Operator::Max),
            b"min" => return self.extreme(len, Operator::Min),
            _ => return Err(self.error("there are w, d, l, u, n, r, y, max(…) and min(…) only")),
        };
        self.at += len;
        Ok(Term::Variable(variable))
    }

    /// The brackets after `max` or `min`, whose name is `len` bytes long.
    fn extreme(&mut self, len: usize, operator: Operator) -> Result<Term, WeightError> {
        self.at += len;
        self.expect(b'(', "an opening bracket is expected here")?;
        let mut extreme = self.sum()?;
        while self.peek() == Some(b',') {
            self.at += 1;
            extreme = Term::Pair(operator, Box::new([extreme, self.sum()?]));
        }
        self.expect(b')', "a comma or a closing bracket is expected here")?;
        Ok(extreme)
    }

    fn expect(&mut self, byte: u8, what: &'static str) -> Result<(), WeightError> {
        if self.peek() != Some(byte) {
            return Err(self.error(what));
        }
        self.at += 1;
        Ok(())
    }

    /// The next byte that is no blank.
    fn peek(&mut self) -> Option<u8> {
        let rest = &self.text[self.at..];
        self.at += rest.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
        self.text.get(self.at).copied()
    }

    fn error(&self, what: &'static str) -> WeightError {
        // Columns are counted in characters.
        let before = str::from_utf8(&self.text[..self.at]).unwrap_or_default();
        WeightError { column: before.chars().count() + 1, what }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::book::model::move_stats::Years;
    use crate::book::model::move_stats::tests::any_tally;
    use proptest::prelude::*;

    fn stats() -> MoveStats {
        MoveStats {
            games: 20,
            first: 7,
            draws: 5,
            second: 3,
            rating_sum: 4_601,
            rating_count: 2,
            years: Some(Years { min: 1988, max: 2004 }),
        }
    }

    fn red(formula: &str) -> u64 {
        formula.parse::<Weight>().unwrap().of(&stats(), Side::First)
    }

    #[test]
    fn formulas_have_their_values() {
        for (formula, expected) in [
            ("3*w+d-l", 23),
            (" 3 * W + D - L ", 23),
            ("n", 20),
            ("u", 5),
            ("r", 2300),
            ("y - 1990", 14),
            ("w-(d-l)", 5),
            ("w-d-l", 0),
            ("l-w", 0),
            ("-(l-w)", 4),
            ("--w", 7),
            ("2*(w+d)/3", 8),
            ("(l-w)/3+1", 0),
            ("100*w/(w+d+l)", 46),
            ("w/0", 0),
            ("5+w/(l-3)", 5),
            ("max(w,d,l)-min(w,d,l)", 4),
            ("max(w)", 7),
            ("1000000000000*1000000000000", u64::MAX),
        ] {
            assert_eq!(red(formula), expected, "{formula}");
        }
        let formula: Weight = "3*w+d-l".parse().unwrap();
        assert_eq!(formula.of(&stats(), Side::Second), 7);
        assert_eq!(formula.of(&MoveStats::default(), Side::First), 0);
        let huge = "1000000000000*".repeat(13) + "1000000000000";
        assert_eq!(red(&huge), u64::MAX);
        assert_eq!(red(&format!("-({huge})")), 0);
    }

    #[test]
    fn errors_say_where() {
        for (formula, column) in [
            ("", 1),
            ("  ", 3),
            ("3*w+", 5),
            ("3*x", 3),
            ("w d", 3),
            ("(w", 3),
            ("w)", 2),
            ("max w", 5),
            ("max(w;d)", 6),
            ("2w", 2),
            ("3 × w", 3),
            ("wins", 1),
            ("10000000000001", 14),
        ] {
            let error = formula.parse::<Weight>().unwrap_err();
            assert_eq!(error.column, column, "{formula}: {error}");
        }
        let [nested, too_deep] = [MAX_DEPTH - 1, MAX_DEPTH]
            .map(|depth| format!("{}w{}", "(".repeat(depth), ")".repeat(depth)));
        assert!(nested.parse::<Weight>().is_ok());
        assert!(too_deep.parse::<Weight>().unwrap_err().what.contains("deep"));
        assert!("-".repeat(150).parse::<Weight>().is_err());
        assert!("w+".repeat(120).parse::<Weight>().unwrap_err().what.contains("long"));
    }

    #[test]
    fn text_is_canonical() {
        let weight: Weight = " 2*W + d+u".parse().unwrap();
        assert_eq!(weight, Weight::default());
        assert_eq!(weight.to_string().parse(), Ok(weight));
    }

    proptest! {
        #[test]
        fn the_default_is_that_of_the_tally(stats in any_tally()) {
            for side in [Side::First, Side::Second] {
                prop_assert_eq!(Weight::default().of(&stats, side), stats.default_weight(side));
            }
        }

        #[test]
        fn no_formula_panics(text in "[-wdlunry0-9+*/(), maxin]{0,60}", stats in any_tally()) {
            if let Ok(weight) = text.parse::<Weight>() {
                let _unused = weight.of(&stats, Side::Second);
                prop_assert_eq!(weight.to_string().parse::<Weight>(), Ok(weight));
            }
        }
    }
}
