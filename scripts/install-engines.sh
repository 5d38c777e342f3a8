#!/bin/sh
# Installs the engines that tests run families of stores on: GNU parallel and Slurm from Debian; with “spark” PySpark from
# PyPI too, into build/spark-env, and a Java for it.
set -eu
cd "$(dirname "$0")/.."
missing=""
command -v parallel >/dev/null 2>&1 || missing="$missing parallel"
PATH="$PATH:/usr/sbin"
if ! command -v sbatch >/dev/null 2>&1 || ! command -v slurmctld >/dev/null 2>&1; then missing="$missing slurm-wlm"; fi
command -v munged >/dev/null 2>&1 || missing="$missing munge"
if [ "${1:-}" = spark ]; then command -v java >/dev/null 2>&1 || missing="$missing default-jre-headless"; fi
if [ -n "$missing" ]; then
  if ! command -v apt-get >/dev/null 2>&1; then
    echo "the engines need these packages, by their Debian names:$missing" >&2
    exit 1
  fi
  sudo=""
  [ "$(id -u)" = 0 ] || sudo="sudo"
  echo "installing:$missing" >&2
  $sudo env DEBIAN_FRONTEND=noninteractive apt-get update -qq >&2
  # shellcheck disable=SC2086
  $sudo env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $missing >&2
fi
if [ "${1:-}" = spark ] && [ ! -x build/spark-env/bin/spark-submit ]; then
  python3 -m venv build/spark-env
  build/spark-env/bin/pip install -q pyspark==4.3.0
fi
