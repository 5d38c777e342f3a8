#!/bin/bash
# Builds a family of stores with an array of Slurm: stores-slurm.sh PIPELINE FOLDER TASKS [SOURCE...]
# The folder must be one that all nodes see. A node that fails puts its task back into the queue.
set -euo pipefail
mergewalk=${MERGEWALK:-mergewalk}
pipeline=$1 folder=$(realpath -m "$2") tasks=$3
shift 3
"$mergewalk" stores plan "$pipeline" "$@" --out "$folder" || [ $? -eq 1 ]
# Slurm takes 1, success with rejects, for a failure.
task=$(printf '%q stores task %q || [ $? -eq 1 ]' "$mergewalk" "$folder")
commit=$(printf '%q stores commit %q' "$mergewalk" "$folder")
array=$(sbatch --parsable --requeue --array="1-$tasks" --output="$folder/_plan/task-%a.log" --wrap "$task")
sbatch --wait --dependency="afterok:$array" --output="$folder/_plan/commit.log" --wrap "$commit"
