//! Settings of the user: defaults of options from a file and from the environment.
//!
//! A setting becomes the default value of an option in the commands that it serves, before the command line is
//! read; so the command line counts more than the environment, the environment more than the file, the file more
//! than the program.

use std::collections::BTreeMap;
use std::env;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use clap::error::ErrorKind;
use clap::{Arg, Command};
use serde::Deserialize;

use super::engine_table;
use crate::cli::{CliError, exit, user_folders};
use crate::language::usage;
use juzhong::answers::{ConfigAnswer, SettingInEffect};
use juzhong::bytes::open;
use juzhong::bytes::visible::ShowPath;
use juzhong::engine::OwnBook;
use juzhong::message::{Message, message};
use juzhong::protocol::client::EngineEntry;
use juzhong::xiangqi::RuleSet;

/// The largest settings file that is read, in bytes.
const MAX_FILE: u64 = 1 << 20;
/// The name of the file in the settings folder of the user.
const FILE: &str = "config.toml";
/// Given as `--config`, no file is read.
const NO_FILE: &str = "none";

/// The settings that serve every game.
const GENERAL: [&str; 5] = ["notation", "board", "lang", "hash", "threads"];

/// The commands that play.
const PLAYERS: &[&[&str]] = &[&["play"], &["analyse"], &["uci"], &["ucci"]];
/// The commands that review games and what was learned from them: their results depend on books, tables, rules and the
/// evaluation, and on no size of the engine.
const REVIEW: &[&[&str]] = &[&["review"], &["train"]];
/// The commands whose searches give scores to books.
const SCORES: &[&[&str]] = &[&["book", "score"], &["book", "expand"]];
/// The command that shows books and tables on its page: book files as they are, and one folder of tables.
const SERVE: &[&[&str]] = &[&["serve"]];
/// The commands that read endgame tables from one folder.
const TABLES: &[&[&str]] = &[
    &["tablebase", "generate"],
    &["tablebase", "probe"],
    &["tablebase", "line"],
    &["tablebase", "stats"],
    &["tablebase", "list"],
    &["tablebase", "verify"],
];
/// The commands that show moves.
const SHOWS_MOVES: &[&[&str]] = &[
    &["play"],
    &["analyse"],
    &["position"],
    &["review"],
    &["train"],
    &["book", "query"],
    &["book", "stats"],
    &["book", "expand"],
    &["book", "flag"],
    &["tablebase", "probe"],
    &["tablebase", "line"],
];

/// The commands that show boards.
const SHOWS_BOARDS: &[&[&str]] = &[
    &["play"],
    &["train"],
    &["position"],
    &["analyse"],
    &["demo"],
    &["tablebase", "probe"],
    &["tablebase", "line"],
];

/// The kind of a setting's values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ValueKind {
    /// A word or a number.
    Plain,
    /// Book files with options, the first of them for commands that take one book.
    Books,
    /// Folders.
    Folders,
}

