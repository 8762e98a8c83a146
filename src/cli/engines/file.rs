//! The settings file changed: an engine added or removed, and every other byte left as it is.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use toml_edit::{Array, DocumentMut, InlineTable, Item, Table, Value, value};

use super::shown::words_of;
use crate::cli::args::engine_command::protocol_name;
use crate::cli::args::engine_table::{self, NAME};
use crate::cli::{CliError, Context, OrExit, exit};
use juzhong::bytes::atomic::AtomicFile;
use juzhong::bytes::lock::FileLock;
use juzhong::bytes::open;
use juzhong::bytes::paths::folder_of;
use juzhong::bytes::visible::ShowPath;
use juzhong::message::{Message, message};
use juzhong::protocol::client::EngineEntry;

/// The largest settings file that is read, in bytes.
const MAX_FILE: u64 = 1 << 20;

/// The path of the settings file.
pub(crate) fn settings_file(context: &Context<'_>) -> Result<PathBuf, CliError> {
    context.settings_file.clone().ok_or_else(|| {
        let message = "there is to be no settings file; leave --config none and JUZHONG_CONFIG out";
        CliError::message(exit::USAGE, message)
    })
}

/// Makes the folder of the settings file, where it is missing.
pub(crate) fn make_folder(path: &Path) -> Result<(), CliError> {
    fs::create_dir_all(folder_of(path)).or_exit_at(exit::CANNOT_CREATE, path)
}

/// A settings file that nobody else of this program changes meanwhile.
pub(crate) struct SettingsFile {
    path: PathBuf,
    /// Its content; `None` if there is no file.
    bytes: Option<Vec<u8>>,
    text: String,
    _lock: FileLock,
}

impl SettingsFile {
    /// Claims the right to change the file, and reads it. A file that is not there is an empty one.
    pub(crate) fn claim(path: &Path) -> Result<Self, CliError> {
        let lock = FileLock::take(path)?;
        let bytes = present(path).or_exit_at(exit::NO_INPUT, path)?;
        let text = String::from_utf8(bytes.clone().unwrap_or_default());
        let text = text.map_err(|_| fault(path, "not UTF-8"))?;
        Ok(Self { path: path.to_owned(), bytes, text, _lock: lock })
    }

    /// The engine of that name, as the file has it now.
    pub(crate) fn engine(&self, name: &str) -> Result<Option<EngineEntry>, CliError> {
        let text = self.text.trim_start_matches('\u{feff}');
        let engines = engine_table::read(text, folder_of(&self.path));
        let engines = engines.map_err(|what| fault(&self.path, what))?;
        Ok(engines.into_iter().find(|entry| entry.name == name))
    }

    /// Adds an engine, in the place of one of its name if it replaces that.
    pub(crate) fn add(&self, entry: &EngineEntry, replaces: bool) -> Result<(), CliError> {
        let (text, style) = plain(&self.text);
        let text = match replaces {
            true => without(&text, &entry.name).and_then(|text| with(&text, entry)),
            false => with(&text, entry),
        };
        self.write(text, style)
    }

    /// Removes an engine.
    pub(crate) fn remove(&self, name: &str) -> Result<(), CliError> {
        let (text, style) = plain(&self.text);
        self.write(without(&text, name), style)
    }

    /// Writes the file as a whole, if it is still the one that was read.
    fn write(&self, text: Result<String, Message>, style: Style) -> Result<(), CliError> {
        let text = text.map_err(|what| fault(&self.path, what))?;
        let text = style.restored(text);
        if text.len() as u64 > MAX_FILE {
            return Err(fault(&self.path, "it would be too long"));
        }
        let mut file =
            AtomicFile::create(&self.path).or_exit_at(exit::CANNOT_CREATE, &self.path)?;
        file.write_all(text.as_bytes()).or_exit_at(exit::IO, &self.path)?;
        // The lock keeps out this program only: an editor may have saved the file since it was read.
        if present(&self.path).or_exit_at(exit::NO_INPUT, &self.path)? != self.bytes {
            let message = "another program has changed it meanwhile; run this again";
            return Err(CliError::message(exit::CANNOT_CREATE, message).within(self.path.shown()));
        }
        file.commit().or_exit_at(exit::IO, &self.path)
    }
}

