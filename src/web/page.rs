//! The files of the page, which are part of the program.

use std::sync::LazyLock;

use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};

use super::problem::Problem;
use crate::cli::language;

/// A file of the page.
struct Asset {
    path: &'static str,
    kind: &'static str,
    bytes: &'static [u8],
}

macro_rules! assets {
    ($($path:literal),* $(,)?) => {
        &[$(Asset {
            path: $path,
            kind: kind_of($path),
            bytes: include_bytes!(concat!("page/", $path)),
        }),*]
    };
}

/// All files of the page.
const ASSETS: &[Asset] = assets![
    "OFL.txt",
    "address.js",
    "api.js",
    "app.js",
    "autosave.js",
    "board.js",
    "boardview.js",
    "dom.js",
    "fen.js",
    "glyphs.js",
    "gomoku.js",
    "help.js",
    "i18n.js",
    "icon.svg",
    "icons.js",
    "index.html",
    "main.js",
    "page.css",
    "panels/book.js",
    "panels/engine.js",
    "panels/file.js",
    "panels/games.js",
    "panels/moves.js",
    "panels/play.js",
    "panels/proof.js",
    "panels/review.js",
    "panels/setup.js",
    "panels/table.js",
    "panels/tables.js",
    "panels/values.js",
    "pieces.js",
    "play.js",
    "points.js",
    "score.js",
    "session.js",
    "settings.js",
    "status.js",
    "store.js",
    "tree.js",
    "wire.js",
];

/// The module of the page that has the Chinese texts of the catalogue.
const CHINESE_PATH: &str = "zh.js";
static CHINESE: LazyLock<String> = LazyLock::new(|| {
    let texts = serde_json::json!(language::page_texts());
    format!("export const ZH = {texts};\n")
});

/// The kind of a file by its ending.
const fn kind_of(path: &str) -> &'static str {
    match path.as_bytes() {
        [.., b'h', b't', b'm', b'l'] => "text/html; charset=utf-8",
        [.., b'.', b'j', b's'] => "text/javascript; charset=utf-8",
        [.., b'c', b's', b's'] => "text/css; charset=utf-8",
        [.., b's', b'v', b'g'] => "image/svg+xml",
        [.., b'j', b's', b'o', b'n'] => "application/json",
        _ => "text/plain; charset=utf-8",
    }
}

/// Answers with a file of the page; `/` is its beginning.
pub(super) async fn asset(method: Method, uri: Uri, headers: HeaderMap) -> Response {
    if method != Method::GET && method != Method::HEAD {
        return Problem::method().into_response();
    }
    let path = match uri.path().trim_start_matches('/') {
        "" => "index.html",
        path => path,
    };
    let (kind, bytes) = match ASSETS.iter().find(|asset| asset.path == path) {
        Some(asset) => (asset.kind, asset.bytes),
        None if path == CHINESE_PATH => (kind_of(path), CHINESE.as_bytes()),
        None => return Problem::not_found("not_found", "there is no such page").into_response(),
    };
    // The program changes with its version only, but for builds on the way to one.
    let tag = format!("\"{}\"", &blake3::hash(bytes).to_hex()[..16]);
    let is_known = headers.get(header::IF_NONE_MATCH).is_some_and(|known| known == tag.as_str());
    let tag = HeaderValue::from_str(&tag).unwrap_or(HeaderValue::from_static("\"\""));
    let head = [
        (header::ETAG, tag),
        (header::CONTENT_TYPE, HeaderValue::from_static(kind)),
        (header::CACHE_CONTROL, HeaderValue::from_static("no-cache")),
    ];
    if is_known {
        return (StatusCode::NOT_MODIFIED, head).into_response();
    }
    (head, bytes).into_response()
}

/// The description of the answers, as OpenAPI has it.
pub(super) const DESCRIPTION: &str = include_str!("openapi.json");

/// Answers with that description.
pub(super) async fn openapi() -> Response {
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
        let bytes = ASSETS.iter().map(|asset| asset.bytes.len()).sum::<usize>() + CHINESE.len();
        assert!(bytes < 300_000, "{bytes} bytes");
    }
}
