//! The words after a command as people type them: numbers, names of files, yes and no.
//!
//! Names of files are read as a shell reads them only as far as people and completion write them: a name may have
//! blanks without quotes (`save my game.pgn`), an apostrophe (`it's.pgn`), a quote that is not closed, as while it is
//! typed, and on Windows backslashes that separate folders. The crate `shlex` follows POSIX, which takes each of these
//! for something else or for an error; so the quoting is read here.

/// A digit, full-width ones too.
fn digit(c: char) -> Option<char> {
    let narrow = match c {
        '０'..='９' => char::from_u32(u32::from(c) - u32::from('０') + u32::from('0'))?,
        c => c,
    };
    narrow.is_ascii_digit().then_some(narrow)
}

/// A whole number; `None` for anything else.
pub(crate) fn number(text: &str) -> Option<usize> {
    text.chars().map(digit).collect::<Option<String>>()?.parse().ok()
}

/// The place of the first digit of a word, or its end.
pub(crate) fn leading_number(word: &str) -> usize {
    word.find(|c| digit(c).is_some()).unwrap_or(word.len())
}

/// True where a backslash escapes: elsewhere it separates folders.
pub(crate) const ESCAPES: bool = !cfg!(windows);
/// The characters escaped in a name outside quotes, as completed names are.
const ESCAPED: &str = " \t\"\\'`@$><=;|&{(";
/// The characters escaped between double quotes.
const ESCAPED_IN_QUOTES: &str = "\"$\\`";

/// A line without the blanks around it; one that is escaped stays.
pub(crate) fn trimmed(line: &str) -> &str {
    let line = line.trim_start();
    let end = line.trim_end();
    let blank = line[end.len()..].chars().next();
    match blank.filter(|_| ESCAPES && ends_with_escape(end)) {
        Some(blank) => &line[..end.len() + blank.len_utf8()],
        None => end,
    }
}

/// Returns true if what follows is escaped.
fn ends_with_escape(text: &str) -> bool {
    // Backslashes escape each other in pairs; an odd one is left for what follows.
    text.bytes().rev().take_while(|&byte| byte == b'\\').count() % 2 == 1
}

/// A file, and the number of a game in it: 1 if there is none. `None` without a file.
pub(crate) fn file_and_game(text: &str, escapes: bool) -> Option<(String, u64)> {
    let (file, game) = name_and_number(text, escapes).unwrap_or((text, 1));
    let name = file_name(file, escapes);
    (!name.is_empty()).then_some((name, game))
}

/// A name and the number after it; `None` if the text ends without one, or if that is still part of the name.
fn name_and_number(text: &str, escapes: bool) -> Option<(&str, u64)> {
    let (file, digits) = text.rsplit_once(char::is_whitespace)?;
    let number = number(digits).filter(|&number| number > 0)?;
    // In `a\ 2` and `"a 2` the blank before the number belongs to the name.
    let is_name = escapes && ends_with_escape(file) || is_open(file.trim_end(), escapes);
    (!is_name).then_some((file.trim_end(), number as u64))
}

/// Returns true if a name begins with a quote and does not end with it.
fn is_open(name: &str, escapes: bool) -> bool {
    name.starts_with(['"', '\'']) && within_quotes(name, escapes).is_none()
}

/// The text between the quotes around a name.
fn within_quotes(name: &str, escapes: bool) -> Option<&str> {
    let quote = name.chars().next().filter(|quote| ['"', '\''].contains(quote))?;
    // Both quotes are one byte long.
    let inner = name[1..].strip_suffix(quote)?;
    let is_escaped = escapes && quote == '"' && ends_with_escape(inner);
    (!is_escaped).then_some(inner)
}

/// The name of a file as it is typed or completed: with a backslash before what is special, or in quotes, of which
/// the last may be missing.
pub(crate) fn file_name(typed: &str, escapes: bool) -> String {
    let inner = within_quotes(typed, escapes);
    match typed.chars().next() {
        Some('\'') => inner.unwrap_or(&typed[1..]).to_owned(),
        Some('"') => unescaped(inner.unwrap_or(&typed[1..]), ESCAPED_IN_QUOTES, escapes),
        _ => unescaped(typed, ESCAPED, escapes),
    }
}

/// A text without the backslashes before what is special.
fn unescaped(text: &str, special: &str, escapes: bool) -> String {
    let mut name = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        // A backslash before any other character stands for itself.
        let next = chars.next_if(|&next| escapes && c == '\\' && special.contains(next));
        name.push(next.unwrap_or(c));
    }
    name
}

/// The answer to a question, if it is one.
pub(crate) fn yes_or_no(answer: &str) -> Option<bool> {
    match answer.trim().to_lowercase().as_str() {
        "y" | "yes" | "是" => Some(true),
        "n" | "no" | "否" => Some(false),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_may_be_wide() {
        for text in ["12", "１２", "1２"] {
            assert_eq!(number(text), Some(12), "{text}");
        }
        for text in ["", "x", "-1", "1 2", "99999999999999999999"] {
            assert_eq!(number(text), None, "{text}");
        }
        assert_eq!(leading_number("跳到１２"), "跳到".len());
    }

    #[test]
    fn files_are_named_as_they_are_typed_and_completed() {
        for (typed, name, number) in [
            ("a b.pgn 3", "a b.pgn", 3),
            ("\"a 3\"", "a 3", 1),
            ("\"a 3\" 2", "a 3", 2),
            ("'a 3' 2", "a 3", 2),
            ("\"a 3", "a 3", 1),
            ("it's.pgn", "it's.pgn", 1),
            ("a\"b\".pgn", "a\"b\".pgn", 1),
            ("C:\\games\\a.pgn", "C:\\games\\a.pgn", 1),
        ] {
            for escapes in [true, false] {
                assert_eq!(
                    file_and_game(typed, escapes),
                    Some((name.to_owned(), number)),
                    "{typed}"
                );
            }
        }
        for (typed, escaped, plain) in [
            ("a\\ 3", ("a 3", 1), ("a\\", 3)),
            ("a\\ b.pgn 2", ("a b.pgn", 2), ("a\\ b.pgn", 2)),
            ("a\\\"b.pgn", ("a\"b.pgn", 1), ("a\\\"b.pgn", 1)),
            ("a\\\\b.pgn", ("a\\b.pgn", 1), ("a\\\\b.pgn", 1)),
            ("\"a\\\\\"", ("a\\", 1), ("a\\\\", 1)),
            ("\"C:\\a\\", ("C:\\a\\", 1), ("C:\\a\\", 1)),
        ] {
            for (escapes, (name, number)) in [(true, escaped), (false, plain)] {
                assert_eq!(
                    file_and_game(typed, escapes),
                    Some((name.to_owned(), number)),
                    "{typed}"
                );
            }
        }
    }
}
