"""The phrasebook is the version whose French and English were read and approved."""

from hashlib import sha256

from tools import ROOT

APPROVED = "799874de42c494dff3f68ed5f103c7b1bed2a66cfb0f50b6e02cdf0ace24a99f"


def test_the_phrasebook_is_the_version_last_approved():
    file = ROOT / "d2lmini" / "data" / "phrasebook.tsv"
    assert sha256(file.read_bytes()).hexdigest() == APPROVED, "see d2lmini/data/README.md"
