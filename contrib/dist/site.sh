#!/usr/bin/env bash
# Makes a folder that any web server can offer: the page of `juzhong serve`, with WebAssembly in place of the server.
#
#     bash contrib/dist/site.sh --program FILE [--wasm FILE] [--tables FOLDER] FOLDER
#
# FOLDER must not be there yet, or be empty. --program is the program, whose page and version it is. --wasm takes a module
# that was built before, instead of building one, for which .ci/rust-web prepares the compiler (its folder is JUZHONG_RUST_WEB,
# $CARGO_HOME/juzhong-ci/rust-web unless stated). --tables takes endgame tables that were made before (rules asian, metric
# dtm); without it those of up to four men are made. The same program, module and tables give the same bytes. Needs Python 3.
set -euo pipefail

program= wasm= tables= folder=
while [ $# -gt 0 ]; do
    case $1 in
        --program) program=$(realpath "$2"); shift 2 ;;
        --wasm) wasm=$(realpath "$2"); shift 2 ;;
        --tables) tables=$(realpath "$2"); shift 2 ;;
        -*) program=; break ;;
        *) folder=$(mkdir -p "$1" && realpath "$1"); shift ;;
    esac
done
if [ -z "$program" ] || [ -z "$folder" ]; then
    echo "usage: $0 --program FILE [--wasm FILE] [--tables FOLDER] FOLDER" >&2
    exit 2
fi
if [ -n "$(ls -A "$folder")" ]; then
    echo "$0: $folder is not empty" >&2
    exit 1
fi
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
work=$(mktemp -d "$folder.XXXXXX")
chmod 755 "$work"
trap 'rm -rf "$work"' EXIT

if [ -z "$wasm" ]; then
    environment=$(.ci/rust-web "${JUZHONG_RUST_WEB:-${CARGO_HOME:-$HOME/.cargo}/juzhong-ci/rust-web}")
    (eval "$environment" && cd wasm && CARGO_TARGET_DIR="${CARGO_TARGET_DIR:-../target}" cargo build --release --locked) >&2
    wasm=${CARGO_TARGET_DIR:-target}/wasm32-unknown-unknown/release/juzhong_wasm.wasm
fi
install -m 644 "$wasm" "$work/juzhong.wasm"
install -m 644 wasm/page/bridge.js wasm/page/local.js wasm/page/worker.js LICENSE-APACHE LICENSE-MIT "$work/"

mkdir "$work/tables"
if [ -n "$tables" ]; then
    find "$tables" -maxdepth 1 -name '*.asian.dtm.jzt' -exec install -m 644 -t "$work/tables" {} +
else
    "$program" tablebase generate --men 4 --tables "$work/tables" > "$work/log" 2>&1 || { cat "$work/log" >&2; exit 1; }
    find "$work/tables" -type f ! -name '*.jzt' -delete
    rm "$work/log"
fi
chmod 644 "$work"/tables/*
"$program" tablebase list --tables "$work/tables" --json > "$work/tables/answer.json"
python3 contrib/dist/site.py "$program" "$work"
rm "$work/tables/answer.json"

rmdir "$folder"
mv -T "$work" "$folder"
echo "$folder"
