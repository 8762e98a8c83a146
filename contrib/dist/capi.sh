#!/usr/bin/env bash
# Builds the libraries of the C API and lays them out in a folder, as release archives have them:
# include/juzhong.h, lib/libjuzhong.a, the shared library, lib/pkgconfig/juzhong.pc, and examples/c with its CMakeLists.txt.
#
#     bash contrib/dist/capi.sh [--profile NAME] [--target TRIPLE] FOLDER
#
# Where GNU binutils for the target are, the static library shows no symbol but those of juzhong.h: engines often have
# another zstd or SQLite of their own.
set -euo pipefail

profile=release target= folder=
while [ $# -gt 0 ]; do
    case $1 in
        --profile) profile=$2; shift 2 ;;
        --target) target=$2; shift 2 ;;
        -*) echo "usage: $0 [--profile NAME] [--target TRIPLE] FOLDER" >&2; exit 2 ;;
        *) folder=$(mkdir -p "$1" && realpath "$1"); shift ;;
    esac
done
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
host=$(rustc -vV | sed -n 's/^host: //p')
built=${CARGO_TARGET_DIR:-target}${target:+/$target}/$profile
version=$(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -n 1)
abi=$(sed -n 's/^#define JZ_ABI_VERSION //p' include/juzhong.h)

linker=()
case ${target:-$host} in
    *linux*) linker=(-C "link-arg=-Wl,-soname,libjuzhong.so.$abi") ;;
esac
cargo rustc --profile "$profile" --locked --lib --no-default-features --features capi ${target:+--target "$target"} \
    --crate-type staticlib,cdylib -- "${linker[@]}" >&2

mkdir -p "$folder/include" "$folder/lib/pkgconfig" "$folder/examples/c"
install -m 644 include/juzhong.h "$folder/include/"
install -m 644 examples/c/* "$folder/examples/c/"
for library in "$built"/libjuzhong.{a,so,dylib} "$built"/juzhong.{lib,dll,dll.lib} "$built"/libjuzhong.dll.a; do
    if [ -f "$library" ]; then
        install -m 644 "$library" "$folder/lib/"
    fi
done

libraries=
case ${target:-$host} in
    *linux*)
        libraries="-lgcc_s -lutil -lrt -lpthread -lm -ldl -lc"
        mv "$folder/lib/libjuzhong.so" "$folder/lib/libjuzhong.so.$abi"
        ln -sf "libjuzhong.so.$abi" "$folder/lib/libjuzhong.so"
        ;;
    *apple*) libraries="-liconv -lSystem -lc -lm" ;;
esac
sed "s/@VERSION@/$version/; s/@LIBS@/$libraries/" contrib/dist/juzhong.pc.in > "$folder/lib/pkgconfig/juzhong.pc"

# The static library as one object with what the functions need, whose other symbols are its own.
if [ "${target:-$host}" = "$host" ] && [[ $host == *linux-gnu ]]; then
    work=$(mktemp -d)
    trap 'rm -rf "$work"' EXIT
    roots=$(grep -o '\bjz_[a-z_]*(' include/juzhong.h | tr -d '(' | sort -u | sed 's/^/--undefined=/')
    # shellcheck disable=SC2086 # one word for each function
    ld -r --gc-sections $roots "$folder/lib/libjuzhong.a" -o "$work/juzhong.o"
    objcopy --wildcard --keep-global-symbol='jz_*' --strip-debug --remove-section=.llvmbc --remove-section=.llvmcmd \
        "$work/juzhong.o"
    rm "$folder/lib/libjuzhong.a"
    ar rcsD "$folder/lib/libjuzhong.a" "$work/juzhong.o"
    strip "$folder/lib/libjuzhong.so.$abi"
fi
