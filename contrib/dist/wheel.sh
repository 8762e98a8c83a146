#!/usr/bin/env bash
# Makes a wheel of the Python package, for Python 3.10 and later: juzhong-VERSION-cp310-abi3-PLATFORM.whl. Prints its path.
#
#     bash contrib/dist/wheel.sh [--target TRIPLE] [--profile PROFILE] [--maturin FILE] [FOLDER]
#
# FOLDER (target/archives unless stated) gets the wheel. --target builds for another machine, --profile with another profile
# than dist. Needs maturin, in the PATH unless --maturin names it. The tag of the platform is that of the oldest C library
# on which the wheel runs.
set -euo pipefail

target= profile=dist maturin=maturin folder=
while [ $# -gt 0 ]; do
    case $1 in
        --target) target=$2; shift 2 ;;
        --profile) profile=$2; shift 2 ;;
        --maturin) maturin=$(realpath "$2"); shift 2 ;;
        -*) echo "usage: $0 [--target TRIPLE] [--profile PROFILE] [--maturin FILE] [FOLDER]" >&2; exit 2 ;;
        *) folder=$(mkdir -p "$1" && realpath "$1"); shift ;;
    esac
done
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
folder=${folder:-$PWD/target/archives}
mkdir -p "$folder"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$maturin" build --quiet --locked --profile "$profile" ${target:+--target "$target"} --out "$work" >&2
for wheel in "$work"/*.whl; do
    mv "$wheel" "$folder/"
    echo "$folder/$(basename "$wheel")"
done
