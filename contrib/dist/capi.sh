#!/usr/bin/env bash
# Builds the libraries of the C API and lays them out in a folder, as release archives have them:
# include/juzhong.h, lib/libjuzhong.a, the shared library, lib/pkgconfig/juzhong.pc, and examples/c with its CMakeLists.txt.
#
#     bash contrib/dist/capi.sh [--profile NAME] [--target TRIPLE] [--library FOLDER] FOLDER
#
# --library takes the libraries that cargo has built before, from the folder that has them, instead of building.
#
# Where GNU binutils for the target are, the static library shows no symbol but those of juzhong.h: engines often have
# another zstd or SQLite of their own.
#
# For Windows there is the shared library alone, juzhong.dll, and what links it: for GCC the import library libjuzhong.dll.a,
# for MSVC juzhong.lib where MSVC has built it, else juzhong.def, of which its `lib` makes one.
set -euo pipefail

profile=release target= library= folder=
while [ $# -gt 0 ]; do
    case $1 in
        --profile) profile=$2; shift 2 ;;
        --target) target=$2; shift 2 ;;
        --library) library=$(realpath "$2"); shift 2 ;;
        -*) echo "usage: $0 [--profile NAME] [--target TRIPLE] [--library FOLDER] FOLDER" >&2; exit 2 ;;
        *) folder=$(mkdir -p "$1" && realpath "$1"); shift ;;
    esac
done
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
host=$("${RUSTC:-rustc}" -vV | sed -n 's/^host: //p')
version=$(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -n 1)
abi=$(sed -n 's/^#define JZ_ABI_VERSION //p' include/juzhong.h)
functions=$(grep -o '\bjz_[a-z_]*(' include/juzhong.h | tr -d '(' | sort -u)

linker=() kinds=staticlib,cdylib
case ${target:-$host} in
    *linux*) linker=(-C "link-arg=-Wl,-soname,libjuzhong.so.$abi") ;;
    # The time of linking is in a library unless it is left out.
    *windows-gnu) kinds=cdylib linker=(-C "link-arg=-Wl,--no-insert-timestamp") ;;
    # With a dash: the shell of Windows would take a slash for the beginning of a path.
    *windows-msvc) kinds=cdylib linker=(-C link-arg=-Brepro) ;;
esac
if [ -z "$library" ]; then
    cargo rustc --profile "$profile" --locked --lib --no-default-features --features capi ${target:+--target "$target"} \
        --crate-type "$kinds" -- "${linker[@]}" >&2
    library=${CARGO_TARGET_DIR:-target}${target:+/$target}/$profile
fi

mkdir -p "$folder/include" "$folder/lib/pkgconfig" "$folder/examples/c"
install -m 644 include/juzhong.h "$folder/include/"
install -m 644 examples/c/* "$folder/examples/c/"
case ${target:-$host} in
    *windows*) files=("$library"/juzhong.dll "$library"/libjuzhong.dll.a) ;;
    *) files=("$library"/libjuzhong.{a,so,dylib}) ;;
esac
for file in "${files[@]}"; do
    if [ -f "$file" ]; then
        install -m 644 "$file" "$folder/lib/"
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
    *windows*)
        # shellcheck disable=SC2086 # one word for each function
        { printf 'LIBRARY juzhong.dll\r\nEXPORTS\r\n'; printf '    %s\r\n' $functions; } > "$folder/lib/juzhong.def"
        if [ -f "$library/juzhong.dll.lib" ]; then
            install -m 644 "$library/juzhong.dll.lib" "$folder/lib/juzhong.lib"
        fi
        if command -v x86_64-w64-mingw32-strip > /dev/null && [[ ${target:-$host} == x86_64-pc-windows-gnu ]]; then
            x86_64-w64-mingw32-strip --preserve-dates "$folder/lib/juzhong.dll"
        fi
        ;;
esac
sed "s/@VERSION@/$version/; s/@LIBS@/$libraries/" contrib/dist/juzhong.pc.in > "$folder/lib/pkgconfig/juzhong.pc"

# The static library as one object with what the functions need, whose other symbols are its own.
if [ "${target:-$host}" = "$host" ] && [[ $host == *linux-gnu ]]; then
    work=$(mktemp -d)
    trap 'rm -rf "$work"' EXIT
    # shellcheck disable=SC2086 # one word for each function
    ld -r --gc-sections $(printf -- '--undefined=%s ' $functions) "$folder/lib/libjuzhong.a" -o "$work/juzhong.o"
    objcopy --wildcard --keep-global-symbol='jz_*' --strip-debug --remove-section=.llvmbc --remove-section=.llvmcmd \
        "$work/juzhong.o"
    rm "$folder/lib/libjuzhong.a"
    ar rcsD "$folder/lib/libjuzhong.a" "$work/juzhong.o"
    strip "$folder/lib/libjuzhong.so.$abi"
fi
