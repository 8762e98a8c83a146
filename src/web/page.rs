//! The files of the page, which are part of the program.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::LazyLock;

use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};

use super::problem::Problem;
use crate::language;
use crate::language::script_texts::strings_of_script;

/// A file of the page.
struct Asset {
    path: &'static str,
    bytes: &'static [u8],
}

impl Asset {
    /// The text of a script, a style or a page; none of a picture.
    fn text(&self) -> &'static str {
        std::str::from_utf8(self.bytes).unwrap_or_default()
    }

    /// The bytes that are sent: of scripts and styles without the lines that are comments, which stay empty, so that a browser's
    /// messages name the lines of the file, and without indents and the types of expressions.
    fn sent(&self) -> Cow<'static, [u8]> {
        let text = std::str::from_utf8(self.bytes);
        match text.ok().filter(|_| self.path.ends_with(".js") || self.path.ends_with(".css")) {
            Some(text) => Cow::Owned(without_comments(text).into_bytes()),
            None => Cow::Borrowed(self.bytes),
        }
    }
}

/// A script without the lines that are nothing but comments. The scripts have no text over several lines that looks like
/// one: a test says so.
fn without_comments(script: &str) -> String {
    let mut is_open = false;
    let mut out = String::with_capacity(script.len());
    for line in script.lines() {
        let code = line.trim();
        let is_comment = is_open || code.starts_with("//") || code.starts_with("/*");
        is_open = (is_open || code.starts_with("/*")) && !code.contains("*/");
        // A comment may end before code; such a line stays.
        if !is_comment || code.contains("*/") && !code.ends_with("*/") {
            push_without_types(&mut out, line.trim_start());
        }
        out.push('\n');
    }
    out
}

/// Adds a line without the comments that state the types of its expressions.
fn push_without_types(out: &mut String, line: &str) {
    let mut rest = line;
    while let Some((before, comment)) = rest.split_once("/** @") {
        let Some((_, after)) = comment.split_once("*/") else { break };
        out.push_str(before);
        rest = after.trim_start();
    }
    out.push_str(rest);
}

macro_rules! assets {
    ($($path:literal),* $(,)?) => {
        &[$(Asset {
            path: $path,
            bytes: include_bytes!(concat!("page/", $path)),
        }),*]
    };
}

/// All files of the page.
const ASSETS: &[Asset] = assets![
    "OFL.txt",
    "address.js",
    "annotations.js",
    "api.js",
    "app.js",
    "autosave.js",
    "board.js",
    "boardview.js",
    "comment.js",
    "divide.js",
    "dom.js",
    "ending.js",
    "engines.js",
    "fen.js",
    "gamelist.js",
    "gamequery.js",
    "glyphs.js",
    "gomoku.js",
    "hearing.js",
    "help.js",
    "i18n.js",
    "icon-192.png",
    "icon.svg",
    "icons.js",
    "index.html",
    "later.js",
    "link.js",
    "main.js",
    "manifest.webmanifest",
    "movelist.js",
    "opened.js",
    "page.css",
    "panels/annotate.js",
    "panels/book.js",
    "panels/captured.js",
    "panels/engine.js",
    "panels/file.js",
    "panels/files.js",
    "panels/games.js",
    "panels/moves.js",
    "panels/play.js",
    "panels/proof.js",
    "panels/review.js",
    "panels/setup.js",
    "panels/share.js",
    "panels/table.js",
    "panels/tables.js",
    "panels/values.js",
    "panels/welcome.js",
    "picture.js",
    "pieces.js",
    "play.js",
    "points.js",
    "recent.js",
    "rules.js",
    "score.js",
    "session.js",
    "settings.js",
    "sheet.js",
    "sound.js",
    "status.js",
    "store.js",
    "sw.js",
    "tags.js",
    "teach/course.js",
    "teach/endings.js",
    "teach/endingscourse.js",
    "teach/exercises.js",
    "teach/keep.js",
    "teach/lesson.js",
    "teach/lessons.js",
    "teach/mistakes.js",
    "teach/openings.js",
    "teach/preview.js",
    "teach/repertoire.js",
    "teach/report.js",
    "teach/teach.css",
    "teach/verdict.js",
    "tracks.js",
    "tree.js",
    "wire.js",
    "workbar.js",
];

/// A file as it is sent.
struct File {
    kind: &'static str,
    bytes: Cow<'static, [u8]>,
    /// The same as a zstd frame.
    packed: Vec<u8>,
    /// The beginning of the hash of the bytes.
    tag: String,
}

impl File {
    fn new(path: &str, bytes: Cow<'static, [u8]>) -> Self {
        let packed = zstd::bulk::compress(&bytes, PACKING).unwrap_or_default();
        let tag = blake3::hash(&bytes).to_hex()[..16].to_owned();
        Self { kind: kind_of(path), bytes, packed, tag }
    }
}

/// The level of zstd.
const PACKING: i32 = 9;

/// The path of a file that another one names.
fn named_by(path: &str, name: &str) -> String {
    let mut folders: Vec<&str> = path.split('/').collect();
    folders.pop();
    for part in name.split('/') {
        match part {
            "." => {}
            ".." => drop(folders.pop()),
            part => folders.push(part),
        }
    }
    folders.join("/")
}

