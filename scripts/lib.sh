# Shared by the scripts of this folder; sourced, never run.

set -euo pipefail
root="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
cd "$root"

say() { printf '\n== %s\n' "$*"; }
fail() {
  printf 'error: %s\n' "$*" >&2
  exit 1
}

# Runs a command as root: directly, or through sudo.
as_root() {
  if [ "$(id -u)" -eq 0 ]; then
    "$@"
  elif command -v sudo >/dev/null; then
    sudo "$@"
  else
    fail "need root to install packages: run as root or install sudo"
  fi
}

installed() { dpkg-query -W -f='${Status}' "$1" 2>/dev/null | grep -q 'ok installed'; }

# Installs what is missing among the packages named. A word a|b takes the first that exists.
install_packages() {
  command -v apt-get >/dev/null || fail "this script installs Debian or Ubuntu packages; there is no apt-get here. Install by hand: $*"
  local missing=() word name found updated=0
  for word in "$@"; do
    found=""
    for name in ${word//|/ }; do
      if installed "$name"; then
        found="$name"
        break
      fi
    done
    [ -n "$found" ] || missing+=("$word")
  done
  [ ${#missing[@]} -gt 0 ] || return 0
  say "installing ${missing[*]}"
  as_root apt-get update -qq || fail "apt-get update failed: is there a network?"
  updated=1
  local chosen=()
  for word in "${missing[@]}"; do
    found=""
    for name in ${word//|/ }; do
      if apt-cache show "$name" >/dev/null 2>&1; then
        found="$name"
        break
      fi
    done
    [ -n "$found" ] || fail "no package provides $word on this system"
    chosen+=("$found")
  done
  as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${chosen[@]}" >/dev/null ||
    fail "apt-get could not install ${chosen[*]}"
  [ "$updated" -eq 1 ]
}

engine_packages=(g++ cmake ninja-build libyaml-cpp-dev nlohmann-json3-dev libfmt-dev
  libboost-program-options-dev libopenblas-openmp-dev)
test_packages=(libboost-test-dev ccache)
window_packages=(qt6-base-dev "qt6-charts-dev|libqt6charts6-dev" "qt6-svg-dev|libqt6svg6-dev" libgl-dev)
lint_packages=(clang-format clang-tidy)

jobs="$(nproc)"
