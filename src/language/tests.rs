//! The catalogue of messages has every text of the program: what the command line prints, its help, and the
//! messages of the library.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use polib::po_file;
use proc_macro2::{Delimiter, Group, Ident, Literal, TokenStream, TokenTree};

use super::{CATALOGUE, CHINESE, help};
/// Calls whose texts nobody reads, or only who mends the program.
const NOT_SHOWN: [&str; 20] = [
    "assert",
    "assert_eq",
    "assert_ne",
    "cfg",
    "concat",
    "debug",
    "debug_assert",
    "debug_assert_eq",
    "debug_span",
    "error",
    "expect",
    "include_str",
    "info",
    "info_span",
    "matches",
    "panic",
    "trace",
    "unreachable",
    "var",
    "warn",
];

/// A text in the source, with the first place where it stands.
#[derive(Debug, Default)]
struct Texts(BTreeMap<String, String>);

impl Texts {
    /// Collects the texts of one stream of tokens.
    fn collect(&mut self, tokens: TokenStream, place: &str) {
        let mut tokens = tokens.into_iter().peekable();
        let mut before: Option<Ident> = None;
        while let Some(token) = tokens.next() {
            match token {
                TokenTree::Punct(mark) if mark.as_char() == '#' => {
                    let is_of_file = matches!(tokens.peek(), Some(TokenTree::Punct(mark)) if mark.as_char() == '!');
                    if is_of_file {
                        tokens.next();
                    }
                    let Some(TokenTree::Group(attribute)) = tokens.next() else { continue };
                    if is_of_file && is_test(&attribute) {
                        return;
                    }
                    if is_test(&attribute) {
                        skip_item(&mut tokens);
                    } else {
                        self.collect_attribute(&attribute, place);
                    }
                }
                TokenTree::Group(group) => {
                    let name = before.take().map(|name| name.to_string()).unwrap_or_default();
                    if ["text", "say", "counted", "message", "nouns", "word"]
                        .contains(&name.as_str())
                    {
                        self.collect_translated(&group, place, name == "message");
                    }
                    if !NOT_SHOWN.contains(&name.as_str()) {
                        self.collect(group.stream(), place);
                    }
                }
                TokenTree::Ident(name) => before = Some(name),
                TokenTree::Punct(mark) => {
                    if mark.as_char() != '!' {
                        before = None;
                    }
                }
                TokenTree::Literal(literal) => self.insert(&literal, place),
            }
        }
    }

    /// Collects the message of an error.
    fn collect_attribute(&mut self, attribute: &Group, place: &str) {
        let mut tokens = attribute.stream().into_iter();
        let name = tokens.next().map(|token| token.to_string());
        if name.as_deref() == Some("error")
            && let Some(TokenTree::Group(arguments)) = tokens.next()
        {
            self.collect(arguments.stream(), place);
        }
    }

    /// Collects the texts of `text!` and its like, which may be single words.
    fn collect_translated(&mut self, arguments: &Group, place: &str, is_message: bool) {
        for token in arguments.stream() {
            if let TokenTree::Literal(literal) = token
                && let Some(text) = string_of(&literal.to_string())
                && text.contains(|c: char| c.is_ascii_alphabetic())
                // Messages with nothing but marks between them need no translation.
                && (!is_message || outside_values(&text).any(|c| c.is_ascii_alphabetic()))
            {
                self.0.entry(text).or_insert_with(|| place.to_owned());
            }
        }
    }

    fn insert(&mut self, literal: &Literal, place: &str) {
        if let Some(text) = string_of(&literal.to_string()).filter(|text| is_message(text)) {
            self.0.entry(text).or_insert_with(|| place.to_owned());
        }
    }
}

/// The characters of a format string outside the places of values.
fn outside_values(text: &str) -> impl Iterator<Item = char> {
    let pieces = juzhong::message::pieces(text);
    pieces.flat_map(|piece| match piece {
        juzhong::message::Piece::Text(text) => text.chars(),
        juzhong::message::Piece::Value(_) => "".chars(),
    })
}

fn is_test(attribute: &Group) -> bool {
    let text = attribute.stream().to_string();
    text == "test" || (text.starts_with("cfg") && text.contains("test"))
}

/// Goes past the item that an attribute stands before.
fn skip_item(tokens: &mut impl Iterator<Item = TokenTree>) {
    for token in tokens {
        match token {
            TokenTree::Group(group) if group.delimiter() == Delimiter::Brace => return,
            TokenTree::Punct(mark) if mark.as_char() == ';' => return,
            _ => {}
        }
    }
}

