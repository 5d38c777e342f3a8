#!/bin/bash
# Builds the DocC pages of the products into build/docs-site; warnings are errors. The plugin is a dependency only then;
# what was built for the tests serves here too.
set -euo pipefail
cd "$(dirname "$0")/.."
export MERGEWALK_DOCS=1
mkdir -p build/docs-site
for product in MergewalkObjects MergewalkImport MergewalkReaders; do
  "${SWIFT:-swift}" package --allow-writing-to-directory build/docs-site \
    generate-documentation --target "$product" --warnings-as-errors --transform-for-static-hosting \
    --output-path "build/docs-site/$product"
done
