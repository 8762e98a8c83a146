//! The engines of the settings: a table `[engines.NAME]` for each.

use std::ops::RangeInclusive;
use std::path::Path;

use toml_edit::{Document, Item, TableLike, Value};

use super::engine_command::{is_own, parse_protocol};
use super::settings::resolved;
use crate::game_name::{GameName, UnknownGame};
use juzhong::message::{Message, message};
use juzhong::protocol::Dialect;
use juzhong::protocol::client::{EngineCommand, EngineEntry, LONGEST_ENGINE_NAME, is_engine_name};

/// The table of all engines.
pub(crate) const NAME: &str = "engines";

/// The keys of an engine.
const KEYS: [&str; 7] = ["command", "protocol", "game", "options", "threads", "hash", "at-once"];

/// The sizes that an engine may be given.
pub(crate) const THREADS: RangeInclusive<usize> = 1..=4096;
pub(crate) const HASH: RangeInclusive<usize> = 1..=1 << 20;
pub(crate) const AT_ONCE: RangeInclusive<usize> = 1..=256;

/// Reads the engines of a settings file; paths of programs are relative to its folder.
///
/// # Errors
///
/// The fault, with its key.
pub(crate) fn read(text: &str, folder: &Path) -> Result<Vec<EngineEntry>, Message> {
    let document = Document::parse(text).map_err(|error| error.to_string())?;
    let Some(item) = document.as_table().get(NAME) else { return Ok(Vec::new()) };
    let table = item.as_table_like();
    let table = table.ok_or("engines is a table; write [engines.NAME]")?;
    table.iter().map(|(name, item)| EngineTable::new(name, item)?.entry(folder)).collect()
}

/// Refuses names that no engine may have.
pub(crate) fn check_name(name: &str) -> Result<(), Message> {
    if is_own(name) {
        return Err(message!("{name} is this program's own engine; choose another name"));
    }
    if is_engine_name(name) {
        return Ok(());
    }
    Err(message!(
        "a name has letters, digits, dots, - and _, at most {LONGEST_ENGINE_NAME} of them, and begins with no -"
    ))
}

/// The table of an engine.
struct EngineTable<'a> {
    name: &'a str,
    table: &'a dyn TableLike,
}

impl<'a> EngineTable<'a> {
    fn new(name: &'a str, item: &'a Item) -> Result<Self, Message> {
        check_name(name).map_err(|fault| message!("{NAME}.{name}: {fault}"))?;
        let table = item.as_table_like();
        let table =
            table.ok_or_else(|| message!("{NAME}.{name} is a table; write [{NAME}.{name}]"))?;
        if let Some((key, _)) = table.iter().find(|(key, _)| !KEYS.contains(key)) {
            let keys = KEYS.join(", ");
            return Err(message!("there is no setting {NAME}.{name}.{key}; there are {keys}"));
        }
        Ok(Self { name, table })
    }

    fn entry(&self, folder: &Path) -> Result<EngineEntry, Message> {
        Ok(EngineEntry {
            name: self.name.to_owned(),
            command: self.command(folder).map_err(|fault| self.at("command", fault))?,
            protocol: self.protocol()?,
            game: self.game()?,
            options: self.options()?,
            threads: self.number("threads", &THREADS)?,
            hash: self.number("hash", &HASH)?,
            at_once: self.number("at-once", &AT_ONCE)?.unwrap_or(1),
        })
    }

    /// A fault with its place.
    fn at(&self, key: &str, fault: impl Into<Message>) -> Message {
        let fault: Message = fault.into();
        message!("{NAME}.{}.{key}: {fault}", self.name)
    }

    fn command(&self, folder: &Path) -> Result<EngineCommand, Message> {
        let value = self.table.get("command").ok_or("it is missing; name a program")?;
        let command = match (value.as_str(), value.as_array()) {
            (Some(text), _) => EngineCommand::parse(text),
            (None, Some(list)) => {
                let words: Option<Vec<&str>> = list.iter().map(Value::as_str).collect();
                words.and_then(|words| of_words(&words))
            }
            _ => None,
        };
        let command = command.filter(|command| !command.program.is_empty());
        let command = command.ok_or(
            "write a program with its arguments, quotes closed, or a list of texts, the program first",
        )?;
        let program = program_at(folder, &command.program)?;
        Ok(EngineCommand { program, ..command })
    }

    fn protocol(&self) -> Result<Option<Dialect>, Message> {
        let Some(value) = self.table.get("protocol") else { return Ok(None) };
        let text = value.as_str().unwrap_or_default();
        let spoken = parse_protocol(text).map_err(|fault| self.at("protocol", fault))?;
        Ok(spoken.0)
    }

