#!/usr/bin/env bash
# Writes the C header, include/juzhong.h, from src/capi to standard output.
#
#     bash contrib/dist/header.sh [CBINDGEN] > include/juzhong.h
#
# CBINDGEN is the program (cargo install cbindgen --version 0.29.4). It would read the whole crate and take every
# public constant, so it is given the room alone, as one file.
set -euo pipefail
cbindgen=$(realpath "$(command -v "${1:-cbindgen}")")
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
room=$(mktemp --suffix .rs)
trap 'rm -f "$room"' EXIT
for file in status message board tables game book; do
    printf 'mod %s {\n' "$file"
    cat "src/capi/$file.rs"
    printf '}\n'
done > "$room"
"$cbindgen" --quiet --config cbindgen.toml "$room"
