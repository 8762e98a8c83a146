#!/usr/bin/env bash
# Makes a release archive, juzhong-VERSION-TARGET.tar.gz: the stripped program, licences, READMEs, completions
# and man pages, and the C API (capi.sh): header, libraries, pkg-config file, examples. Prints its path.
#
#     bash contrib/dist/dist.sh [--target TRIPLE] [--program FILE] [--wheel] [FOLDER]
#
# FOLDER (target/archives unless stated) gets the archive. --target builds for another machine; completions and man
# pages are then written by a program for this one. --program takes a program that was built before, for this
# machine, instead of building one. The same program gives the same archive, byte for byte, dated by
# SOURCE_DATE_EPOCH. --wheel makes a wheel of the Python package, too, as wheel.sh does. Needs GNU tar, for wheels maturin.
set -euo pipefail

target= program= folder= wheel=
while [ $# -gt 0 ]; do
    case $1 in
        --target) target=$2; shift 2 ;;
        --program) program=$(realpath "$2"); shift 2 ;;
        --wheel) wheel=yes; shift ;;
        -*) echo "usage: $0 [--target TRIPLE] [--program FILE] [--wheel] [FOLDER]" >&2; exit 2 ;;
        *) folder=$(mkdir -p "$1" && realpath "$1"); shift ;;
    esac
done
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
host=$(rustc -vV | sed -n 's/^host: //p')
target=${target:-$host}
if [ -n "$program" ] && [ "$target" != "$host" ]; then
    echo "$0: --program takes a program for this machine, so it does not go with --target $target" >&2
    exit 2
fi
folder=${folder:-$PWD/target/archives}
mkdir -p "$folder"

# The program for this machine, which writes completions and man pages, and the one for the archive.
build() { cargo build --profile dist --locked --bin juzhong "$@" >&2; }
built="${CARGO_TARGET_DIR:-target}"
libraries=(--profile dist)
if [ -n "$program" ]; then
    writer=$program
    libraries=(--profile release)
else
    build
    writer=$built/dist/juzhong
    program=$writer
    if [ "$target" != "$host" ]; then
        build --target "$target"
        libraries+=(--target "$target")
        program=$built/$target/dist/juzhong
        case $target in *windows*) program+=.exe ;; esac
    fi
fi
suffix=
case $target in *windows*) suffix=.exe ;; esac

version=$("$writer" --version | cut -d ' ' -f 2)
name=juzhong-$version-$target
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
root=$work/$name
mkdir -p "$root/completions" "$root/man"

install -m 755 "$program" "$root/juzhong$suffix"
if [ "$target" = "$host" ]; then
    # The profile strips already; a program that was built before may not be stripped.
    strip "$root/juzhong$suffix"
fi
install -m 644 LICENSE-APACHE LICENSE-MIT README.md README.zh-CN.md CHANGELOG.md "$root/"
completion() { "$writer" --lang en completions "$1" > "$root/completions/$2"; }
completion bash juzhong.bash
completion elvish juzhong.elv
completion fish juzhong.fish
completion powershell juzhong.ps1
completion zsh _juzhong
"$writer" --lang en man --dir "$root/man"
bash contrib/dist/capi.sh "${libraries[@]}" "$root"

tar --create --directory "$work" --sort=name --owner=0 --group=0 --numeric-owner --mtime="@${SOURCE_DATE_EPOCH:-0}" "$name" |
    gzip --best --no-name > "$folder/$name.tar.gz"
echo "$folder/$name.tar.gz"
if [ -n "$wheel" ]; then
    if [ "$target" = "$host" ]; then
        bash contrib/dist/wheel.sh "$folder"
    else
        bash contrib/dist/wheel.sh --target "$target" "$folder"
    fi
fi