    fn game(&self) -> Result<Option<&'static str>, Message> {
        let Some(value) = self.table.get("game") else { return Ok(None) };
        match value.as_str().unwrap_or_default().parse::<GameName>() {
            Ok(game) => Ok(Some(game.name())),
            Err(UnknownGame) => Err(self.at("game", "choose xiangqi or gomoku")),
        }
    }

    fn options(&self) -> Result<Vec<(String, String)>, Message> {
        let Some(value) = self.table.get("options") else { return Ok(Vec::new()) };
        let table = value.as_table_like();
        let table = table.ok_or_else(|| {
            self.at("options", "write names with their values, as in options.Hash = 16")
        })?;
        table.iter().map(|(name, value)| self.option(name, value)).collect()
    }

    /// An option of the engine with its value as text.
    fn option(&self, name: &str, value: &Item) -> Result<(String, String), Message> {
        let text = value.as_value().and_then(value_text).filter(|_| !name.trim().is_empty());
        let text = text.ok_or_else(|| {
            self.at("options", message!("{name}: write a text, a number, true or false"))
        })?;
        Ok((name.trim().to_owned(), text))
    }

    fn number(&self, key: &str, range: &RangeInclusive<usize>) -> Result<Option<usize>, Message> {
        let Some(value) = self.table.get(key) else { return Ok(None) };
        let number = value.as_integer().and_then(|number| usize::try_from(number).ok());
        let (least, most) = (range.start(), range.end());
        match number.filter(|number| range.contains(number)) {
            Some(number) => Ok(Some(number)),
            None => Err(self.at(key, message!("choose {least} to {most}"))),
        }
    }
}

/// A command of these words.
fn of_words(words: &[&str]) -> Option<EngineCommand> {
    let (program, args) = words.split_first()?;
    let args = args.iter().map(|&word| word.to_owned()).collect();
    Some(EngineCommand { program: (*program).to_owned(), args })
}

/// The value of an option as an engine is told it.
fn value_text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.value().clone()),
        Value::Integer(number) => Some(number.value().to_string()),
        Value::Float(number) => Some(number.value().to_string()),
        Value::Boolean(value) => Some(value.value().to_string()),
        _ => None,
    }
}

/// The path of a program; a name without a folder is looked up as a shell would.
fn program_at(folder: &Path, text: &str) -> Result<String, Message> {
    if !text.chars().any(std::path::is_separator) {
        return Ok(text.to_owned());
    }
    let path = resolved(folder, text).into_os_string().into_string();
    path.map_err(|_| {
        "the path of its folder is no UTF-8; write the whole path of the program".into()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn engines(text: &str) -> Result<Vec<EngineEntry>, String> {
        read(text, Path::new("/home/me/set")).map_err(|fault| fault.to_string())
    }

    #[test]
    fn engines_are_read_in_the_order_of_the_file() {
        let text = "[engines.b]\ncommand = \"fish uci\"\nthreads = 2\nhash = 64\nat-once = 3\nprotocol = \"ucci\"\n\
                    game = \"gomoku\"\noptions = { Z = 1, A = true, \"Eval File\" = \"a b\" }\n\
                    [engines.\"象棋\"]\ncommand = [\"bin/我的 引擎\", \"\"]\n";
        let read = engines(text).unwrap();
        assert_eq!((read[0].name.as_str(), read[1].name.as_str()), ("b", "象棋"));
        assert_eq!(read[0].command.program, "fish");
        assert_eq!((read[0].threads, read[0].hash, read[0].at_once), (Some(2), Some(64), 3));
        assert_eq!((read[0].protocol, read[0].plays()), (Some(Dialect::Ucci), Some("gomoku")));
        assert_eq!(read[1].plays(), None);
        let names: Vec<&str> = read[0].options.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["Z", "A", "Eval File"]);
        assert_eq!(read[0].options[1].1, "true");
        assert_eq!(Path::new(&read[1].command.program), Path::new("/home/me/set/bin/我的 引擎"));
        assert_eq!((read[1].command.args.len(), read[1].at_once), (1, 1));
    }

    #[test]
    fn faults_name_their_key() {
        for (text, part) in [
            ("engines = 3", "engines is a table"),
            ("engines.a = 3", "engines.a is a table"),
            ("[engines.a]", "engines.a.command: it is missing"),
            ("[engines.self]\ncommand = \"x\"", "own engine"),
            ("[engines.\"a b\"]\ncommand = \"x\"", "a name has letters"),
            ("[engines.a]\ncommand = \"x 'y\"", "engines.a.command"),
            ("[engines.a]\ncommand = [\"x\", 3]", "engines.a.command"),
            ("[engines.a]\ncommand = [\"\"]", "engines.a.command"),
            ("[engines.a]\ncommand = \"x\"\nspeed = 3", "no setting engines.a.speed"),
            ("[engines.a]\ncommand = \"x\"\nhash = 0", "engines.a.hash: choose 1 to"),
            ("[engines.a]\ncommand = \"x\"\nthreads = \"many\"", "engines.a.threads"),
            ("[engines.a]\ncommand = \"x\"\nprotocol = 1", "engines.a.protocol"),
            ("[engines.a]\ncommand = \"x\"\ngame = \"go\"", "engines.a.game: choose xiangqi"),
            ("[engines.a]\ncommand = \"x\"\noptions = 1", "engines.a.options"),
            (
                "[engines.a]\ncommand = \"x\"\n[engines.a.options]\nHash = []",
                "engines.a.options: Hash",
            ),
        ] {
            let fault = engines(text).unwrap_err();
            assert!(fault.contains(part), "{text}: {fault}");
        }
    }
}