/// The files that a file of the page loads by itself: scripts by `from '…'` at the beginnings of lines, others by the
/// attributes of elements.
fn loaded_by(asset: &Asset) -> Vec<String> {
    let text = asset.text();
    let names: Vec<&str> = match asset.path.rsplit('.').next() {
        // What the page needs once it is installed is loaded then.
        Some("html") => text
            .lines()
            .filter(|line| !line.contains("apple-touch-icon") && !line.contains("manifest"))
            .filter_map(|line| line.split_once(" href=\"").or_else(|| line.split_once(" src=\"")))
            .filter_map(|(_, rest)| rest.split('"').next())
            .collect(),
        Some("js") => text
            .lines()
            .filter(|line| line.starts_with("import ") || line.starts_with("export "))
            .filter_map(|line| line.split(" from '").nth(1)?.split('\'').next())
            .collect(),
        _ => Vec::new(),
    };
    names.into_iter().map(|name| named_by(asset.path, name)).collect()
}

/// The files that the first view loads, but for texts.
fn first_view() -> Vec<&'static Asset> {
    let mut found: Vec<&Asset> = ASSETS.iter().filter(|asset| asset.path == "index.html").collect();
    // The list grows while it is gone through; no file is added twice, so that this ends.
    let mut next = 0;
    while let Some(&asset) = found.get(next) {
        for name in loaded_by(asset) {
            let named = ASSETS.iter().find(|other| other.path == name);
            found.extend(named.filter(|named| !found.iter().any(|other| other.path == named.path)));
        }
        next += 1;
    }
    found
}

/// The texts that stand in some scripts.
fn texts_of<'a>(scripts: impl Iterator<Item = &'a Asset>) -> HashSet<String> {
    let scripts = scripts.filter(|asset| asset.path.ends_with(".js"));
    scripts.flat_map(|asset| strings_of_script(asset.text())).collect()
}

/// The Chinese texts of the catalogue as modules: those of the first view, and those that stand only in what is loaded later.
fn chinese_modules() -> [Cow<'static, [u8]>; 2] {
    let first = first_view();
    let at_first = texts_of(first.iter().copied());
    let others = ASSETS.iter().filter(|asset| first.iter().all(|other| other.path != asset.path));
    let mut later = texts_of(others);
    // A text that is there from the first view on is not sent again.
    later.retain(|text| !at_first.contains(text));
    let (later, first): (BTreeMap<_, _>, BTreeMap<_, _>) =
        language::page_texts().iter().partition(|(text, _)| later.contains(*text));
    [first, later].map(|texts| {
        let texts = serde_json::to_string(&texts).unwrap_or_default();
        Cow::Owned(format!("export const ZH = {texts};\n").into_bytes())
    })
}

/// The files by their paths: those of the folder, and the Chinese texts of the catalogue as modules.
static FILES: LazyLock<HashMap<&'static str, File>> = LazyLock::new(|| {
    let [first, later] = chinese_modules();
    let assets = ASSETS.iter().map(|asset| (asset.path, asset.sent()));
    let all = assets.chain([("zh.js", first), ("zh-later.js", later)]);
    all.map(|(path, bytes)| (path, File::new(path, bytes))).collect()
});

/// The kind of a file by its ending.
const fn kind_of(path: &str) -> &'static str {
    match path.as_bytes() {
        [.., b'h', b't', b'm', b'l'] => "text/html; charset=utf-8",
        [.., b'.', b'j', b's'] => "text/javascript; charset=utf-8",
        [.., b'c', b's', b's'] => "text/css; charset=utf-8",
        [.., b's', b'v', b'g'] => "image/svg+xml",
        [.., b'j', b's', b'o', b'n'] => "application/json",
        [.., b'p', b'n', b'g'] => "image/png",
        [.., b'f', b'e', b's', b't'] => "application/manifest+json",
        _ => "text/plain; charset=utf-8",
    }
}

/// Answers with a file of the page; `/` is its beginning.
pub(crate) async fn asset(method: Method, uri: Uri, headers: HeaderMap) -> Response {
    if method != Method::GET && method != Method::HEAD {
        return Problem::method().into_response();
    }
    let path = match uri.path().trim_start_matches('/') {
        "" => "index.html",
        path => path,
    };
    let Some(file) = FILES.get(path) else {
        return Problem::not_found("not_found", "there is no such page").into_response();
    };
    let accepted = headers.get_all(header::ACCEPT_ENCODING).iter();
    let mut accepted =
        accepted.filter_map(|value| value.to_str().ok()).flat_map(|value| value.split(','));
    let is_packed = !file.packed.is_empty() && accepted.any(|name| name.trim() == "zstd");
    // The program changes with its version only, but for builds on the way to one.
    let tag = format!("\"{}{}\"", file.tag, if is_packed { "-zstd" } else { "" });
    let is_known = headers.get(header::IF_NONE_MATCH).is_some_and(|known| known == tag.as_str());
    let bytes = match (is_known, is_packed) {
        (true, _) => &[],
        (false, true) => file.packed.as_slice(),
        (false, false) => file.bytes.as_ref(),
    };
    let status = if is_known { StatusCode::NOT_MODIFIED } else { StatusCode::OK };
    let mut response = (status, bytes).into_response();
    let head = response.headers_mut();
    if let Ok(tag) = HeaderValue::from_str(&tag) {
        head.insert(header::ETAG, tag);
    }
    head.insert(header::CONTENT_TYPE, HeaderValue::from_static(file.kind));
    head.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    head.insert(header::VARY, HeaderValue::from_static("accept-encoding"));
    if is_packed {
        head.insert(header::CONTENT_ENCODING, HeaderValue::from_static("zstd"));
    }
    response
}

