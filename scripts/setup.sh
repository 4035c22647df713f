#!/usr/bin/env bash
# Installs the Debian packages that are missing, then builds.
set -euo pipefail
exec </dev/null
cd -P -- "$(dirname -- "${BASH_SOURCE[0]}")/.."

usage() {
    cat <<'TEXT'
usage: scripts/setup.sh [program | tests | sanitized | format | lists]
  program    build/release/locus, and what it needs (the default)
  tests      all of build/release, tests included
  sanitized  all of build/debug: tests under the address and undefined-behaviour sanitizers
  format     clang-format and git; builds nothing
  lists      updates apt's package lists, from which `locus data fetch` downloads; builds nothing
Missing packages are installed with apt-get, as root or through sudo; where all is there, nothing is installed.
TEXT
}

say() { echo "setup: $*"; }

program_packages=(
    g++ cmake ninja-build pkg-config
    libopenblas-dev libhwy-dev libeigen3-dev libhdf5-dev libcxxopts-dev libyaml-cpp-dev libfmt-dev
    nlohmann-json3-dev librandom123-dev libxxhash-dev zlib1g-dev libopenmpi-dev openmpi-bin
    python3 python3-matplotlib
)
test_packages=(libgtest-dev)
format_packages=(git clang-format-14)  # clang-format's output differs between versions: one is fixed

installed() {
    [[ $(dpkg-query -W -f=' ${db:Status-Status} ' "$1" 2>/dev/null) == *" installed "* ]]
}

# OpenBLAS comes in builds of which one may have been chosen with care: any of them counts, none is replaced. So
# does MPI.
# pkg-config is another package's older name.
present() {
    local package
    case $1 in
        libopenblas-dev) set -- libopenblas-pthread-dev libopenblas-openmp-dev libopenblas-serial-dev ;;
        pkg-config) set -- pkg-config pkgconf ;;
        libopenmpi-dev) set -- libopenmpi-dev libmpich-dev ;;
        openmpi-bin) set -- openmpi-bin mpich ;;
    esac
    for package; do
        if installed "$package"; then return 0; fi
    done
    return 1
}

may_install() { ((EUID == 0)) || command -v sudo >/dev/null; }

as_root() {
    if ((EUID == 0)); then
        "$@"
    else
        sudo -- "$@"
    fi
}

apt() {
    as_root env DEBIAN_FRONTEND=noninteractive apt-get -q -o Acquire::Retries=3 -o DPkg::Lock::Timeout=300 "$@"
}

install_missing() {
    local package missing=() known=()
    if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
        say "this is not Debian or Ubuntu: nothing is installed; needed are what Debian calls $*"
        return
    fi
    for package; do
        present "$package" || missing+=("$package")
    done
    if ((${#missing[@]} == 0)); then
        say "every package is there"
        return
    fi
    if ! may_install; then
        say "these packages are missing, and this is neither root nor is there sudo to install them:"
        say "    apt-get install --no-install-recommends ${missing[*]}"
        exit 1
    fi >&2
    say "installing ${missing[*]}"
    apt update || say "some package lists were not updated; going on with those that are there"
    for package in "${missing[@]}"; do
        if [[ $package == clang-format-* && -z $(apt-cache madison "$package") ]]; then
            say "this distribution has no $package"
        else
            known+=("$package")
        fi
    done
    if ((${#known[@]} == 0)); then return; fi
    if ! apt install -y --no-install-recommends "${known[@]}"; then
        say "apt-get did not install these packages; install them by hand: ${known[*]}" >&2
        exit 1
    fi
}

# build PRESET TESTS [argument of cmake --build ...]
build() {
    local preset=$1 tests=$2 cache=build/$1/CMakeCache.txt fresh=()
    shift 2
    # A folder that was copied or moved with its build in it must be configured anew.
    if [[ -f $cache ]] && ! grep -qxF "CMAKE_HOME_DIRECTORY:INTERNAL=$PWD" "$cache"; then fresh=(--fresh); fi
    say "building build/$preset"
    if ! mkdir -p "build/$preset" || [[ ! -w build/$preset ]]; then
        say "$(id -un) may not write to $PWD/build/$preset, of $(stat -c %U . "build/$preset" 2>/dev/null | tail -1)" >&2
        exit 1
    fi
    cmake --preset "$preset" "${fresh[@]}" -DLOCUS_TESTS="$tests"
    cmake --build --preset "$preset" --parallel "$(nproc)" "$@"
}

case ${1:-program} in
    program)
        install_missing "${program_packages[@]}"
        # The program needs no GoogleTest; where it is there, the folder stays ready for the tests.
        if [[ -e /usr/include/gtest/gtest.h ]]; then tests=ON; else tests=OFF; fi
        build release "$tests" --target locus
        ;;
    tests)
        install_missing "${program_packages[@]}" "${test_packages[@]}"
        build release ON
        ;;
    sanitized)
        install_missing "${program_packages[@]}" "${test_packages[@]}"
        build debug ON
        ;;
    lists)
        say "updating the package lists"
        may_install && command -v apt-get >/dev/null && apt update
        ;;
    format) install_missing "${format_packages[@]}" ;;
    -h | --help) usage ;;
    *)
        {
            echo "setup: unknown argument '$1'"
            usage
        } >&2
        exit 2
        ;;
esac
