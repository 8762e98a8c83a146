//! Characters of the file-based notations. Chinese and Latin forms share one grammar of four
//! glyphs, so that one reader serves both and any mixture.

use super::phrase::{Action, MovingPiece, Order, Phrase};
use crate::game::Side;
use crate::xiangqi::piece::Role;

/// One character of a file-based move.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Glyph {
    Role(Role),
    Number(u8),
    Order(Order),
    Action(Action),
    /// `+`, `-` and `.`: an order in the first two places, an action in the third.
    Sign(Order, Action),
}

impl Glyph {
    fn of(c: char) -> Option<Self> {
        Some(match c {
            '1'..='9' => Self::Number(c as u8 - b'0'),
            '一' => Self::Number(1),
            '二' => Self::Number(2),
            '三' => Self::Number(3),
            '四' => Self::Number(4),
            '五' => Self::Number(5),
            '六' => Self::Number(6),
            '七' => Self::Number(7),
            '八' => Self::Number(8),
            '九' => Self::Number(9),
            '进' | '進' => Self::Action(Action::Forward),
            '退' => Self::Action(Action::Back),
            '平' | '=' => Self::Action(Action::Sideways),
            '前' => Self::Order(Order::Front),
            '中' => Self::Order(Order::Middle),
            '后' | '後' => Self::Order(Order::Rear),
            '+' => Self::Sign(Order::Front, Action::Forward),
            '-' => Self::Sign(Order::Rear, Action::Back),
            '.' => Self::Sign(Order::Middle, Action::Sideways),
            _ => Self::Role(role(c)?),
        })
    }

    const fn action(self) -> Option<Action> {
        match self {
            Self::Action(action) | Self::Sign(_, action) => Some(action),
            _ => None,
        }
    }
}

fn role(c: char) -> Option<Role> {
    Some(match c {
        '车' | '車' | '俥' => Role::Rook,
        '马' | '馬' | '傌' => Role::Horse,
        '炮' | '砲' | '包' => Role::Cannon,
        '兵' | '卒' => Role::Pawn,
        '相' | '象' => Role::Elephant,
        '仕' | '士' => Role::Advisor,
        '帅' | '帥' | '将' | '將' => Role::King,
        _ if c.is_ascii() => return Role::from_letter(c),
        _ => return None,
    })
}

/// Returns true if a character outside ASCII can begin a Chinese move.
pub(crate) fn begins_chinese(c: char) -> bool {
    !c.is_ascii()
        && matches!(Glyph::of(c), Some(Glyph::Role(_) | Glyph::Order(_) | Glyph::Number(_)))
}

/// Returns true if a character is the direction of a Chinese move.
pub(crate) fn is_chinese_action(c: char) -> bool {
    matches!(c, '进' | '進' | '退' | '平')
}

/// Reads four characters, already folded to half width.
pub(crate) fn read(chars: &[char]) -> Option<Phrase> {
    let &[first, second, third, fourth] = chars else { return None };
    let action = Glyph::of(third)?.action()?;
    let Some(Glyph::Number(number)) = Glyph::of(fourth) else { return None };
    let (role, place) = match (Glyph::of(first)?, second, Glyph::of(second)) {
        (Glyph::Role(role), _, Some(Glyph::Number(file))) => (role, MovingPiece::File(file)),
        (Glyph::Role(Role::Pawn), 'a'..='e', _) => {
            (Role::Pawn, MovingPiece::Tandem(Order::Nth(second as u8 - b'a' + 1)))
        }
        (Glyph::Role(role), _, Some(Glyph::Order(order) | Glyph::Sign(order, _)))
        | (Glyph::Order(order) | Glyph::Sign(order, _), _, Some(Glyph::Role(role))) => {
            (role, MovingPiece::Tandem(order))
        }
        (Glyph::Number(n), _, Some(Glyph::Role(role))) => {
            (role, MovingPiece::Tandem(Order::Nth(n)))
        }
        (Glyph::Number(n), _, Some(Glyph::Number(file))) => {
            (Role::Pawn, MovingPiece::TandemOn(Order::Nth(n), file))
        }
        (Glyph::Order(order) | Glyph::Sign(order, _), _, Some(Glyph::Number(file))) => {
            (Role::Pawn, MovingPiece::TandemOn(order, file))
        }
        _ => return None,
    };
    Some(Phrase { role, place, action, number })
}

const RED_NUMBERS: [char; 9] = ['一', '二', '三', '四', '五', '六', '七', '八', '九'];
const BLACK_NUMBERS: [char; 9] = ['１', '２', '３', '４', '５', '６', '７', '８', '９'];

fn chinese_role(side: Side, role: Role) -> char {
    match (role, side) {
        (Role::King, Side::First) => '帅',
        (Role::King, Side::Second) => '将',
        (Role::Rook, _) => '车',
        (Role::Horse, _) => '马',
        (Role::Cannon, _) => '炮',
        (Role::Pawn, Side::First) => '兵',
        (Role::Pawn, Side::Second) => '卒',
        (Role::Advisor, Side::First) => '仕',
        (Role::Advisor, Side::Second) => '士',
        (Role::Elephant, Side::First) => '相',
        (Role::Elephant, Side::Second) => '象',
    }
}

/// Writes in simplified Chinese.
pub(crate) fn chinese(phrase: Phrase, side: Side) -> String {
    let numbers = match side {
        Side::First => RED_NUMBERS,
        Side::Second => BLACK_NUMBERS,
    };
    let role = chinese_role(side, phrase.role);
    let (first, second) = match phrase.place {
        MovingPiece::File(file) => (role, numbers[usize::from(file - 1)]),
        MovingPiece::Tandem(order) => (chinese_order(order), role),
        MovingPiece::TandemOn(order, file) => {
            (chinese_order(order), numbers[usize::from(file - 1)])
        }
    };
    let action = match phrase.action {
        Action::Forward => '进',
        Action::Back => '退',
        Action::Sideways => '平',
    };
    [first, second, action, numbers[usize::from(phrase.number - 1)]].iter().collect()
}

fn chinese_order(order: Order) -> char {
    match order {
        Order::Front => '前',
        Order::Middle => '中',
        Order::Rear => '后',
        Order::Nth(n) => RED_NUMBERS[usize::from(n - 1)],
    }
}

/// Writes in WXF; horses are `H`, elephants `E`.
pub(crate) fn wxf(phrase: Phrase) -> String {
    let role = match phrase.role {
        Role::Horse => 'H',
        Role::Elephant => 'E',
        role => role.letter(),
    };
    let (first, second) = match phrase.place {
        MovingPiece::File(file) => (role, digit(file)),
        MovingPiece::Tandem(order) => (wxf_order(order), role),
        MovingPiece::TandemOn(order, file) => (wxf_order(order), digit(file)),
    };
    let action = match phrase.action {
        Action::Forward => '+',
        Action::Back => '-',
        Action::Sideways => '=',
    };
    [first, second, action, digit(phrase.number)].iter().collect()
}

/// The character of a digit.
fn digit(n: u8) -> char {
    char::from(b'0' + n)
}

fn wxf_order(order: Order) -> char {
    match order {
        Order::Front => '+',
        Order::Middle => '.',
        Order::Rear => '-',
        Order::Nth(n) => char::from(b'0' + n),
    }
}
