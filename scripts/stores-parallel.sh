#!/bin/bash
# Builds a family of stores with GNU parallel: stores-parallel.sh PIPELINE FOLDER TASKS [SOURCE...]
# A task that fails is tried again, as it may be: every attempt makes the same bytes.
set -euo pipefail
mergewalk=${MERGEWALK:-mergewalk}
pipeline=$1 folder=$2 tasks=$3
shift 3
# 1 is success, with rejects inside the limits.
ok() { "$@" || [ $? -eq 1 ]; }
ok "$mergewalk" stores plan "$pipeline" "$@" --out "$folder"
export mergewalk folder tasks
seq "$tasks" | parallel --will-cite --retries 3 --halt now,fail=1 \
  '"$mergewalk" stores task "$folder" --part {}/"$tasks" --quiet || [ $? -eq 1 ]'
exec "$mergewalk" stores commit "$folder"