/// The value of a string literal; `None` for other literals.
fn string_of(literal: &str) -> Option<String> {
    if let Some(raw) = literal.strip_prefix('r') {
        let raw = raw.trim_matches('#');
        return Some(raw.strip_prefix('"')?.strip_suffix('"')?.to_owned());
    }
    let quoted = literal.strip_prefix('"')?.strip_suffix('"')?;
    let mut value = String::new();
    let mut chars = quoted.chars().peekable();
    while let Some(c) = chars.next() {
        if c != '\\' {
            value.push(c);
            continue;
        }
        match chars.next()? {
            'n' => value.push('\n'),
            't' => value.push('\t'),
            'r' => value.push('\r'),
            '0' => value.push('\0'),
            'u' => {
                let digits: String = chars.by_ref().skip(1).take_while(|&c| c != '}').collect();
                value.push(char::from_u32(u32::from_str_radix(&digits, 16).ok()?)?);
            }
            'x' => {
                let digits: String = chars.by_ref().take(2).collect();
                value.push(char::from(u8::from_str_radix(&digits, 16).ok()?));
            }
            '\n' => while chars.next_if(|c| c.is_whitespace()).is_some() {},
            other => value.push(other),
        }
    }
    Some(value)
}

/// Returns true for texts of at least two words, or of a word beside a placeholder.
fn is_message(text: &str) -> bool {
    let pieces = text.split('{').enumerate();
    let outside = pieces.map(|(n, piece)| match piece.split_once('}') {
        Some((_, after)) if n > 0 => after,
        _ => piece,
    });
    let words: Vec<&str> = outside.flat_map(str::split_whitespace).collect();
    words.iter().filter(|word| is_word(word)).count() + usize::from(text.contains('{')) > 1
}

/// Returns true for two letters or more, with nothing but marks around them.
fn is_word(word: &str) -> bool {
    let letters = word.trim_matches(|c: char| !c.is_ascii_alphabetic());
    letters.len() > 1 && letters.chars().all(|c| c.is_ascii_alphabetic() || "'-/".contains(c))
}

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    let mut entries: Vec<PathBuf> =
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs")
            && !path.ends_with("tests.rs")
        {
            found.push(path);
        }
    }
}

/// The texts of the sources, each with the file where it stands first.
fn texts_of_sources() -> Texts {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut files = Vec::new();
    sources(&root.join("src"), &mut files);
    let mut texts = Texts::default();
    for file in files {
        let place = file.strip_prefix(root).unwrap().to_string_lossy().replace('\\', "/");
        let source = fs::read_to_string(&file).unwrap();
        texts.collect(TokenStream::from_str(&source).unwrap(), &place);
    }
    texts
}

/// The texts of the help of every command.
fn texts_of_help() -> Texts {
    let texts = std::cell::RefCell::new(Texts::default());
    help::with_texts(crate::cli::command_line(), &|text| {
        texts.borrow_mut().0.entry(text.to_owned()).or_insert_with(|| "help".to_owned());
        text.to_owned()
    });
    let Texts(mut texts) = texts.into_inner();
    let mut of_values = Vec::new();
    help::texts_of_values(&crate::cli::command_line(), &mut of_values);
    texts.extend(of_values.into_iter().map(|text| (text, "help".to_owned())));
    texts.extend(help::OF_CLAP.map(|text| (text.to_owned(), "clap".to_owned())));
    Texts(texts)
}

/// The texts that need no translation.
fn not_shown() -> Vec<String> {
    let lines = include_str!("../../locale/not-shown.txt").lines();
    lines.filter(|line| !line.starts_with('#')).filter_map(string_of).collect()
}

/// An entry of the catalogue without its translation.
fn entry(text: &str, place: &str) -> String {
    let escaped = text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
    format!("#: {place}\nmsgid \"{escaped}\"\nmsgstr \"\"\n\n")
}

#[test]
fn every_text_is_in_the_catalogue() {
    let known = not_shown();
    let Texts(mut texts) = texts_of_sources();
    texts.retain(|text, _| !known.contains(text));
    texts.extend(texts_of_help().0);
    texts.retain(|text, _| CHINESE.get(text).is_none());
    let missing: String = texts.iter().map(|(text, place)| entry(text, place)).collect();
    if let Some(file) = std::env::var_os("JUZHONG_MISSING_TEXTS") {
        fs::write(file, &missing).unwrap();
    }
    assert!(missing.is_empty(), "{} texts are missing in locale/zh.po:\n{missing}", texts.len());
}

/// The types of a source that derive `ToMessage`.
fn types_with_messages(source: &str) -> impl Iterator<Item = &str> {
    let derived = source.split("#[derive(").skip(1).filter(|rest| {
        let list = rest.split(")]").next().unwrap_or_default();
        list.contains("ToMessage")
    });
    derived.filter_map(|rest| {
        let (_, item) = rest.split_once("pub enum ").or_else(|| rest.split_once("pub struct "))?;
        item.split(|c: char| !c.is_alphanumeric()).next()
    })
}

