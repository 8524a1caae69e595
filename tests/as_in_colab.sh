#!/usr/bin/env bash
# Run what a reader gets in Colab with a Python that has Colab's versions of everything: the
# package's tests, then each chapter as the book serves it, where the course is missing.
#
#     bash tests/as_in_colab.sh PYTHON
set -euo pipefail
cd "$(dirname "$0")/.."
python=$1
# What other libraries of that age say of each other is not our business.
PYTHONPATH=$PWD "$python" -m pytest -n 2 -W ignore::DeprecationWarning tests/package
served=$(mktemp -d)
trap 'rm -rf "$served"' EXIT
cp -r notebooks/*.ipynb notebooks/further conftest.py "$served"
"$python" -m tools.build.standalone "$served"/*.ipynb "$served"/further/*.ipynb
cd "$served"
"$python" -m pytest --nbval --nbval-current-env -n 2 --dist loadfile .
