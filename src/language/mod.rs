//! The language of messages, help and reports.
//!
//! The texts are English where they are used, and are their own keys, as gettext has it: `text!` and `say!` take
//! what `format!` takes, and the format string is the key. The library, which speaks English only, hands out messages
//! ([`Message`]), which are translated by the same keys ([`translated`]); errors are messages, too ([`errors`]); help
//! is translated as a whole ([`help`]), errors of usage are put together here ([`usage`]). The catalogue is
//! `locale/zh.po`; a test holds it against the sources.

pub(crate) mod break_off;
mod catalogue;
pub(crate) mod counts;
pub(crate) mod error_messages;
mod help;
#[cfg(feature = "web")]
pub(crate) mod script_texts;
#[cfg(test)]
mod tests;
pub(crate) mod usage;

use std::cell::Cell;
use std::env;
use std::ffi::OsStr;
use std::sync::{LazyLock, OnceLock};

use clap::ValueEnum;
use juzhong::message::Message;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use catalogue::Catalogue;
use juzhong::xiangqi::notation::MoveNotation;

pub(crate) use help::{localized, rendered};

/// A language of the program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Language {
    // English.
    En,
    // Chinese, in simplified characters.
    Zh,
}

static LANGUAGE: OnceLock<Language> = OnceLock::new();

thread_local! {
    /// The language of a piece of work on this thread, if it is another than that of the process.
    static OF_THREAD: Cell<Option<Language>> = const { Cell::new(None) };
}

/// The Chinese texts, as gettext writes them.
const CATALOGUE: &str = include_str!("../../locale/zh.po");
static CHINESE: LazyLock<Catalogue> = LazyLock::new(|| Catalogue::parse(CATALOGUE));

impl Language {
    /// The language that `--lang`, the settings or the system name; English if none does.
    pub(crate) fn choose(named: Option<&OsStr>) -> Self {
        let named = named.and_then(OsStr::to_str).and_then(|name| Self::from_str(name, true).ok());
        named.unwrap_or_else(Self::of_system)
    }

    /// The language of the locale: the first variable that is set counts, as POSIX has it.
    fn of_system() -> Self {
        let locale = ["LC_ALL", "LC_MESSAGES", "LANG"]
            .into_iter()
            .find_map(|name| env::var(name).ok().filter(|value| !value.is_empty()))
            .or_else(sys_locale::get_locale);
        // The language stands before the territory, the character set and the variant, as in zh_CN.UTF-8.
        let is_chinese = locale.is_some_and(|locale| {
            locale
                .split(['_', '-', '.', '@'])
                .next()
                .is_some_and(|code| code.eq_ignore_ascii_case("zh"))
        });
        if is_chinese { Self::Zh } else { Self::En }
    }

    /// Makes it the language of the process; the first call counts.
    pub(crate) fn set(self) {
        LANGUAGE.get_or_init(|| self);
    }

    /// The language of the work in hand: that of the process but for [`within`].
    pub(crate) fn current() -> Self {
        OF_THREAD.get().or_else(|| LANGUAGE.get().copied()).unwrap_or(Self::En)
    }

    /// Its tag, as pages state their language.
    pub(crate) const fn tag(self) -> &'static str {
        match self {
            Self::En => "en",
            Self::Zh => "zh-CN",
        }
    }

    /// The notation of moves that its readers are used to.
    pub(crate) fn notation(self) -> MoveNotation {
        match self {
            Self::En => MoveNotation::default(),
            Self::Zh => MoveNotation::Chinese,
        }
    }
}

/// Returns true unless the locale names a character set other than UTF-8, in which Chinese characters and symbols would
/// be rubbish. The first variable that is set counts; one without a character set stands for UTF-8, but for the locale
/// `C`.
pub(crate) fn has_unicode() -> bool {
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"]
        .into_iter()
        .find_map(|name| env::var(name).ok().filter(|value| !value.is_empty()));
    locale.is_none_or(|locale| is_unicode(&locale))
}

fn is_unicode(locale: &str) -> bool {
    let locale = locale.split('@').next().unwrap_or_default();
    match locale.split_once('.') {
        Some((_, charset)) => {
            let letters = charset.chars().filter(char::is_ascii_alphanumeric);
            letters.collect::<String>().eq_ignore_ascii_case("utf8")
        }
        None => !matches!(locale, "C" | "POSIX"),
    }
}

