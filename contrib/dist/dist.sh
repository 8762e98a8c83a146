#!/usr/bin/env bash
# Makes a release archive: juzhong-VERSION-TARGET.tar.gz, for Windows juzhong-VERSION-TARGET.zip. Prints its path.
#
#     bash contrib/dist/dist.sh [--target TRIPLE] [--program FILE [--writer FILE] [--library FOLDER]] [--wheel] [FOLDER]
#
# In the archive are the stripped program, licences, READMEs, completions and man pages, and the C API (capi.sh): header,
# libraries, pkg-config file, examples. For Windows the texts are as Notepad reads them, with the guide for players in both
# languages, and there are completions for PowerShell only and no man pages.
#
# FOLDER (target/archives unless stated) gets the archive. --target builds for another machine; completions and man
# pages are then written by a program for this one, which is built too unless --writer names one. --program takes a program
# that was built before instead of building one, --library the folder of a library that was (capi.sh). The same program gives
# the same archive, byte for byte, dated by SOURCE_DATE_EPOCH. --wheel makes a wheel of the Python package, too, as wheel.sh
# does. Needs GNU tar, for Windows Python, for wheels maturin.
set -euo pipefail

target= program= writer= library= folder= wheel=
while [ $# -gt 0 ]; do
    case $1 in
        --target) target=$2; shift 2 ;;
        --program) program=$(realpath "$2"); shift 2 ;;
        --writer) writer=$(realpath "$2"); shift 2 ;;
        --library) library=$(realpath "$2"); shift 2 ;;
        --wheel) wheel=yes; shift ;;
        -*)
            echo "usage: $0 [--target TRIPLE] [--program FILE [--writer FILE] [--library FOLDER]] [--wheel] [FOLDER]" >&2
            exit 2
            ;;
        *) folder=$(mkdir -p "$1" && realpath "$1"); shift ;;
    esac
done
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
host=$("${RUSTC:-rustc}" -vV | sed -n 's/^host: //p')
target=${target:-$host}
folder=${folder:-$PWD/target/archives}
mkdir -p "$folder"
case $target in *windows*) windows=yes suffix=.exe ;; *) windows='' suffix='' ;; esac

# The program for this machine, which writes completions and man pages, and the one for the archive.
build() { cargo build --profile dist --locked --bin juzhong "$@" >&2; }
built="${CARGO_TARGET_DIR:-target}"
libraries=(--profile dist)
if [ -n "$program" ]; then
    libraries=(--profile release)
elif [ "$target" != "$host" ]; then
    build --target "$target"
    program=$built/$target/dist/juzhong$suffix
fi
if [ -z "$writer" ] && [ "$target" = "$host" ] && [ -n "$program" ]; then
    writer=$program
elif [ -z "$writer" ]; then
    build
    writer=$built/dist/juzhong
fi
program=${program:-$writer}
if [ "$target" != "$host" ]; then
    libraries+=(--target "$target")
fi
if [ -n "$library" ]; then
    libraries+=(--library "$library")
fi

version=$("$writer" --version | cut -d ' ' -f 2)
name=juzhong-$version-$target
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
root=$work/$name
mkdir -p "$root/completions"

install -m 755 "$program" "$root/juzhong$suffix"
# The profile strips already; a program that was built before may not be stripped.
if [ -z "$windows" ] && [ "$target" = "$host" ]; then
    strip "$root/juzhong$suffix"
elif [ "$target" = x86_64-pc-windows-gnu ] && command -v x86_64-w64-mingw32-strip > /dev/null; then
    # With the dates, for the time of stripping would be in the program otherwise.
    x86_64-w64-mingw32-strip --preserve-dates "$root/juzhong$suffix"
fi
completion() { "$writer" --lang en completions "$1" > "$root/completions/$2"; }
completion powershell juzhong.ps1
if [ "$windows" ]; then
    for file in LICENSE-APACHE LICENSE-MIT README.md README.zh-CN.md CHANGELOG.md; do
        python3 contrib/dist/text.py "$file" > "$root/${file%.md}.txt"
    done
    python3 contrib/dist/text.py docs/guide/windows.md > "$root/Guide.txt"
    python3 contrib/dist/text.py docs/guide/windows.zh-CN.md > "$root/使用说明.txt"
    # The properties of the file show it: build.rs.
    grep --quiet --text --perl-regexp 'O\0r\0i\0g\0i\0n\0a\0l\0F\0i\0l\0e\0n\0a\0m\0e\0' "$program" ||
        echo "$0: $program has no icon and no version: it was built without a compiler of resources" >&2
else
    install -m 644 LICENSE-APACHE LICENSE-MIT README.md README.zh-CN.md CHANGELOG.md "$root/"
    completion bash juzhong.bash
    completion elvish juzhong.elv
    completion fish juzhong.fish
    completion zsh _juzhong
    mkdir "$root/man"
    "$writer" --lang en man --dir "$root/man"
fi
bash contrib/dist/capi.sh "${libraries[@]}" "$root"

if [ "$windows" ]; then
    archive=$folder/$name.zip
    python3 contrib/dist/zip.py "$root" "$archive"
else
    archive=$folder/$name.tar.gz
    tar --create --directory "$work" --sort=name --owner=0 --group=0 --numeric-owner --mtime="@${SOURCE_DATE_EPOCH:-0}" \
        "$name" | gzip --best --no-name > "$archive"
fi
echo "$archive"
if [ -n "$wheel" ]; then
    if [ "$target" = "$host" ]; then
        bash contrib/dist/wheel.sh "$folder"
    else
        bash contrib/dist/wheel.sh --target "$target" "$folder"
    fi
fi
