"""A browser for the tests of pages and figures."""

import shutil

import pytest
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
