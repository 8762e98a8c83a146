//! Texts of positions as they stand elsewhere: in links, in quotation marks, with underscores for blanks.

use std::borrow::Cow;

/// The longest link that is looked into, in bytes.
const LONGEST_LINK: usize = 8192;

/// Rows of the boards that stand at the end of a link's path.
const ROWS: usize = 10;

/// Parameters of links that hold positions, by how programs call them; other names end with `fen`, such as `startFen`.
const PARAMETERS: [&str; 4] = ["fen", "board", "position", "pos"];

/// Quotation marks and `&` as pages of the web write them.
const ENTITIES: [(&str, &str); 4] =
    [("&quot;", "\""), ("&#34;", "\""), ("&#39;", "'"), ("&amp;", "&")];

/// The text of a position without what other programs put around it: quotation marks, the name of a tag (`[FEN "…"]`,
/// `FEN: …`), a link with the position as its parameter (`fen=`) or its end, escapes (`%20`) and underscores or plus
/// signs in place of blanks. What is none of that stays as it is.
///
/// ```
/// use juzhong::game::position_text;
///
/// let plain = "4k4/9/9/9/9/9/9/9/9/3K5 w - - 0 1";
/// let link = "https://example.org/board?fen=4k4/9/9/9/9/9/9/9/9/3K5%20w_-_-_0_1&flip=1";
/// assert_eq!(position_text(link), plain);
/// assert_eq!(position_text("[FEN \"4k4/9/9/9/9/9/9/9/9/3K5 w - - 0 1\"]"), plain);
/// assert_eq!(position_text(plain), plain);
/// ```
#[must_use]
pub fn position_text(text: &str) -> Cow<'_, str> {
    if text.len() > LONGEST_LINK {
        return Cow::Borrowed(text);
    }
    let mut text = Cow::Borrowed(text);
    for (entity, sign) in ENTITIES {
        if text.contains(entity) {
            text = Cow::Owned(text.replace(entity, sign));
        }
    }
    match text {
        Cow::Borrowed(text) => inner_text(text),
        Cow::Owned(text) => Cow::Owned(inner_text(&text).into_owned()),
    }
}

/// The same for a text without signs in the writing of the web.
fn inner_text(text: &str) -> Cow<'_, str> {
    let inner = without_name(unquoted(text));
    let is_link = inner.contains("://") || parameter(inner).is_some() || inner.contains('%');
    let inner = if is_link { linked(inner) } else { Cow::Borrowed(inner) };
    if !inner.contains('_') && (inner.contains(char::is_whitespace) || !inner.contains('+')) {
        return inner;
    }
    // Only a text without blanks has other signs for them.
    let has_blanks = inner.contains(char::is_whitespace);
    Cow::Owned(
        unquoted(&inner.replace(|c: char| c == '_' || !has_blanks && c == '+', " ")).to_owned(),
    )
}

/// The text without quotation marks and separators around it.
fn unquoted(text: &str) -> &str {
    text.trim_matches(|c: char| {
        c.is_whitespace() || "\u{feff}\"'`“”‘’„«»「」『』《》<>;,".contains(c)
    })
}

/// The text without `FEN` before it, in a tag perhaps.
fn without_name(text: &str) -> &str {
    let tag = text.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
    let inner = tag.map_or(text, str::trim);
    let named = inner.get(..3).filter(|name| name.eq_ignore_ascii_case("fen"));
    let Some(rest) = named.map(|_| &inner[3..]) else { return text };
    let rest = rest.trim_start_matches(['"', '\'']);
    match rest.trim_start().strip_prefix([':', '=']) {
        // That of a link is found there.
        Some(_) if rest.contains('&') || rest.contains('%') => text,
        Some(rest) => unquoted(rest),
        None if rest.starts_with(char::is_whitespace) => unquoted(rest),
        None => text,
    }
}

/// The value of the first parameter that holds a position.
fn parameter(link: &str) -> Option<&str> {
    let equals = link.match_indices('=').find(|&(at, _)| {
        let name = link[..at]
            .rsplit(['?', '&', '#', ';', '/', '!'])
            .next()
            .unwrap_or_default()
            .to_ascii_lowercase();
        let is_name =
            name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-".contains(&byte));
        PARAMETERS.contains(&name.as_str()) || is_name && name.ends_with("fen")
    });
    let value = &link[equals?.0 + 1..];
    value.split(['&', '#']).next()
}

/// The position in a link, its escapes read.
fn linked(link: &str) -> Cow<'_, str> {
    let value = parameter(link).unwrap_or_else(|| end_of_link(link));
    let mut text = Cow::Borrowed(value);
    // Links within links are escaped twice.
    for _ in 0..2 {
        if let Some(read) = unescaped(&text) {
            text = Cow::Owned(read);
        }
    }
    match text {
        Cow::Borrowed(text) => Cow::Borrowed(unquoted(text)),
        Cow::Owned(text) => Cow::Owned(unquoted(&text).to_owned()),
    }
}