/// The content of a file; `None` if there is none.
fn present(path: &Path) -> io::Result<Option<Vec<u8>>> {
    match open::read(path, MAX_FILE) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

fn fault(path: &Path, what: impl Into<Message>) -> CliError {
    CliError::message(exit::USAGE, what).within(path.shown())
}

/// The marks of a text beside its lines: kept while the lines are changed.
#[derive(Debug, Clone, Copy)]
struct Style {
    has_mark: bool,
    has_crlf: bool,
    is_ended: bool,
}

/// A text with ended lines of Unix, and what it was like before. Where its lines end in both ways they stay.
fn plain(text: &str) -> (String, Style) {
    let body = text.trim_start_matches('\u{feff}');
    let ends = body.matches('\n').count();
    let style = Style {
        has_mark: body.len() < text.len(),
        has_crlf: ends > 0 && body.matches("\r\n").count() == ends,
        is_ended: body.is_empty() || body.ends_with('\n'),
    };
    let mut body = if style.has_crlf { body.replace("\r\n", "\n") } else { body.to_owned() };
    if !style.is_ended {
        body.push('\n');
    }
    (body, style)
}

impl Style {
    fn restored(self, mut text: String) -> String {
        if !self.is_ended && text.ends_with('\n') {
            text.pop();
        }
        if self.has_crlf {
            text = text.replace('\n', "\r\n");
        }
        if self.has_mark { format!("\u{feff}{text}") } else { text }
    }
}

fn document(text: &str) -> Result<DocumentMut, Message> {
    text.parse::<DocumentMut>().map_err(|error| error.to_string().into())
}

/// A file with an engine more: behind all that is there, or where that is not possible, in the table of the others.
fn with(text: &str, entry: &EngineEntry) -> Result<String, Message> {
    let mut before = document(text)?;
    let separator = if text.is_empty() { "" } else { "\n" };
    let longer = format!("{text}{separator}{}", section(&entry.name, table_of(entry)));
    if is_same_without(text, &longer, &entry.name) {
        return Ok(longer);
    }
    // A section cannot continue an inline table `engines`: the longer text is no TOML then.
    let engines = before.entry(NAME).or_insert(Item::Table(implicit()));
    let engines = engines.as_table_like_mut().ok_or("engines is a table; write [engines.NAME]")?;
    engines.insert(&entry.name, value(table_of(entry).into_inline_table()));
    checked(text, before.to_string(), &entry.name)
}

/// A file without an engine. Comments stay.
fn without(text: &str, name: &str) -> Result<String, Message> {
    let mut before = document(text)?;
    if let Some(shorter) =
        cut(text, &before, name).filter(|after| is_same_without(text, after, name))
    {
        return Ok(shorter);
    }
    let engines = before.get_mut(NAME).and_then(Item::as_table_like_mut);
    let engines = engines.ok_or("engines is a table; write [engines.NAME]")?;
    engines.remove(name);
    checked(text, before.to_string(), name)
}

/// A text, which is that of the document, without the section of an engine, and without one blank line before that; `None` if it has no
/// section of its own.
fn cut(text: &str, document: &DocumentMut, name: &str) -> Option<String> {
    let table = document.get(NAME)?.as_table_like()?.get(name)?.as_table()?;
    let prefix = table.decor().prefix()?.as_str()?.to_owned();
    let mut table = table.clone();
    table.decor_mut().set_prefix("");
    let marked = format!("{prefix}{}", section(name, table));
    // Not found where its head is laid out in another way: then the caller changes the document.
    let (first, rest) = text.split_once(&marked)?;
    // `with` puts a blank line before a section: that one goes, comments before it stay.
    let is_spaced = prefix == "\n" || prefix.ends_with("\n\n");
    let kept = if is_spaced { &prefix[..prefix.len() - 1] } else { prefix.as_str() };
    Some(format!("{first}{kept}{rest}"))
}

/// A changed text, if nothing but that engine is different.
fn checked(before: &str, after: String, name: &str) -> Result<String, Message> {
    match is_same_without(before, &after, name) {
        true => Ok(after),
        false => Err(message!("the table of {name} cannot be changed here; change it by hand")),
    }
}

/// Returns true if two texts say the same but for an engine.
fn is_same_without(one: &str, other: &str, name: &str) -> bool {
    table_without(one, name).is_some_and(|one| table_without(other, name) == Some(one))
}

/// The settings of a text but for an engine; `None` if the text is no TOML.
fn table_without(text: &str, name: &str) -> Option<toml::Table> {
    let mut table: toml::Table = text.parse().ok()?;
    if let Some(toml::Value::Table(engines)) = table.get_mut(NAME) {
        engines.remove(name);
        // No table of engines and an empty one say the same.
        if engines.is_empty() {
            table.remove(NAME);
        }
    }
    Some(table)
}

fn implicit() -> Table {
    let mut table = Table::new();
    table.set_implicit(true);
    table
}

/// The lines `[engines.NAME]` and what follows.
fn section(name: &str, table: Table) -> String {
    let mut engines = implicit();
    engines.insert(name, Item::Table(table));
    let mut document = DocumentMut::new();
    document.insert(NAME, Item::Table(engines));
    document.to_string()
}

/// The table of an engine.
fn table_of(entry: &EngineEntry) -> Table {
    let mut table = Table::new();
    table.insert("command", command_item(entry));
    if let Some(protocol) = entry.protocol {
        table.insert("protocol", value(protocol_name(protocol)));
    }
    if let Some(game) = entry.game {
        table.insert("game", value(game));
    }
    for (key, number) in [("threads", entry.threads), ("hash", entry.hash)] {
        if let Some(number) = number {
            table.insert(key, number_item(number));
        }
    }
    if entry.at_once > 1 {
        table.insert("at-once", number_item(entry.at_once));
    }
    if !entry.options.is_empty() {
        let options = entry.options.iter().map(|(name, text)| (name.as_str(), option_value(text)));
        table.insert("options", value(options.collect::<InlineTable>()));
    }
    table
}

fn number_item(number: usize) -> Item {
    value(i64::try_from(number).unwrap_or(i64::MAX))
}

/// One text where no word needs quotes, else a list of words.
fn command_item(entry: &EngineEntry) -> Item {
    let words = words_of(&entry.command);
    match words.iter().all(|word| !word.is_empty() && word.chars().all(is_plain)) {
        true => value(words.join(" ")),
        false => value(words.iter().map(String::as_str).collect::<Array>()),
    }
}

/// Returns true for a character that stands in a command without quotes.
fn is_plain(c: char) -> bool {
    !c.is_whitespace() && !['"', '\''].contains(&c)
}

/// A number or a truth value where it reads as it was written, else a text.
fn option_value(text: &str) -> Value {
    // Numbers such as 007 and +1 would come back as another text.
    let number = text.parse::<i64>().ok().filter(|number| number.to_string() == text);
    match (text, number) {
        ("true", _) => true.into(),
        ("false", _) => false.into(),
        (_, Some(number)) => number.into(),
        (text, None) => text.into(),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use juzhong::protocol::client::EngineCommand;

    fn entry(name: &str) -> EngineEntry {
        let args = vec!["uci".to_owned(), "it's".to_owned()];
        let program = "/我的 引擎/fish".to_owned();
        EngineEntry {
            name: name.to_owned(),
            options: vec![
                ("Eval File".to_owned(), "a \"b\"\\".to_owned()),
                ("Z".into(), "1".into()),
            ],
            game: Some("gomoku"),
            hash: Some(64),
            ..EngineEntry::of_command(EngineCommand { program, args })
        }
    }

    fn added(text: &str, name: &str) -> String {
        let (plain, style) = plain(text);
        style.restored(with(&plain, &entry(name)).unwrap())
    }

    fn removed(text: &str, name: &str) -> String {
        let (plain, style) = plain(text);
        style.restored(without(&plain, name).unwrap())
    }

    const FILES: [&str; 12] = [
        "",
        "\n",
        "rules = \"asian\"",
        "rules = \"asian\"\n",
        "# first\nrules = \"asian\" # why\n\n[engine]\nhash = 16\n# last\n",
        "# only a comment",
        "lang = \"zh\"\r\n\r\n[engine]\r\nhash = 16\r\n",
        "\u{feff}lang = \"zh\"\r\n",
        "lang = \"zh\"\r\nboard = \"hanzi\"\n",
        "[engines.other]\ncommand = \"x\"\n\n\n",
        "[engines.other]\ncommand = \"x\"\n[engines.other.options]\nA = 1\n\n# of the engine\n[engine]\nhash = 3\n",
        "[engines]\n\n[engine]\nthreads = 2\n   \n",
    ];

    #[test]
    fn what_was_added_and_removed_has_left_no_trace() {
        for file in FILES {
            for name in ["fish", "象棋名手", "a.b", "1"] {
                let longer = added(file, name);
                let body = longer.trim_start_matches('\u{feff}');
                let read = engine_table::read(body, Path::new("")).unwrap();
                let found = read.iter().find(|entry| entry.name == name).unwrap();
                assert_eq!(found, &entry(name), "{longer}");
                assert_eq!(removed(&longer, name), file, "{longer}");
                let both = added(&longer, "second");
                assert_eq!(removed(&removed(&both, "second"), name), file, "{both}");
            }
        }
    }

    #[test]
    fn what_others_wrote_stays() {
        let file = "# mine\n[engines.a]\ncommand = \"x\" # good\n\n# theirs\n[engines.b]\ncommand = \"y\"\n";
        assert_eq!(removed(file, "a"), "# mine\n\n# theirs\n[engines.b]\ncommand = \"y\"\n");
        assert_eq!(removed(file, "b"), "# mine\n[engines.a]\ncommand = \"x\" # good\n\n# theirs\n");
        let inline = "engines = { a = { command = \"x\" } } # all\nlang = \"zh\"\n";
        let longer = added(inline, "b");
        assert!(longer.ends_with("} # all\nlang = \"zh\"\n"), "{longer}");
        assert_eq!(engine_table::read(&longer, Path::new("")).unwrap().len(), 2);
        let dotted = "engines.a.command = \"x\"\n";
        assert_eq!(engine_table::read(&added(dotted, "b"), Path::new("")).unwrap().len(), 2);
        assert!(without("engines = 3\n", "a").is_err() && with("x = \n", &entry("a")).is_err());
    }

    proptest! {
        #[test]
        fn any_comments_come_back(lines in prop::collection::vec("(# [a-z]{0,5})?", 0..6), ended: bool) {
            let mut file = lines.join("\n");
            if ended {
                file.push('\n');
            }
            prop_assert_eq!(removed(&added(&file, "x"), "x"), file);
        }
    }
}