/// The description of the answers, as OpenAPI has it.
pub(crate) const DESCRIPTION: &str = include_str!("openapi.json");

/// Answers with that description.
pub(crate) async fn openapi() -> Response {
    let kind = HeaderValue::from_static("application/json");
    ([(header::CONTENT_TYPE, kind)], DESCRIPTION).into_response()
}

#[cfg(test)]
mod tests {
    use std::path::{Path, PathBuf};

    use super::*;

    fn files(folder: &Path, found: &mut Vec<PathBuf>) {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() { files(&path, found) } else { found.push(path) }
        }
    }

    #[test]
    fn every_file_of_the_page_is_part_of_the_program() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/web/page");
        let mut found = Vec::new();
        files(&folder, &mut found);
        let mut found: Vec<String> = found
            .iter()
            .map(|path| path.strip_prefix(&folder).unwrap().to_string_lossy().replace('\\', "/"))
            .collect();
        found.sort();
        let mut listed: Vec<&str> = ASSETS.iter().map(|asset| asset.path).collect();
        listed.sort_unstable();
        assert_eq!(found, listed);
    }

    /// The bytes of some files, as they are and packed.
    fn weight<'a>(paths: impl Iterator<Item = &'a str>) -> (usize, usize) {
        paths.map(|path| &FILES[path]).fold((0, 0), |(bytes, packed), file| {
            (bytes + file.bytes.len(), packed + file.packed.len())
        })
    }

    #[test]
    fn the_first_view_is_light() {
        let first: Vec<&str> =
            first_view().iter().map(|asset| asset.path).chain(["zh.js"]).collect();
        for path in ["main.js", "page.css", "glyphs.js"] {
            assert!(first.contains(&path), "{first:?}");
        }
        // What teaches comes when it is asked for.
        assert!(!first.iter().any(|path| path.starts_with("teach/")), "{first:?}");
        let (bytes, packed) = weight(first.iter().copied());
        assert!(bytes < 300_000 && packed < 150_000, "{bytes} bytes, packed {packed}");
    }

    #[test]
    fn chinese_texts_are_parted_by_what_is_loaded_first() {
        let [first, later] = ["zh.js", "zh-later.js"].map(|path| {
            let module = std::str::from_utf8(&FILES[path].bytes).unwrap();
            let texts = module.strip_prefix("export const ZH = ").unwrap().trim_end();
            let texts: BTreeMap<String, String> =
                serde_json::from_str(texts.strip_suffix(';').unwrap()).unwrap();
            texts
        });
        assert_eq!(first.len() + later.len(), language::page_texts().len());
        assert!(later.len() > 100, "{}", later.len());
        for text in later.keys() {
            let literal = format!("'{}'", text.replace('\'', "\\'"));
            for asset in first_view().iter().filter(|asset| asset.path.ends_with(".js")) {
                let is_there = without_comments(asset.text()).contains(&literal);
                assert!(!is_there, "{}: {text}", asset.path);
            }
        }
    }

    #[test]
    fn the_whole_page_is_not_heavy() {
        // The licence is loaded by whoever wants to read it.
        let (bytes, packed) = weight(FILES.keys().copied().filter(|path| *path != "OFL.txt"));
        assert!(bytes < 900_000 && packed < 400_000, "{bytes} bytes, packed {packed}");
    }

    #[test]
    fn comments_are_not_sent() {
        let script = "// a\nlet a = 1; // b\n  /** c\n   * d\n   */\n/* e */ f();\n/** g */\n  h(`/* i`, /** @type {A} */ (k));\n";
        let sent = "\nlet a = 1; // b\n\n\n\n/* e */ f();\n\nh(`/* i`, (k));\n";
        assert_eq!(without_comments(script), sent);
        // No text that goes over lines has a line that looks like a comment: the quotation marks before it come in pairs.
        for asset in ASSETS.iter().filter(|asset| asset.path.ends_with(".js")) {
            let text = std::str::from_utf8(asset.bytes).unwrap();
            let mut marks = 0;
            for line in text.lines() {
                let is_comment = ["//", "/*", "*"].iter().any(|sign| line.trim().starts_with(sign));
                assert!(!is_comment || marks % 2 == 0, "{}: {line}", asset.path);
                if !is_comment {
                    marks += line.replace("[^`]", "").matches('`').count();
                }
            }
        }
    }
}