/// Returns true if the list has an error of that name in the room.
fn is_known(room: &str, name: &str) -> bool {
    let (first, last) = (format!("juzhong::{room}::"), format!("::{name}"));
    super::error_messages::KNOWN
        .iter()
        .any(|known| known.starts_with(&first) && known.ends_with(&last))
}

/// An error that was handed on is no longer known by its type: all of them are in a list.
#[test]
fn every_type_with_messages_is_known() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    sources(&root, &mut files);
    let mut missing = Vec::new();
    for file in files {
        let within = file.strip_prefix(&root).unwrap();
        let room = within.iter().next().unwrap().to_str().unwrap();
        let source = fs::read_to_string(&file).unwrap();
        let source = source.split("mod tests {").next().unwrap();
        let unknown = types_with_messages(source).filter(|name| !is_known(room, name));
        missing.extend(unknown.map(|name| format!("{room}: {name}")));
    }
    assert!(missing.is_empty(), "missing in language/error_messages.rs: {missing:#?}");
}

#[test]
fn terms_of_the_evaluation_are_in_the_catalogue() {
    let names = juzhong::search::eval::xiangqi::GROUPS.iter().map(|group| group.name);
    let names = names.map(|name| name.to_lowercase().replace('_', " "));
    let missing: String =
        names.filter(|name| CHINESE.get(name).is_none()).map(|name| entry(&name, "word")).collect();
    assert!(missing.is_empty(), "missing in locale/zh.po:\n{missing}");
}

#[test]
fn no_text_of_the_catalogue_is_out_of_use() {
    let (sources, help) = (texts_of_sources().0, texts_of_help().0);
    let file = po_file::parse_from_reader(CATALOGUE.as_bytes()).unwrap();
    // Words that variables hold, values, and texts of clap cannot be found in the sources.
    let entries = file.messages().filter(|entry| {
        !["clap", "value", "word"].contains(&entry.source()) && entry.msgctxt() != Some("page")
    });
    let stale: Vec<&str> = entries
        .map(polib::message::MessageView::msgid)
        .filter(|&text| !sources.contains_key(text) && !help.contains_key(text))
        .collect();
    assert!(stale.is_empty(), "remove from locale/zh.po: {stale:#?}");
}

/// The texts of the page stand in its scripts, in calls of `t` and `plural` or in tables of words.
#[cfg(feature = "web")]
#[test]
fn the_texts_of_the_page_are_those_of_the_catalogue() {
    use super::script_texts::strings_of_script;

    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/web/page");
    let texts = CHINESE.page_texts();
    let (mut strings, mut missing) = (std::collections::BTreeSet::new(), Vec::new());
    for folder in [root.clone(), root.join("panels"), root.join("teach")] {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.extension().is_none_or(|ending| ending != "js") || path.ends_with("glyphs.js") {
                continue;
            }
            let source = fs::read_to_string(&path).unwrap();
            strings.extend(strings_of_script(&source));
            let calls = source.match_indices("t('").filter(|&(at, _)| {
                !source[..at].ends_with(|c: char| c.is_ascii_alphanumeric() || "_.".contains(c))
            });
            // The rest of the line has the text of a call.
            let called = calls.filter_map(|(at, _)| {
                strings_of_script(source[at + 1..].lines().next().unwrap_or_default()).next()
            });
            missing.extend(called.filter(|text| !texts.contains_key(text)));
        }
    }
    assert!(missing.is_empty(), "missing in locale/zh.po, with msgctxt \"page\": {missing:#?}");
    let file = po_file::parse_from_reader(CATALOGUE.as_bytes()).unwrap();
    let words: Vec<&str> = file
        .messages()
        .filter(|entry| entry.source() == "word")
        .map(polib::message::MessageView::msgid)
        .collect();
    // Words of answers stand in no script.
    let is_stale = |text: &&String| !strings.contains(*text) && !words.contains(&text.as_str());
    let stale: Vec<&String> = texts.keys().filter(is_stale).collect();
    assert!(stale.is_empty(), "remove from locale/zh.po: {stale:#?}");
}

#[test]
fn long_texts_are_cut_at_columns() {
    assert_eq!(super::fitting("abc", 3), "abc");
    assert_eq!(super::fitting("abcdef", 5), "abc…");
    assert_eq!(super::fitting("胡荣华", 6), "胡荣华");
    assert_eq!(super::fitting("胡荣华", 5), "胡…");
    assert_eq!([super::left("红", 4), super::right("红", 4)], ["红  ", "  红"]);
}

#[test]
fn words_are_wrapped_at_columns() {
    assert_eq!(super::wrapped("a bc def", 4), ["a bc", "def"]);
    assert_eq!(super::wrapped("abcdef g", 4), ["abcdef", "g"]);
    assert_eq!(super::wrapped("", 4), [""]);
}
