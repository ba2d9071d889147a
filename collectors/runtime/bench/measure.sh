#!/bin/sh
# Builds the shipped archive and measures it: collectors/runtime/bench/measure.sh [compiler options].
set -eu
cd "$(dirname "$0")/../../.."
target=${CARGO_TARGET_DIR:-target}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cargo build --quiet --package parascan-runtime --profile rt
collectors/runtime/localize.sh "$target/rt/libparascan_runtime.a" "$work/libparascan_rt.a"
clang-22 -O2 "$@" collectors/runtime/bench/measure.c "$work/libparascan_rt.a" -o "$work/measure"
mkdir "$work/logs"
PARASCAN_DIR="$work/logs" setarch -R "$work/measure"
