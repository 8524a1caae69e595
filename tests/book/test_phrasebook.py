"""The phrasebook is the version whose language tools/build/check_phrasebook.py approved."""

import re

import pytest

from tools.build import check_phrasebook


def test_the_phrasebook_is_the_version_last_approved():
    found = check_phrasebook.sha256(check_phrasebook.FILE)
    approved = check_phrasebook.APPROVED.read_text("utf-8").split()[0]
    assert found == approved, "run python -m tools.build.check_phrasebook"


def test_every_line_is_two_sentences_with_a_tab_between():
    text = check_phrasebook.FILE.read_bytes()
    assert re.fullmatch(rb"(?:[^\t\r\n]+ [.!?]\t[^\t\r\n]+ [.!?]\n)+", text)


@pytest.mark.parametrize(
    ("line", "fault"),
    [
        ("i sleep.\tje dors .", "is not two sentences"),
        ("i sleep .\tje ai faim .", "elision is made"),
        ("the cat sleeps .\tune chat dort .", "words agree"),
        ("you sleep .\tvous dormez .", "you is vous"),
    ],
)
def test_a_version_with_a_faulty_line_is_not_approved(tmp_path, monkeypatch, line, fault):
    for name in ("FILE", "APPROVED"):
        monkeypatch.setattr(check_phrasebook, name, tmp_path / name)
    check_phrasebook.FILE.write_text(f"{line}\n", encoding="utf-8")
    with pytest.raises(SystemExit, match=f"(?m)^{fault}"):
        check_phrasebook.main()
    assert not check_phrasebook.APPROVED.exists()
