#!/bin/bash
# Completes command lines of an installed mergewalk in bash, zsh and fish, with the scripts that the package installed.
#
#     scripts/completions-test.sh [PREFIX]        PREFIX is /usr by default
#
# Needs the three shells (and bash-completion, as a user of bash has it). scripts/dist-test.py runs it in bare roots.
set -euo pipefail
prefix=${1:-/usr}
export PATH="$prefix/bin:$PATH" TERM=dumb
failed=0

expect() { # SHELL LINE WANTED GOT
  if [[ " $4 " == *" $3 "* ]]; then return; fi
  echo "completions: $1 completes “$2” to “$4”, not to “$3”" >&2
  failed=1
}

in_bash() {
  bash --norc -c '
    [ -f /usr/share/bash-completion/bash_completion ] && . /usr/share/bash-completion/bash_completion
    . "$1/share/bash-completion/completions/mergewalk"
    read -r -a COMP_WORDS <<<"$2"
    [[ $2 == *" " ]] && COMP_WORDS+=("")
    COMP_CWORD=$((${#COMP_WORDS[@]} - 1)) COMP_LINE=$2 COMP_POINT=${#2}
    _mergewalk mergewalk "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
    echo "${COMPREPLY[*]}"' bash "$prefix" "$1"
}

in_fish() {
  fish --no-config -c '
    set -p fish_complete_path $argv[1]/share/fish/vendor_completions.d
    complete -C "$argv[2]" | cut -f1 | string join " "' "$prefix" "$1"
}

# zsh completes only in a terminal: a script types into one.
in_zsh() {
  zsh -f -c '
    zmodload zsh/zpty
    zpty -b shell zsh -f -i
    say() { zpty -n -w shell "$1"; }
    hear() { local piece; text=""; repeat 100 { while zpty -r -t shell piece; do text+=$piece; done; [[ $text == *$1* ]] && return; sleep 0.05 } }
    say "PS1=; fpath=($1/share/zsh/vendor-completions \$fpath); autoload -Uz compinit; compinit -u -D; echo rea\"\"dy"$'"'"'\n'"'"'
    hear ready
    say "$2"$'"'"'\t'"'"'
    hear "$3"
    [[ $text == *$3* ]] && echo $3' zsh "$prefix" "$1" "$2"
}

while read -r line wanted; do
  line=${line//_/ }
  expect bash "$line" "$wanted" "$(in_bash "$line")"
  expect fish "$line" "$wanted" "$(in_fish "$line")"
  # What a shell inserts when there is one possibility.
  expect zsh "$line" "$wanted" "$(in_zsh "$line" "$wanted" || true)"
done <<'LINES'
mergewalk_expl explain
mergewalk_store_ve verify
mergewalk_run_--direct_n never
mergewalk_run_--expect-r --expect-records
mergewalk_help_exit exit-codes
LINES
[ "$failed" = 0 ] && echo "completions work in bash, fish and zsh"
exit "$failed"
