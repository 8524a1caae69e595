"""Downloads from mirrors with faults."""

import hashlib
import random
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest

import d2lmini as d2l

FILE = random.Random(0).randbytes(200_000)
SHA1, SHA256 = hashlib.sha1(FILE).hexdigest(), hashlib.sha256(FILE).hexdigest()
WRONG = FILE[:-1] + b"!"
FAULTS = {
    "missing": "404",
    "broken": "broke off after 100000 of 200000 bytes",
    "wrong": f"the file has the hash {hashlib.sha1(WRONG).hexdigest()}",
}


class Mirrors(BaseHTTPRequestHandler):
    """The first part of a path says how the mirror answers."""

    def do_GET(self):
        mirror = self.path.split("/")[1]
        self.server.asked.append(mirror)
        self.send_response(404 if mirror == "missing" else 200)
        self.send_header("Content-Length", str(len(FILE)))
        self.end_headers()
        files = {"wrong": WRONG, "broken": FILE[: len(FILE) // 2]}
        self.wfile.write(files.get(mirror, FILE))

    def log_message(self, *args):
        pass


@pytest.fixture
def server(monkeypatch):
    monkeypatch.setenv("no_proxy", "*")
    with HTTPServer(("127.0.0.1", 0), Mirrors) as server:
        server.asked = []
        server.at = f"http://127.0.0.1:{server.server_port}/{{}}/file.bin?version=2".format
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        yield server
        server.shutdown()
        thread.join()


def contents(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.mark.parametrize("digits", [None, SHA1.upper(), SHA256])
def test_a_file_comes_into_a_new_folder_and_then_is_there(server, tmp_path, digits):
    folder = tmp_path / "new" / "folder"
    for _ in range(2):
        path = d2l.download(server.at("good"), str(folder), digits)
        assert path == str(folder / "file.bin")
        assert contents(folder) == {"file.bin": FILE}
    assert server.asked == ["good"]


@pytest.mark.parametrize(("digits", "kept"), [(None, b"old"), (SHA1, FILE)])
def test_only_with_a_hash_is_another_file_replaced(server, tmp_path, digits, kept):
    (tmp_path / "file.bin").write_bytes(b"old")
    d2l.download(server.at("good"), tmp_path, digits)
    assert contents(tmp_path) == {"file.bin": kept}


def test_mirrors_are_tried_in_order_until_one_has_the_file(server, tmp_path):
    urls = map(server.at, [*FAULTS, "good", "missing"])
    d2l.download(["http://127.0.0.1:9/file.bin", *urls], tmp_path, SHA1)
    assert contents(tmp_path) == {"file.bin": FILE}
    assert server.asked == [*FAULTS, "good"]


@pytest.mark.parametrize(("digits", "old"), [(None, {}), (SHA1, {"file.bin": b"old"})])
def test_no_fault_is_taken_for_a_file(server, tmp_path, digits, old):
    for name, content in old.items():
        (tmp_path / name).write_bytes(content)
    names = [name for name in FAULTS if digits or name != "wrong"]
    with pytest.raises(ConnectionError, match=r"^no mirror has given file\.bin:") as error:
        d2l.download(map(server.at, names), tmp_path, digits)
    for name, found in zip(names, str(error.value).split("\n")[1:], strict=True):
        assert found.startswith(f"  {server.at(name)}: ") and FAULTS[name] in found
    assert contents(tmp_path) == old
