"""Downloads on a bad day: what is asked for, what is kept, and what is never taken over."""

import hashlib
import io
import os
import random
import socket
import threading
import zipfile
from functools import partial
from http.client import HTTPResponse
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest
import torch

import d2lmini as d2l
from conftest import fashion_files
from d2lmini import toolkit

FILE = random.Random(0).randbytes(200_000)
RIGHT = hashlib.sha1(FILE).hexdigest()


class Answers(BaseHTTPRequestHandler):
    """One method for each way to answer; the mirror in the address says which."""

    def do_GET(self):
        (_, name, file), asked_range = self.path.split("/"), self.headers["Range"]
        self.server.asked.append((name, asked_range))
        self.file, answers = self.server.mirrors[name]
        if isinstance(self.file, dict):  # a mirror of several files
            self.file = self.file[file]
        self.start = int(asked_range[len("bytes=") : -1]) if asked_range else 0
        getattr(self, answers.pop(0) if len(answers) > 1 else answers[0])()

    def send(self, status, content=b"", **headers):
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), str(value))
        self.end_headers()
        self.wfile.write(content)

    def well(self):
        rest = self.file[self.start :]
        if self.start and not rest:
            return self.no_range()
        self.send(206 if self.start else 200, rest, Content_Length=len(rest))

    def everything(self):
        """As a server that knows nothing of ranges."""
        self.send(200, self.file, Content_Length=len(self.file))

    def hang_up(self):
        """After half of what was promised."""
        rest = self.file[self.start :]
        status = 206 if self.start else 200
        self.send(status, rest[: len(rest) // 2], Content_Length=len(rest))

    def hang_up_in_a_chunk(self):
        chunk = b"%x\r\n" % len(self.file) + self.file[: len(self.file) // 2]
        self.protocol_version = "HTTP/1.1"
        self.send(200, chunk, Transfer_Encoding="chunked", Connection="close")
        self.close_connection = True

    def unmeasured(self):
        """Without saying how long it is."""
        self.send(200, self.file)

    def not_found(self):
        self.send(404, b"<h1>Not found</h1>", Content_Type="text/html")

    def no_range(self):
        self.send(416, b"<h1>No such range</h1>")

    def log_message(self, *args):
        pass


class Server(HTTPServer):
    """Some mirrors on one server, which writes down who was asked for what."""

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Answers)
        self.mirrors, self.asked = {}, []

    def mirror(self, name, *answers, file=FILE):
        """The address of a new mirror; its last answer is given again and again."""
        self.mirrors[name] = file, list(answers)
        return f"http://127.0.0.1:{self.server_port}/{name}/file.bin"

    def handle_error(self, request, client_address):
        pass  # the client has gone


@pytest.fixture
def server(monkeypatch):
    monkeypatch.setenv("no_proxy", "*")
    with Server() as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        yield server
        server.shutdown()
        thread.join()


@pytest.fixture
def closed(monkeypatch):
    """An address at which nobody listens."""
    monkeypatch.setenv("no_proxy", "*")
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        port = unused.getsockname()[1]
    return f"http://127.0.0.1:{port}/closed/file.bin"


def interrupted(monkeypatch, *arguments):
    """A download that the user stops when some of it has come."""
    calls, read = [], HTTPResponse.read

    def read_once(self, *args):
        calls.append(args)
        if len(calls) > 1:
            raise KeyboardInterrupt
        return read(self, *args)

    with monkeypatch.context() as patch:
        patch.setattr(HTTPResponse, "read", read_once)
        with pytest.raises(KeyboardInterrupt):
            d2l.download(*arguments)


# --- what goes right -----------------------------------------------------------------


@pytest.mark.parametrize("answer", ["well", "everything", "unmeasured"])
@pytest.mark.parametrize("sha1", [None, RIGHT], ids=["no_hash", "hash"])
def test_a_file_comes_into_a_new_folder_and_then_is_there(server, tmp_path, answer, sha1):
    url, folder = server.mirror("a", answer), tmp_path / "new" / "folder"
    for _ in range(2):
        path = d2l.download(url, str(folder), sha1)
        assert path == str(folder / "file.bin")
        assert Path(path).read_bytes() == FILE
        assert os.listdir(folder) == ["file.bin"]
        assert server.asked == [("a", None)]


def test_an_empty_file_is_a_file(server, tmp_path):
    empty = hashlib.sha1().hexdigest()
    path = d2l.download(server.mirror("a", "well", file=b""), tmp_path, empty)
    assert Path(path).read_bytes() == b""


def test_the_first_address_names_the_file_without_its_query(server, tmp_path):
    first = server.mirror("a", "not_found") + "?version=2"
    second = server.mirror("b", "well").replace("file.bin", "other.bin")
    path = d2l.download([first, second], tmp_path)
    assert path == str(tmp_path / "file.bin")


def test_without_a_hash_a_file_that_is_there_is_used(server, tmp_path):
    (tmp_path / "file.bin").write_bytes(b"whatever")
    path = d2l.download(server.mirror("a", "well"), tmp_path)
    assert Path(path).read_bytes() == b"whatever"
    assert not server.asked


def test_with_a_hash_another_file_is_replaced(server, tmp_path):
    (tmp_path / "file.bin").write_bytes(b"old")
    path = d2l.download(server.mirror("a", "well"), tmp_path, RIGHT)
    assert Path(path).read_bytes() == FILE
    assert server.asked == [("a", None)]


def test_mirrors_are_tried_in_order_until_one_helps(server, closed, tmp_path):
    names = {"a": "not_found", "b": "hang_up_in_a_chunk", "c": "well", "d": "well"}
    urls = [server.mirror(*name) for name in names.items()]
    path = d2l.download([closed, *urls], tmp_path, RIGHT)
    assert Path(path).read_bytes() == FILE
    assert [name for name, _ in server.asked] == ["a", "b", "c"]


@pytest.mark.parametrize("kind", [list, tuple, iter])
def test_mirrors_come_in_any_sequence(server, tmp_path, kind):
    urls = kind([server.mirror("a", "not_found"), server.mirror("b", "well")])
    assert Path(d2l.download(urls, tmp_path)).read_bytes() == FILE


# --- what goes wrong -----------------------------------------------------------------

FAULTS = {
    "closed": "refused",
    "not_found": "404",
    "hang_up": "broke off after 100000 of 200000 bytes",
    "hang_up_in_a_chunk": "IncompleteRead",
    "no_range": "416",
}


@pytest.mark.parametrize(
    ("sha1", "old"),
    [
        pytest.param(None, None, id="no_hash"),
        pytest.param(RIGHT, None, id="hash"),
        pytest.param(RIGHT, b"old", id="over_an_old_file"),
    ],
)
@pytest.mark.parametrize("fault", FAULTS)
def test_a_failure_says_why_and_leaves_the_folder_alone(
    server, closed, tmp_path, fault, sha1, old
):
    path = tmp_path / "file.bin"
    if old is not None:
        path.write_bytes(old)
    url = closed if fault == "closed" else server.mirror("a", fault)
    with pytest.raises(ConnectionError, match=r"^no mirror has given file\.bin:") as error:
        d2l.download(url, tmp_path, sha1)
    _, mirror = str(error.value).split("\n")
    assert mirror.startswith(f"  {url}: ")
    assert FAULTS[fault] in mirror
    assert (path.read_bytes() if path.exists() else None) == old


@pytest.mark.parametrize("answer", ["well", "everything", "unmeasured"])
def test_a_wrong_file_is_not_kept(server, tmp_path, answer):
    url, wrong = server.mirror("a", answer, file=b"page"), hashlib.sha1(b"page")
    message = f"the file has the sha1 {wrong.hexdigest()}, not {RIGHT}"
    with pytest.raises(ConnectionError, match=message):
        d2l.download(url, tmp_path, RIGHT)
    assert os.listdir(tmp_path) == []
    assert server.asked == [("a", None)]


def test_a_wrong_file_does_not_replace_another_wrong_one(server, tmp_path):
    (tmp_path / "file.bin").write_bytes(b"old")
    with pytest.raises(ConnectionError, match=r"no mirror has given file\.bin"):
        d2l.download(server.mirror("a", "well", file=b"page"), tmp_path, RIGHT)
    assert (tmp_path / "file.bin").read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["file.bin"]


def test_the_error_lists_every_mirror_with_its_own_fault(server, closed, tmp_path):
    faults = [("a", "not_found"), ("b", "hang_up"), ("c", "well")]
    urls = [server.mirror(*fault, file=FILE + b"!") for fault in faults]
    with pytest.raises(ConnectionError) as error:
        d2l.download([closed, *urls], tmp_path, RIGHT)
    _, *lines = str(error.value).split("\n")
    expected = ["refused", "404", "broke off after 100000 of 200001", "sha1"]
    for line, url, fault in zip(lines, [closed, *urls], expected, strict=True):
        assert line.startswith(f"  {url}: ")
        assert fault in line


@pytest.mark.parametrize("bad", ["ftp://example.org/file.bin", "fra-eng", "/file.bin", ""])
def test_only_addresses_of_the_web_will_do(server, tmp_path, bad):
    good = server.mirror("a", "well")
    for url in (bad, [good, bad]):
        with pytest.raises(ValueError, match=f"url must .* not {bad!r}"):
            d2l.download(url, tmp_path / "new")
    assert not server.asked
    assert not (tmp_path / "new").exists()


@pytest.mark.parametrize("url", [[], "http://127.0.0.1:9/", "http://127.0.0.1:9"])
def test_an_address_must_name_a_file(tmp_path, url):
    with pytest.raises(ValueError, match="url must"):
        d2l.download(url, tmp_path / "new")
    assert not (tmp_path / "new").exists()


# --- carrying on ---------------------------------------------------------------------


def test_a_download_that_broke_off_is_carried_on_from_the_next_byte(server, tmp_path):
    url = server.mirror("a", "hang_up", "hang_up", "well")
    for got in (100_000, 150_000):
        with pytest.raises(ConnectionError, match=f"after {got} of 200000 bytes"):
            d2l.download(url, tmp_path, RIGHT)
        assert not (tmp_path / "file.bin").exists()
    path = d2l.download(url, tmp_path, RIGHT)
    assert Path(path).read_bytes() == FILE
    assert os.listdir(tmp_path) == ["file.bin"]
    assert [start for _, start in server.asked] == [None, "bytes=100000-", "bytes=150000-"]


@pytest.mark.parametrize("old", [None, b"old"])
def test_an_interrupted_download_is_carried_on(server, tmp_path, monkeypatch, old):
    url, path = server.mirror("a", "well"), tmp_path / "file.bin"
    if old is not None:
        path.write_bytes(old)
    interrupted(monkeypatch, url, tmp_path, RIGHT)
    assert (path.read_bytes() if path.exists() else None) == old
    (part,) = {*tmp_path.iterdir()} - {path}
    got = part.stat().st_size
    assert 0 < got < len(FILE)
    assert Path(d2l.download(url, tmp_path, RIGHT)).read_bytes() == FILE
    assert server.asked == [("a", None), ("a", f"bytes={got}-")]
    assert os.listdir(tmp_path) == ["file.bin"]


def test_without_a_hash_nothing_is_carried_on(server, tmp_path, monkeypatch):
    url = server.mirror("a", "well")
    interrupted(monkeypatch, url, tmp_path)
    assert not (tmp_path / "file.bin").exists()
    assert Path(d2l.download(url, tmp_path)).read_bytes() == FILE
    assert server.asked == [("a", None)] * 2
    assert os.listdir(tmp_path) == ["file.bin"]


def test_a_second_mirror_carries_on_what_the_first_began(server, tmp_path):
    urls = [server.mirror("a", "hang_up"), server.mirror("b", "well")]
    path = d2l.download(urls, tmp_path, RIGHT)
    assert Path(path).read_bytes() == FILE
    assert server.asked == [("a", None), ("b", "bytes=100000-")]


def test_without_a_hash_a_second_mirror_begins_anew(server, tmp_path):
    other = server.mirror("a", "hang_up", file=FILE[::-1])
    path = d2l.download([other, server.mirror("b", "well")], tmp_path)
    assert Path(path).read_bytes() == FILE
    assert server.asked == [("a", None), ("b", None)]


def test_after_a_wrong_file_the_next_mirror_begins_anew(server, tmp_path):
    urls = [server.mirror("a", "well", file=b"page"), server.mirror("b", "well")]
    assert Path(d2l.download(urls, tmp_path, RIGHT)).read_bytes() == FILE
    assert server.asked == [("a", None), ("b", None)]


def test_a_server_that_knows_no_ranges_sends_it_all_again(server, tmp_path, monkeypatch):
    url = server.mirror("a", "everything")
    interrupted(monkeypatch, url, tmp_path, RIGHT)
    assert Path(d2l.download(url, tmp_path, RIGHT)).read_bytes() == FILE
    assert len(server.asked) == 2


def test_two_halves_that_do_not_fit_begin_anew_once(server, tmp_path):
    urls = [server.mirror("a", "hang_up", file=FILE[::-1]), server.mirror("b", "well")]
    assert Path(d2l.download(urls, tmp_path, RIGHT)).read_bytes() == FILE
    assert server.asked == [("a", None), ("b", "bytes=100000-"), ("b", None)]


def test_a_file_that_is_wrong_anew_is_given_up(server, tmp_path):
    names = {"a": "hang_up", "b": "well"}
    urls = [server.mirror(*name, file=FILE[::-1]) for name in names.items()]
    with pytest.raises(ConnectionError, match=r"b/file\.bin: the file has the sha1"):
        d2l.download(urls, tmp_path, RIGHT)
    assert server.asked == [("a", None), ("b", "bytes=100000-"), ("b", None)]
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("more", [b"", b"?"])
def test_where_there_is_no_rest_the_download_begins_anew(server, tmp_path, more):
    url = server.mirror("a", "hang_up", "well")
    with pytest.raises(ConnectionError):
        d2l.download(url, tmp_path, RIGHT)
    (part,) = tmp_path.iterdir()
    part.write_bytes(FILE + more)
    assert Path(d2l.download(url, tmp_path, RIGHT)).read_bytes() == FILE
    assert server.asked[1:] == [("a", f"bytes={len(FILE + more)}-"), ("a", None)]
    assert os.listdir(tmp_path) == ["file.bin"]


# --- SHA-256 ------------------------------------------------------------------------


def test_a_sha_256_will_do_as_well(server, tmp_path):
    right = hashlib.sha256(FILE).hexdigest()
    url, path = server.mirror("a", "hang_up", "well"), tmp_path / "file.bin"
    path.write_bytes(b"old")
    with pytest.raises(ConnectionError):
        d2l.download(url, tmp_path, right)
    for _ in range(2):
        assert Path(d2l.download(url, tmp_path, right)).read_bytes() == FILE
    assert server.asked == [("a", None), ("a", "bytes=100000-")]
    wrong = hashlib.sha256(b"page").hexdigest()
    message = f"the file has the sha256 {right}, not {wrong}"
    with pytest.raises(ConnectionError, match=message):
        d2l.download(url, tmp_path, wrong)
    assert path.read_bytes() == FILE


@pytest.mark.parametrize("digits", [0, 32, 39, 65])
def test_a_hash_of_another_length_is_refused(server, tmp_path, digits):
    url = server.mirror("a", "well")
    message = f"sha1_hash must have 40 or 64 digits, not {digits}"
    with pytest.raises(ValueError, match=message):
        d2l.download(url, tmp_path / "new", "0" * digits)
    assert not server.asked
    assert not (tmp_path / "new").exists()


# --- the data that are downloaded ----------------------------------------------------


class Tatoeba:
    """Three sentences in place of d2l's collection."""

    def __init__(self):
        with zipfile.ZipFile(file := io.BytesIO(), "w") as archive:
            archive.writestr("fra-eng/fra.txt", "Go.\tVa !\nHi.\tSalut !\nRun!\tCours !")
        self.files, self.folder = {"fra-eng.zip": file.getvalue()}, Path()

    def build(self, mirrors, root):
        class Own(d2l.MTFraEng):
            sha1 = hashlib.sha1(self.files["fra-eng.zip"]).hexdigest()

        Own.mirrors = tuple(f"{mirror}fra-eng.zip" for mirror in mirrors)
        data = Own(2, num_train=2, num_val=1, source="tatoeba", root=str(root))
        return data.arrays


class Fashion:
    """Some noise in place of the photographs."""

    def __init__(self):
        self.files, self.folder = fashion_files(), Path("FashionMNIST", "raw")

    def build(self, mirrors, root):
        class Own(d2l.FashionMNIST):
            sha256 = tuple(
                (name, hashlib.sha256(file).hexdigest())
                for name, file in self.files.items()
            )

        Own.mirrors = tuple(mirrors)
        data = Own(2, root=str(root))
        return *data.train[:], *data.val[:]


@pytest.fixture(params=[Tatoeba, Fashion])
def kind(request):
    return request.param()


def base(server, name, *answers, files):
    """The address below which a new mirror has these files."""
    return server.mirror(name, *answers, file=files).removesuffix("file.bin")


def same(first, second):
    return all(torch.equal(*pair) for pair in zip(first, second, strict=True))


def contents(kind, root):
    """What is in the folder of the downloads."""
    return {path.name: path.read_bytes() for path in (root / kind.folder).iterdir()}


def test_data_come_once_and_from_the_first_mirror_that_has_them(
    kind, server, closed, tmp_path
):
    mirrors = [
        closed.removesuffix("file.bin"),
        base(server, "a", "not_found", files=kind.files),
        base(server, "b", "well", files=kind.files),
        base(server, "c", "well", files=kind.files),
    ]
    data = kind.build(mirrors, tmp_path)
    assert server.asked == [("a", None), ("b", None)] * len(kind.files)
    assert contents(kind, tmp_path) == kind.files
    assert same(kind.build(mirrors, tmp_path), data)
    assert len(server.asked) == 2 * len(kind.files)


def test_a_download_of_data_that_broke_off_is_carried_on(kind, server, tmp_path):
    mirrors = [base(server, "a", "hang_up", "well", files=kind.files)]
    first, file = next(iter(kind.files.items()))
    with pytest.raises(ConnectionError, match=f"no mirror has given {first}"):
        kind.build(mirrors, tmp_path)
    assert contents(kind, tmp_path) == {f"{first}.part": file[: len(file) // 2]}
    kind.build(mirrors, tmp_path)
    starts = [None, f"bytes={len(file) // 2}-"] + [None] * (len(kind.files) - 1)
    assert [start for _, start in server.asked] == starts
    assert contents(kind, tmp_path) == kind.files


def test_data_that_are_not_the_right_ones_are_not_taken(kind, server, tmp_path):
    wrong = dict.fromkeys(kind.files, b"<h1>page</h1>")
    with pytest.raises(ConnectionError, match="the file has the sha"):
        kind.build([base(server, "a", "well", files=wrong)], tmp_path)
    assert contents(kind, tmp_path) == {}


def test_a_file_of_data_that_is_damaged_on_the_disk_is_fetched_anew(kind, server, tmp_path):
    mirrors = [base(server, "a", "well", files=kind.files)]
    data = kind.build(mirrors, tmp_path)
    for name, file in kind.files.items():
        server.asked.clear()
        (tmp_path / kind.folder / name).write_bytes(file[:-1])
        assert same(kind.build(mirrors, tmp_path), data)
        assert server.asked == [("a", None)]
    assert contents(kind, tmp_path) == kind.files


def test_without_a_network_data_say_which_file_is_missing(kind, closed, tmp_path):
    bases = [closed.replace("closed/file.bin", name) for name in ("one/", "two/")]
    first = next(iter(kind.files))
    with pytest.raises(ConnectionError, match=f"(?s){first}:.*/one/.*/two/"):
        kind.build(bases, tmp_path)
    assert contents(kind, tmp_path) == {}


def test_the_data_come_over_https_with_hashes():
    mirrors = *d2l.MTFraEng.mirrors, *d2l.FashionMNIST.mirrors
    assert all(mirror.startswith("https://") for mirror in mirrors)
    assert len(d2l.MTFraEng.sha1) == 40
    names, hashes = zip(*d2l.FashionMNIST.sha256)
    assert {*names} == {*fashion_files()}
    assert [*map(len, hashes)] == [64] * 4 and len({*hashes}) == 4


# --- the progress bar ----------------------------------------------------------------


def test_progress_is_shown_on_stderr_only(server, tmp_path, monkeypatch, capfd):
    monkeypatch.setattr(toolkit, "tqdm", partial(toolkit.tqdm, disable=False))
    url = server.mirror("a", "hang_up", "well")
    with pytest.raises(ConnectionError):
        d2l.download(url, tmp_path, RIGHT)
    half = capfd.readouterr()
    d2l.download(url, tmp_path, RIGHT)
    rest = capfd.readouterr()
    assert half.out == rest.out == ""
    assert "file.bin:  50%" in half.err
    assert "100k/200k" in half.err
    assert "file.bin:  50%" in rest.err.split("\r")[1]  # where the first one stopped
    assert "200k/200k" in rest.err.split("\r")[-1]


def test_the_environment_can_switch_the_progress_off(server, tmp_path, capfd):
    assert os.environ["TQDM_DISABLE"] == "1"  # set for all tests, before tqdm is there
    d2l.download(server.mirror("a", "well"), tmp_path, RIGHT)
    assert capfd.readouterr() == ("", "")


# --- what the chapter says of d2l ----------------------------------------------------


def test_d2l_stores_the_page_that_says_404_as_the_file(d2l_1_0_3, server, tmp_path):
    path = d2l_1_0_3.download(server.mirror("a", "not_found"), str(tmp_path), RIGHT)
    assert Path(path).read_bytes() == b"<h1>Not found</h1>"
