"""Tests of grading need nbgrader, which readers of the book do not install."""

import pytest

pytest.importorskip("nbgrader", reason="grading needs nbgrader: make .venv/.grading")
