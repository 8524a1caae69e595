"""The programs of the course: those of its notebooks, of its book and of its results."""

from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
