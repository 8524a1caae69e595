"""A browser for the tests of pages and figures, and the built book at an address."""

import functools
import http.server
import shutil
import threading

import pytest
from built import BOOK, note_outside
from playwright.sync_api import sync_playwright

from tools.book import pdf


@pytest.fixture(scope="module")
def browser():
    if not any(map(shutil.which, pdf.BROWSERS)):
        pytest.skip(f"there is no browser: none of {pdf.BROWSERS}")
    with sync_playwright() as playwright:
        browser = pdf.open_browser(playwright)
        yield browser
        browser.close()


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *args):
        pass


@pytest.fixture(scope="module")
def address():
    """Where the built book is served."""
    if not (BOOK / "book" / "index.html").exists():
        pytest.skip("there is no built book: run `make book` first")
    handler = functools.partial(Quiet, directory=str(BOOK))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


@pytest.fixture
def visit(browser):
    """A function that opens a page of book/ from its file, without motion.

    It notes errors of scripts and what is asked of the network.
    """
    if not (BOOK / "book" / "index.html").is_file():
        pytest.skip("there is no built book: run `make book` first")
    contexts = []

    def visit(name="try", width=1400, scheme="light", height=900, **options):
        options = {"reduced_motion": "reduce", "color_scheme": scheme} | options
        viewport = {"width": width, "height": height}
        context = browser.new_context(viewport=viewport, **options)
        contexts.append(context)
        page = context.new_page()
        page.faults = []
        page.on("pageerror", lambda error: page.faults.append(str(error)))
        page.on("request", lambda request: note_outside(page, request.url, "file:"))
        page.goto((BOOK / "book" / f"{name}.html").as_uri())
        return page

    yield visit
    for context in contexts:
        context.close()


@pytest.fixture
def open_page(browser, address):
    """A function that opens a page of the book and waits until it is complete."""
    contexts = []

    def open_page(name, width=1400, scheme="light"):
        size = {"width": width, "height": 900}
        context = browser.new_context(viewport=size, color_scheme=scheme)
        contexts.append(context)
        context.add_init_script(
            f"localStorage.setItem('mode', '{scheme}');"
            f"localStorage.setItem('theme', '{scheme}')"
        )
        page = context.new_page()
        page.faults = []
        page.on("pageerror", lambda error: page.faults.append(f"script: {error}"))
        page.on(
            "console",
            lambda m: page.faults.append(f"console: {m.text}") if m.type == "error" else 0,
        )
        page.on("request", lambda request: note_outside(page, request.url, address))
        page.goto(f"{address}/{name}")
        return page

    yield open_page
    for context in contexts:
        context.close()
