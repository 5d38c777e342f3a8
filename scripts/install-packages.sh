#!/bin/sh
# Installs the system packages that the build needs, if they are missing.
# Debian and its relatives only; elsewhere it says what is missing and stops.
set -eu

missing=""
for module in sqlite3 libxml-2.0 yaml-0.1 libcrypto libxxhash zlib libzstd liblzma icu-i18n; do
  if command -v pkg-config >/dev/null 2>&1 && pkg-config --exists "$module"; then continue; fi
  case "$module" in
    sqlite3) missing="$missing libsqlite3-dev" ;;
    libxml-2.0) missing="$missing libxml2-dev" ;;
    yaml-0.1) missing="$missing libyaml-dev" ;;
    libcrypto) missing="$missing libssl-dev" ;;
    libxxhash) missing="$missing libxxhash-dev" ;;
    zlib) missing="$missing zlib1g-dev" ;;
    libzstd) missing="$missing libzstd-dev" ;;
    liblzma) missing="$missing liblzma-dev" ;;
    icu-i18n) missing="$missing libicu-dev" ;;
  esac
done
# bzip2 tells pkg-config nothing.
[ -e /usr/include/bzlib.h ] || missing="$missing libbz2-dev"
command -v pkg-config >/dev/null 2>&1 || missing="pkg-config $missing"
[ -z "$missing" ] && exit 0

if ! command -v apt-get >/dev/null 2>&1; then
  echo "mergewalk needs these packages, by their Debian names:$missing" >&2
  exit 1
fi
sudo=""
if [ "$(id -u)" != 0 ]; then
  command -v sudo >/dev/null 2>&1 || { echo "run as root: apt-get install$missing" >&2; exit 1; }
  sudo="sudo"
fi
echo "installing:$missing" >&2
$sudo env DEBIAN_FRONTEND=noninteractive apt-get update -qq >&2
# shellcheck disable=SC2086
$sudo env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $missing >&2
