"""Write the list of names of book/differences.md: what d2l has, what is new, what is not.

`make differences` writes it, and the page includes it. The proofs on the page are run by
tests/book/test_differences.py.
"""

import ast
import importlib
import inspect

import torch

from tools import ROOT
from tools.d2l_reference import load_d2l
from tools.notebooks.save import PACKAGE, chapter_paths, read_page, supporting_paths

LIST = ROOT / "book" / "_generated" / "names_and_d2l.md"

# What a section of d2l's book defines and its library does not have.
IN_THE_BOOK = [
    *("Seq2SeqDecoder", "Seq2SeqAttentionDecoder"),
    *("gaussian", "boxcar", "constant", "nadaraya_watson"),
    *("TransformerDecoderBlock", "TransformerDecoder"),
    *("PatchEmbedding", "ViTMLP", "ViTBlock", "ViT"),
]

# The sections of d2l's book that the course covers, as its docstrings name them.
SECTIONS = [
    *("sec_machine_translation", "subsec_loading-seq-fixed-len", "sec_encoder-decoder"),
    *("sec_seq2seq", "sec_seq2seq_decoder", "sec_seq2seq_training"),
    *("sec_queries-keys-values", "sec_attention-scoring-functions", "subsec_batch_dot"),
    *("sec_seq2seq_attention", "sec_multihead-attention"),
    *("sec_self-attention-and-positional-encoding", "sec_transformer"),
    *("subsec_positionwise-ffn", "subsec_transformer-encoder"),
]

# What these sections save or use and the course does not have: what to take instead.
INSTEAD = {
    "GRU": "`torch.nn.GRU`, with `dropout` as a keyword, is the same",
    "DATA_URL": "`MTFraEng` knows where its data are",
    "extract": "`MTFraEng` reads its archive without unpacking it",
    "show_list_len_pair_hist": "`plt.hist` draws the same histogram",
    "show_images": "`FashionMNIST.visualize` draws its images",
}


def d2l_names(d2l) -> tuple[set[str], set[str]]:
    """What the course's sections save in d2l's library, and what all its classes use."""
    saved, used = set(), set()
    wanted = {f":numref:`{section}`" for section in SECTIONS}
    package = importlib.import_module(PACKAGE)
    for node in ast.parse(inspect.getsource(d2l)).body:
        if not isinstance(node, ast.FunctionDef | ast.ClassDef):
            continue
        names = {text for text in wanted if text in ast.unparse(node)}
        if names:
            saved.add(node.name)
        if names or node.name in package.__all__:
            for part in ast.walk(node):
                if isinstance(part, ast.Attribute) and ast.unparse(part.value) == "d2l":
                    used.add(part.attr)
    return saved, used


def is_torch_s_own(value) -> bool:
    """Whether d2l has this only to call the same thing alike in all its frameworks."""
    is_lambda = getattr(value, "__name__", "") == "<lambda>"
    return is_lambda or any(
        value is other for other in [*vars(torch).values(), torch.nn.Module]
    )


def code(names) -> str:
    return ", ".join(f"`{name}`" for name in names)


def names_text() -> str:
    """The list of names, as Markdown."""
    d2l, package = load_d2l(), importlib.import_module(PACKAGE)
    lines = []
    paths = [*chapter_paths(ROOT), *supporting_paths(ROOT)]
    for page in [page for path in paths for page in read_page(path, ROOT)]:
        if not (ROOT / PACKAGE / f"{page.name}.py").exists():
            continue
        module = importlib.import_module(f"{PACKAGE}.{page.name}")
        kinds = {"as in d2l": [], "in d2l's book": [], "new": []}
        for name in module.__all__:
            new = "in d2l's book" if name in IN_THE_BOOK else "new"
            kinds["as in d2l" if hasattr(d2l, name) else new].append(name)
        lines += ["", f"**[{page.title}](../{page.path.as_posix()})**", ""]
        lines += [f"- {kind}: {code(names)}" for kind, names in kinds.items() if names]
    saved, used = d2l_names(d2l)
    missing = sorted((saved | used) - set(package.__all__))
    own = [name for name in missing if is_torch_s_own(getattr(d2l, name))]
    lines += ["", "### What is not here", "", *NOT_HERE.strip().splitlines(), ""]
    lines += [f"- `{name}`: {INSTEAD[name]}" for name in missing if name not in own]
    lines += [f"- {code(own)}: other words for what PyTorch has"]
    return "\n".join(lines).lstrip() + "\n"


NOT_HERE = """
These names are saved or used by the sections of d2l's book that the course covers. What
d2l's library has for its other chapters is not here either.
"""


if __name__ == "__main__":
    LIST.write_text(names_text(), encoding="utf-8", newline="\n")