/// A setting: its name in the file and the options it is the default of.
struct Setting {
    name: &'static str,
    /// True if it stands in the table `engine`.
    of_engine: bool,
    kind: ValueKind,
    /// The id of the option, and the commands that have it.
    serves: &'static [(&'static str, &'static [&'static [&'static str]])],
}

const fn plain(
    name: &'static str,
    serves: &'static [(&'static str, &'static [&'static [&'static str]])],
) -> Setting {
    Setting { name, of_engine: false, kind: ValueKind::Plain, serves }
}

const fn engine(
    name: &'static str,
    serves: &'static [(&'static str, &'static [&'static [&'static str]])],
) -> Setting {
    Setting { name, of_engine: true, kind: ValueKind::Plain, serves }
}

/// All settings, in the order in which they are shown.
const SETTINGS: [Setting; 18] = [
    Setting {
        name: "book",
        of_engine: false,
        kind: ValueKind::Books,
        serves: &[
            ("book", PLAYERS),
            ("book", REVIEW),
            ("book", SERVE),
            ("book", &[&["book", "query"]]),
        ],
    },
    Setting {
        name: "tables",
        of_engine: false,
        kind: ValueKind::Folders,
        serves: &[("tables", PLAYERS), ("tables", REVIEW), ("tables", SERVE), ("dir", TABLES)],
    },
    plain("rules", &[("rules", PLAYERS), ("rules", REVIEW), ("rules", &[&["position"]])]),
    plain("notation", &[("notation", SHOWS_MOVES)]),
    plain("board", &[("board", SHOWS_BOARDS)]),
    plain("lang", &[("lang", &[&[]])]),
    engine("hash", &[("hash", PLAYERS)]),
    engine("threads", &[("threads", PLAYERS)]),
    engine(
        "evaluation",
        &[
            ("evaluation", PLAYERS),
            ("evaluation", REVIEW),
            ("evaluation", SERVE),
            ("evaluation", SCORES),
        ],
    ),
    engine("policy", &[("policy", PLAYERS)]),
    engine("book-plies", &[("book_plies", PLAYERS)]),
    engine("book-min-games", &[("book_min_games", PLAYERS)]),
    engine("book-min-weight", &[("book_min_weight", PLAYERS)]),
    engine("book-misses", &[("book_misses", PLAYERS)]),
    engine("temperature", &[("temperature", PLAYERS)]),
    engine("tables-rules", &[("tables_rules", PLAYERS), ("tables_rules", REVIEW)]),
    engine("tables-metric", &[("tables_metric", PLAYERS), ("tables_metric", REVIEW)]),
    engine("tables-depth", &[("tables_depth", PLAYERS), ("tables_depth", REVIEW)]),
];

impl Setting {
    /// The name with its table.
    fn full_name(&self) -> String {
        if self.of_engine { format!("engine.{}", self.name) } else { self.name.to_owned() }
    }

    /// The variable of the environment.
    fn variable(&self) -> String {
        format!("JUZHONG_{}", self.name.to_uppercase().replace('-', "_"))
    }

    /// The values of the environment's variable.
    fn of_environment(&self) -> Option<Vec<OsString>> {
        let value = env::var_os(self.variable()).filter(|value| !value.is_empty())?;
        Some(match self.kind {
            ValueKind::Folders => env::split_paths(&value).map(PathBuf::into_os_string).collect(),
            ValueKind::Plain | ValueKind::Books => vec![value],
        })
    }

    /// The options that it is the default of, each with its command.
    fn places(&self) -> impl Iterator<Item = (&'static str, &'static [&'static str])> {
        let served = self.serves.iter();
        served.flat_map(|&(option, paths)| paths.iter().map(move |&path| (option, path)))
    }

    /// The values for an option: commands that take one book or one folder get the first, and those that do not play
    /// get books without what is to be played of them.
    fn values_for(&self, path: &[&str], values: &[OsString]) -> Vec<OsString> {
        let is_serve = SERVE.contains(&path);
        let takes_one = path.len() > 1;
        match self.kind {
            ValueKind::Books if takes_one => book_files(values).into_iter().take(1).collect(),
            ValueKind::Books if is_serve => book_files(values),
            ValueKind::Folders if takes_one || is_serve => values.iter().take(1).cloned().collect(),
            _ => values.to_vec(),
        }
    }

    /// The values of the program itself.
    fn defaults(&self, program: &Command, usual: &[(&str, String)]) -> Vec<OsString> {
        let mut places = self.places().filter_map(|(option, path)| place_of(program, path, option));
        let values = places.next().map(|(_, arg)| arg.get_default_values()).unwrap_or_default();
        let usual = usual.iter().find(|(name, _)| values.is_empty() && *name == self.name);
        match usual {
            Some((_, value)) => vec![value.into()],
            None => values.iter().map(|value| AsRef::<OsStr>::as_ref(value).to_owned()).collect(),
        }
    }
}

/// The files of books that are named with the sides and policies they are for, each once.
fn book_files(values: &[OsString]) -> Vec<OsString> {
    let mut files = Vec::new();
    for text in values.iter().filter_map(|value| value.to_str()) {
        let file = OwnBook::parse(text).path.into_os_string();
        if !files.contains(&file) {
            files.push(file);
        }
    }
    files
}

/// One value, or a list of them.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Values {
    Number(i64),
    Text(String),
    List(Vec<String>),
}

impl Values {
    fn into_texts(self) -> Vec<String> {
        match self {
            Self::Number(number) => vec![number.to_string()],
            Self::Text(text) => vec![text],
            Self::List(list) => list,
        }
    }
}

/// The source of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Origin {
    File,
    Environment,
}

/// The settings that the user has made.
pub(crate) struct Settings {
    /// The file, whether it is there or not.
    file: Option<PathBuf>,
    is_read: bool,
    values: BTreeMap<&'static str, (Vec<OsString>, Origin)>,
    engines: Vec<EngineEntry>,
}

impl Settings {
    /// Reads the file that the arguments, the environment or the system's custom names, and the environment. Values
    /// that the options of `program` would refuse are refused; it is made only if there are values.
    pub(crate) fn load(args: &[OsString], program: fn() -> Command) -> Result<Self, CliError> {
        let named = value_of(args, "--config").map(PathBuf::from).or_else(|| {
            env::var_os("JUZHONG_CONFIG").filter(|value| !value.is_empty()).map(PathBuf::from)
        });
        // The command that writes the file makes it where it is missing.
        let is_made = args.windows(2).any(|words| words[0] == "engine" && words[1] == "add");
        let is_named = named.is_some() && !is_made;
        let file = match named {
            Some(file) if file.as_os_str() == NO_FILE => None,
            Some(file) => Some(file),
            None => user_folders::config().map(|folder| folder.join(FILE)),
        };
        let mut settings =
            Self { file, is_read: false, values: BTreeMap::new(), engines: Vec::new() };
        if let Some(file) = settings.file.clone() {
            settings.read(&file, is_named)?;
        }
        // After the file, whose values these replace.
        for setting in &SETTINGS {
            if let Some(values) = setting.of_environment() {
                settings.values.insert(setting.name, (values, Origin::Environment));
            }
        }
        settings.check(program)?;
        Ok(settings)
    }

    fn read(&mut self, file: &Path, is_named: bool) -> Result<(), CliError> {
        let bytes = match open::read(file, MAX_FILE) {
            Err(error) if !is_named && is_out_of_reach(&error) => return Ok(()),
            Err(error) => return Err(CliError::new(exit::NO_INPUT, error).within(file.shown())),
            Ok(bytes) => bytes,
        };
        let bad =
            |what: Message| CliError::message(exit::USAGE, message!("{}: {what}", file.shown()));
        let text = String::from_utf8(bytes).map_err(|_| bad("not UTF-8".into()))?;
        let text = text.trim_start_matches('\u{feff}');
        let mut table: toml::Table =
            text.parse().map_err(|e: toml::de::Error| bad(e.to_string().into()))?;
        let mut engine = match table.remove("engine") {
            None => toml::Table::new(),
            Some(toml::Value::Table(engine)) => engine,
            Some(_) => return Err(bad("engine is a table; write [engine]".into())),
        };
        let folder = file.parent().unwrap_or(Path::new(""));
        if table.remove(engine_table::NAME).is_some() {
            self.engines = engine_table::read(text, folder).map_err(bad)?;
        }
        // Known keys are removed one by one, so that unknown ones are left.
        for setting in &SETTINGS {
            let from = if setting.of_engine { &mut engine } else { &mut table };
            let Some(value) = from.remove(setting.name) else { continue };
            let values = value.try_into::<Values>();
            let wrong = |_| {
                bad(message!("{}: write a text, a number or a list of texts", setting.full_name()))
            };
            let values = values.map_err(wrong)?.into_texts().into_iter().map(|text| match setting
                .kind
            {
                ValueKind::Plain => text.into(),
                ValueKind::Books | ValueKind::Folders => resolved(folder, &text).into_os_string(),
            });
            self.values.insert(setting.name, (values.collect(), Origin::File));
        }
        let unknown =
            table.keys().cloned().chain(engine.keys().map(|key| format!("engine.{key}"))).next();
        if let Some(key) = unknown {
            let names = SETTINGS.iter().map(Setting::full_name);
            let names: Vec<String> = names.chain(["engines.NAME".to_owned()]).collect();
            return Err(bad(message!("there is no setting {key}; there are {}", names.join(", "))));
        }
        self.is_read = true;
        Ok(())
    }

    /// Refuses values that their options would refuse, and says where they stand.
    fn check(&self, program: fn() -> Command) -> Result<(), CliError> {
        if self.values.is_empty() {
            return Ok(());
        }
        let program = program();
        for setting in &SETTINGS {
            let Some((values, origin)) = self.values.get(setting.name) else { continue };
            if setting.kind == ValueKind::Plain && values.len() != 1 {
                let message = message!("{}: one value is needed", self.place(setting, *origin));
                return Err(CliError::message(exit::USAGE, message));
            }
            // The options take any text, for they serve games with other rules; the setting is of xiangqi only.
            if setting.name == "rules" {
                let text = values[0].to_string_lossy();
                let rules = text.parse::<RuleSet>();
                rules.map_err(|error| {
                    CliError::new(exit::USAGE, error).within(self.place(setting, *origin))
                })?;
            }
            for (option, path) in setting.places() {
                let values = setting.values_for(path, values);
                let Some(found) = place_of(&program, path, option) else { continue };
                if let Err(fault) = accepts(found, &values) {
                    let message = message!("{}: {fault}", self.place(setting, *origin));
                    return Err(CliError::message(exit::USAGE, message));
                }
            }
        }
        Ok(())
    }

    /// The place where the user made a setting.
    fn place(&self, setting: &Setting, origin: Origin) -> String {
        match (origin, &self.file) {
            (Origin::File, Some(file)) => format!("{}: {}", file.shown(), setting.full_name()),
            _ => setting.variable(),
        }
    }

    /// The only value of a setting, if the user made it.
    pub(crate) fn value(&self, name: &str) -> Option<&OsStr> {
        let (values, _) = self.values.get(name)?;
        values.first().map(OsString::as_os_str)
    }

    /// Answers `juzhong config`: every setting with its values and where they come from. `usual` has the values, by
    /// the names of settings, of options whose default value is found while the program runs.
    pub(crate) fn in_effect(&self, program: &Command, usual: &[(&str, String)]) -> ConfigAnswer {
        let settings = SETTINGS.iter().map(|setting| self.row(setting, program, usual));
        ConfigAnswer {
            schema: ConfigAnswer::SCHEMA,
            file: self.file.as_ref().map(|file| file.to_string_lossy().into_owned()),
            file_read: self.is_read,
            settings: settings.collect(),
        }
    }

    /// A setting with its values and where they come from.
    fn row(
        &self,
        setting: &Setting,
        program: &Command,
        usual: &[(&str, String)],
    ) -> SettingInEffect {
        let (values, source) = match self.values.get(setting.name) {
            Some((values, Origin::File)) => (values.clone(), "file".to_owned()),
            Some((values, Origin::Environment)) => (values.clone(), setting.variable()),
            None => (setting.defaults(program, usual), "default".to_owned()),
        };
        let values = values.iter().map(|value| value.to_string_lossy().into_owned()).collect();
        SettingInEffect { name: setting.full_name(), values, source }
    }

    /// The engines of other programs, in the order of the file.
    pub(crate) fn engines(&self) -> &[EngineEntry] {
        &self.engines
    }

    /// The settings file, whether it is there or not; `None` if there is to be none.
    pub(crate) fn file(&self) -> Option<&Path> {
        self.file.as_deref()
    }

    /// Makes the settings the defaults of the options that they serve. Books, tables and rules are of xiangqi, so
    /// that `args` which name another game have defaults without them.
    pub(crate) fn apply(&self, mut command: Command, args: &[OsString]) -> Command {
        let is_other_game = value_of(args, "--game").is_some_and(|game| game != "xiangqi");
        for setting in &SETTINGS {
            let Some((values, _)) = self.values.get(setting.name) else { continue };
            if is_other_game && !GENERAL.contains(&setting.name) {
                continue;
            }
            for (option, path) in setting.places() {
                let values = setting.values_for(path, values);
                // The page is a feature of its own.
                if !values.is_empty() && place_of(&command, path, option).is_some() {
                    command = with_default(command, path, option, &values);
                }
            }
        }
        command
    }
}

/// The command that `path` names, and its option.
fn place_of<'a>(
    program: &'a Command,
    path: &[&str],
    option: &str,
) -> Option<(&'a Command, &'a Arg)> {
    let command = path.iter().try_fold(program, |command, name| command.find_subcommand(name))?;
    command.get_arguments().find(|arg| arg.get_id() == option).map(|arg| (command, arg))
}

/// Lets a command read the values of an option; the fault that it finds in them.
fn accepts((command, arg): (&Command, &Arg), values: &[OsString]) -> Result<(), Message> {
    let name = arg.get_long().map(|long| OsString::from(format!("--{long}")));
    // A positional argument has no name: its values stand alone.
    let values = values.iter().flat_map(|value| name.iter().cloned().chain([value.clone()]));
    let line = std::iter::once("juzhong".into()).chain(values);
    let Err(error) = command.clone().try_get_matches_from(line) else { return Ok(()) };
    if !matches!(error.kind(), ErrorKind::InvalidValue | ErrorKind::ValueValidation) {
        return Ok(()); // Something else that the command needs is missing here.
    }
    Err(usage::fault(&error))
}

/// Returns true if there is no file, or none that this user may look for.
fn is_out_of_reach(error: &std::io::Error) -> bool {
    use std::io::ErrorKind::{NotADirectory, NotFound, PermissionDenied};
    matches!(error.kind(), NotFound | NotADirectory | PermissionDenied)
}

/// The command with default values for an option of the command below it that `path` names.
fn with_default(command: Command, path: &[&str], option: &str, values: &[OsString]) -> Command {
    match path.split_first() {
        Some((name, rest)) => {
            command.mut_subcommand(name, |below| with_default(below, rest, option, values))
        }
        None => command.mut_arg(option, |arg| {
            let values: Vec<clap::builder::OsStr> =
                values.iter().map(clap::builder::OsStr::from).collect();
            // clap allows no default for an argument that is required.
            arg.default_values(values).required(false).hide_default_value(true)
        }),
    }
}

/// The value of an option among arguments that are not read yet.
pub(crate) fn value_of(args: &[OsString], option: &str) -> Option<OsString> {
    // Words behind `--` are no options.
    let mut args = args.iter().skip(1).take_while(|arg| *arg != "--");
    while let Some(arg) = args.next() {
        if arg == option {
            return args.next().cloned();
        }
        let value = arg.to_str().and_then(|arg| arg.strip_prefix(option)?.strip_prefix('='));
        if let Some(value) = value {
            return Some(value.into());
        }
    }
    None
}

/// A path of the file: relative to its folder, or to the user's own with `~/`.
pub(super) fn resolved(folder: &Path, text: &str) -> PathBuf {
    match (text.strip_prefix("~/"), etcetera::home_dir()) {
        (Some(rest), Ok(home)) => home.join(rest),
        _ => folder.join(text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The values of these texts.
    fn values(texts: &[&str]) -> Vec<OsString> {
        texts.iter().map(OsString::from).collect()
    }

    /// The values of a setting for the command of that path, if the user gave these.
    fn of(name: &str, path: &[&str], texts: &[&str]) -> Vec<OsString> {
        let setting = SETTINGS.iter().find(|setting| setting.name == name).unwrap();
        setting.values_for(path, &values(texts))
    }

    #[test]
    fn the_page_gets_each_book_once_and_the_first_folder() {
        let books = ["a.book:red", "a.book:black", "b.book:policy=best", "c.book"];
        assert_eq!(of("book", &["serve"], &books), values(&["a.book", "b.book", "c.book"]));
        assert_eq!(of("book", &["book", "query"], &books), values(&["a.book"]));
        assert_eq!(of("book", &["play"], &books), values(&books));
        assert_eq!(of("tables", &["serve"], &["t", "u"]), values(&["t"]));
        assert_eq!(of("tables", &["play"], &["t", "u"]), values(&["t", "u"]));
    }
}
