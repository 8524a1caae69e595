"""Measure how a reader with a slow line gets the pages of a built book.

    python -m tools.measure.loading [FOLDER ...]     of _build/html, or of several books

Chromium gets the pages from a server that compresses them, at 1.6 Mbit/s and 150 ms, on a
processor that it slows down by four. For each page: the medians over five visits of what it
loads (kB), first paint and load (s), layout shift, and how long tasks block the page (s).
Run it on a quiet machine; its times compare books, and say little by themselves.
"""

import functools
import gzip
import http.server
import statistics
import sys
import threading
from pathlib import Path

from playwright.sync_api import sync_playwright

from tools.build.pdf import open_browser
from tools.build.save import ROOT

PAGES = [
    "book/index",
    "notebooks/01_queries_keys_values",
    "notebooks/07_transformer",
    "notebooks/exercises/05_multi_head",
]
VISITS = 5
PACKED = {".woff", ".woff2", ".png"}
LINE = {"offline": False, "latency": 150, "uploadThroughput": 1e5}
LINE["downloadThroughput"] = 1.6e6 / 8
OBSERVE = """
window.shift = window.blocked = 0;
new PerformanceObserver(list => {
  for (const entry of list.getEntries()) if (!entry.hadRecentInput) shift += entry.value;
}).observe({type: "layout-shift", buffered: true});
new PerformanceObserver(list => {
  for (const entry of list.getEntries()) blocked += Math.max(0, entry.duration - 50);
}).observe({type: "longtask", buffered: true});
"""
REPORT = """() => [
  performance.getEntriesByName("first-contentful-paint")[0].startTime / 1000,
  performance.getEntriesByType("navigation")[0].loadEventEnd / 1000,
  shift,
  blocked / 1000,
]"""


class Compressing(http.server.SimpleHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *args):
        pass

    def do_GET(self):
        path = Path(self.translate_path(self.path))
        if not path.is_file():
            return self.send_error(404)
        body = path.read_bytes()
        self.send_response(200)
        self.send_header("Content-Type", self.guess_type(str(path)))
        if path.suffix not in PACKED:
            body = gzip.compress(body)
            self.send_header("Content-Encoding", "gzip")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


def visit(browser, url):
    """What one visit of a page loads, in kB, and what REPORT says of it."""
    context = browser.new_context(viewport={"width": 1400, "height": 900})
    page, sizes = context.new_page(), []
    client = context.new_cdp_session(page)
    client.send("Network.enable")
    client.on("Network.loadingFinished", lambda e: sizes.append(e["encodedDataLength"]))
    client.send("Network.emulateNetworkConditions", LINE)
    client.send("Emulation.setCPUThrottlingRate", {"rate": 4})
    page.add_init_script(OBSERVE)
    page.goto(url, timeout=90_000)
    page.wait_for_timeout(3000)
    report = page.evaluate(REPORT)
    context.close()
    return [sum(sizes) / 1000, *report]


def main():
    folders = sys.argv[1:] or [ROOT / "_build" / "html"]
    print(f"{'page':40}    kB  paint   load  shift  blocked")
    with sync_playwright() as playwright:
        browser = open_browser(playwright)
        for folder in folders:
            handler = functools.partial(Compressing, directory=str(folder))
            server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
            threading.Thread(target=server.serve_forever, daemon=True).start()
            for name in PAGES:
                url = f"http://127.0.0.1:{server.server_port}/{name}.html"
                rows = [visit(browser, url) for _ in range(VISITS)]
                size, paint, load, shift, blocked = map(statistics.median, zip(*rows))
                times = f"{paint:6.2f} {load:6.2f} {shift:6.3f} {blocked:8.2f}"
                print(f"{name:40} {size:5.0f} {times}")
            server.shutdown()
        browser.close()


if __name__ == "__main__":
    sys.exit(main())
