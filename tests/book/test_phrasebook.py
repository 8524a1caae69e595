"""The phrasebook is the version whose language tools/build/check_phrasebook.py approved."""

import re

from tools.build import check_phrasebook


def test_the_phrasebook_is_the_version_last_approved():
    found = check_phrasebook.sha256(check_phrasebook.FILE)
    approved = check_phrasebook.APPROVED.read_text("utf-8").split()[0]
    assert found == approved, "run python -m tools.build.check_phrasebook"


def test_every_line_is_two_sentences_with_a_tab_between():
    text = check_phrasebook.FILE.read_bytes()
    assert re.fullmatch(rb"(?:[^\t\r\n]+ [.!?]\t[^\t\r\n]+ [.!?]\n)+", text)
