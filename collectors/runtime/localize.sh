#!/bin/sh
# Turns the static library that cargo built into the archive that ships: one object whose global symbols are __ps_*.
#   cargo build -p parascan-runtime --profile rt
#   collectors/runtime/localize.sh target/rt/libparascan_runtime.a target/parascan/lib/parascan/libparascan_rt.a
# Tools of LLVM 22, or what LD, OBJCOPY, AR and NM name.
set -eu
[ $# -eq 2 ] || { echo "usage: localize.sh IN.a OUT.a" >&2; exit 2; }
in=$1
out=$2
LD=${LD:-ld.lld-22}
OBJCOPY=${OBJCOPY:-llvm-objcopy-22}
AR=${AR:-llvm-ar-22}
NM=${NM:-llvm-nm-22}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Roots: what is exported; destructors (.fini_array) are kept by the linker.
roots=$("$NM" -g --defined-only "$in" 2>/dev/null | sed -n 's/.* \(__ps_[a-z_]*\)$/-u \1/p' | sort -u)
[ -n "$roots" ] || { echo "localize.sh: $in defines no __ps_* symbol" >&2; exit 1; }
# shellcheck disable=SC2086 # several words
"$LD" -r --gc-sections $roots -o "$work/all.o" "$in"
"$OBJCOPY" --wildcard --keep-global-symbol='__ps_*' --strip-debug --remove-section=.comment --remove-section=.llvmbc --remove-section=.llvmcmd "$work/all.o" "$work/parascan_rt.o"

# Nothing else may be global, and nothing may be missing but weak references.
extra=$("$NM" -g --defined-only "$work/parascan_rt.o" | awk '$3 !~ /^__ps_/ {print $3}')
missing=$("$NM" -u "$work/parascan_rt.o" | awk '$1 == "U" && $2 != "_GLOBAL_OFFSET_TABLE_" {print $2}')
if [ -n "$extra$missing" ]; then
    echo "localize.sh: symbols that must not be there: $extra $missing" >&2
    exit 1
fi
rm -f "$out"
"$AR" rcsD "$out" "$work/parascan_rt.o"
