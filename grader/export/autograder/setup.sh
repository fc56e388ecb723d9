#!/usr/bin/env bash
# Gradescope runs this once, as root, when it builds the image of the autograder.
set -euo pipefail
root="${AUTOGRADER_ROOT:-/autograder}"
export DEBIAN_FRONTEND=noninteractive

apt-get update
apt-get install -y g++ # lesson 12 is in CUDA C++, which is judged on the CPU
for version in 3.13 3.12 3.11; do
  if apt-get install -y "python$version-venv"; then break; fi
done

"python$version" -m venv "$root/venv"
cd "$root/source"
PIP_NO_CACHE_DIR=1 "$root/venv/bin/python" tools/install.py --cpu grading
"$root/venv/bin/python" -m grader doctor
