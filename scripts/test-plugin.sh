#!/bin/bash
# Builds the example package, whose default store the SwiftPM plugin makes; then proves that a rejected record and a mistake in
# the pipeline fail the build. Takes as long as a build of mergewalk. MERGEWALK_SCRATCH names a folder for build products.
set -euo pipefail
cd "$(dirname "$0")/.."
unset MERGEWALK_PLUGINS
scratch=${MERGEWALK_SCRATCH:-$PWD/build/plugin}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp -r Examples/DefaultStore "$work/example"
sed -i "s|path: \"../..\"|path: \"$PWD\"|" "$work/example/Package.swift"
cd "$work/example"
build() { swift build --scratch-path "$scratch" "$@"; }

build
said=$("$(build --show-bin-path)/Airports")
echo "$said"
case $said in "airports.sqlite: "*" bytes") ;; *) echo "the store is no resource" >&2; exit 1 ;; esac

data=Sources/Airports/Data
echo "XXX,Nowhere,CH,north,0" >> $data/airports.csv
if build > "$work/log" 2>&1; then echo "a rejected record did not fail the build" >&2; exit 1; fi
grep -q "value.number" "$work/log" || { cat "$work/log" >&2; exit 1; }

sed -i '$d' $data/airports.csv
sed -i 's/find_by: \[iata\]/find_by: [iatta]/' $data/airports.pipeline.yaml
if build > "$work/log" 2>&1; then echo "a mistake in the pipeline did not fail the build" >&2; exit 1; fi
grep -q "did you mean “iata”" "$work/log" || { cat "$work/log" >&2; exit 1; }
echo "rejects and mistakes fail the build"