/// The part of a link's query, fragment or path that is a position: as many parts of its end as a board of ten rows has;
/// the whole of what is no link.
fn end_of_link(link: &str) -> &str {
    let Some((_, rest)) = link.split_once("://") else { return link };
    let mut parts = rest.split(['?', '#']);
    let path = parts.next().unwrap_or(rest);
    parts.find_map(end_of_path).or_else(|| end_of_path(path)).unwrap_or(path)
}

/// The board at the end of a path.
fn end_of_path(path: &str) -> Option<&str> {
    let path = path.trim_end_matches('/');
    let last = path.rsplit('/').next().filter(|text| is_board(text));
    last.or_else(|| Some(path).filter(|text| is_board(text)))
        .or_else(|| path.rmatch_indices('/').nth(ROWS - 1).map(|(at, _)| &path[at + 1..]))
}

/// Returns true if a text has as many slashes, escaped or not, as stand between the rows of a board.
fn is_board(text: &str) -> bool {
    text.matches('/').count() + text.to_ascii_lowercase().matches("%2f").count() == ROWS - 1
}

/// The text with its escapes read; `None` if it has none, or they are of no text.
fn unescaped(text: &str) -> Option<String> {
    if !text.contains('%') {
        return None;
    }
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&first, tail)) = rest.split_first() {
        let digits = tail.get(..2).filter(|_| first == b'%');
        let digits = digits.and_then(|digits| std::str::from_utf8(digits).ok());
        match digits
            .filter(|digits: &&str| digits.bytes().all(|byte| byte.is_ascii_hexdigit()))
            .and_then(|digits| u8::from_str_radix(digits, 16).ok())
        {
            Some(byte) => {
                bytes.push(byte);
                rest = &tail[2..];
            }
            None => {
                bytes.push(first);
                rest = tail;
            }
        }
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const BOARD: &str = "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR";

    #[test]
    fn links_and_quotations_are_read() {
        let plain = format!("{BOARD} w - - 0 1");
        let escaped = format!("{}%20w%20-%20-%200%201", BOARD.replace('/', "%2F"));
        let twice = escaped.replace('%', "%25");
        let under = plain.replace(' ', "_");
        for text in [
            plain.clone(),
            under.clone(),
            escaped.clone(),
            format!("\"{plain}\""),
            format!(" “{plain}” "),
            format!("'{under}';"),
            format!("\u{feff}{plain}\r\n"),
            format!("[FEN \"{plain}\"]"),
            format!("FEN: {plain}"),
            format!("fen={plain}"),
            format!("fen {under}"),
            format!("\"fen\": \"{plain}\","),
            format!("https://www.pychess.org/analysis/xiangqi?fen={under}"),
            format!("https://example.org/?flip=1&FEN={escaped}&x=%20#top"),
            format!("https://example.org/#fen={twice}"),
            format!("https://example.org/a?fen={}", plain.replace(' ', "+")),
            format!("http://example.org/analysis/xiangqi/{under}"),
            format!("http://example.org/analysis/xiangqi/{under}/?x=1"),
            format!("https://www.chessdb.cn/query/?{}", plain.replace(' ', "%20")),
            format!("https://www.chessdb.cn/query/?{escaped}"),
            format!("action=queryall&board={escaped}"),
            format!("<https://example.org/editor/{escaped}>"),
            format!("https://example.org/?startFen={under}"),
            format!("https://example.org/?a=1&amp;init_fen={escaped}&amp;b=2"),
            format!("https://example.org/#/analysis/{under}"),
            format!("https://example.org/app#/board/{escaped}"),
            format!("https://example.org/app/#!/x?x=1#{under}"),
            format!("&quot;{plain}&quot;"),
            format!("data-fen=&#34;{plain}&#34;"),
        ] {
            assert_eq!(position_text(&text), plain, "{text}");
        }
    }

    #[test]
    fn other_texts_stay() {
        for text in ["", "4k4/9 w - - 0 1", "startpos moves h2e2", "%", "%zz", "15/15 x 5", "+"] {
            let read = position_text(text);
            assert!(read == text || text == "+" && read.is_empty(), "{text}: {read}");
        }
        let long = "%41".repeat(LONGEST_LINK);
        assert_eq!(position_text(&long), long);
    }

    proptest! {
        #[test]
        fn what_is_read_once_is_read(text: String, link in "(https?://)?[a-z/?&#=%_+ 0-9]{0,40}(fen=|board=)?[a-z/?&#=%_+ 0-9]{0,40}") {
            for text in [text, link] {
                let read = position_text(&text).into_owned();
                prop_assert!(read.len() <= text.len());
            }
        }
    }
}