/// A text in simplified characters.
pub(crate) fn simplified(text: &str) -> String {
    character_converter::traditional_to_simplified(text).into_owned()
}

/// Does work whose texts are in `language`.
#[cfg(feature = "web")]
pub(crate) fn within<T>(language: Language, work: impl FnOnce() -> T) -> T {
    /// Gives the thread its language back, after a panic too.
    struct Before(Option<Language>);
    impl Drop for Before {
        fn drop(&mut self) {
            OF_THREAD.set(self.0);
        }
    }
    let _before = Before(OF_THREAD.replace(Some(language)));
    work()
}

/// The Chinese texts of the page in the browser by their English.
#[cfg(feature = "web")]
pub(crate) fn page_texts() -> &'static std::collections::BTreeMap<String, String> {
    CHINESE.page_texts()
}

/// A text in the language of the process; takes what `format!` takes.
macro_rules! text {
    ($($arguments:tt)*) => {
        $crate::language::report(&juzhong::message::message!($($arguments)*))
    };
}

/// A text that counts: its form for one if that is true, else its form for other numbers.
macro_rules! counted {
    ($is_one:expr, $one:literal, $other:literal $($arguments:tt)*) => {
        if $is_one {
            $crate::language::text!($one $($arguments)*)
        } else {
            $crate::language::text!($other $($arguments)*)
        }
    };
}

/// Writes a line in the language of the process; takes what `writeln!` takes.
macro_rules! say {
    ($out:expr, $($arguments:tt)*) => {
        writeln!($out, "{}", $crate::language::text!($($arguments)*))
    };
}

pub(crate) use text;
pub(crate) use {counted, say};

/// A text of a report, in the language of the process: names and numbers in it stay as they are.
pub(crate) fn report(message: &Message) -> String {
    match Language::current() {
        Language::En => message.to_string(),
        Language::Zh => CHINESE.report(message),
    }
}

/// A word of the program in the language of the process.
pub(crate) fn word(word: &str) -> &str {
    match Language::current() {
        Language::En => word,
        Language::Zh => CHINESE.get(word).unwrap_or(word),
    }
}

/// A message in the language of the process, with the values translated that the catalogue knows.
pub(crate) fn translated(message: impl Into<Message>) -> String {
    let message = message.into();
    match Language::current() {
        Language::En => message.to_string(),
        Language::Zh => CHINESE.message(&message),
    }
}

/// The same for what takes a function.
pub(crate) fn said(message: &Message) -> String {
    translated(message.clone())
}

/// The mark between a message and its cause.
pub(crate) fn colon() -> &'static str {
    match Language::current() {
        Language::En => ": ",
        Language::Zh => "：",
    }
}

/// A text followed by blanks up to a width in columns of a terminal.
pub(crate) fn left(text: &str, width: usize) -> String {
    let missing = width.saturating_sub(text.width());
    format!("{text}{:missing$}", "")
}

/// A text after blanks up to a width in columns of a terminal.
pub(crate) fn right(text: &str, width: usize) -> String {
    let missing = width.saturating_sub(text.width());
    format!("{:missing$}{text}", "")
}

/// The columns of a text on a terminal.
pub(crate) fn columns(text: &str) -> usize {
    text.width()
}

/// A text within a number of columns: what is longer ends with `…`.
pub(crate) fn fitting(text: &str, width: usize) -> String {
    if columns(text) <= width {
        return text.to_owned();
    }
    // Terminals of East Asia show the ellipsis in two columns.
    let mut left = width.saturating_sub(2);
    let kept = text.chars().take_while(|c| {
        let width = c.width().unwrap_or(0);
        let fits = width <= left;
        left = left.saturating_sub(width);
        fits
    });
    kept.chain(['…']).collect()
}

/// The words of a text in lines of a number of columns; a longer word has a line of its own.
pub(crate) fn wrapped(text: &str, width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split(' ') {
        match lines.last_mut() {
            Some(line) if columns(line) + 1 + columns(word) <= width => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}
