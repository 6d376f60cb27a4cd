"""Check a built site: every link and anchor leads somewhere, and nothing is fetched from elsewhere.

python docs/check_site.py build/site
"""

import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

FETCHED = {"script": "src", "link": "href", "img": "src", "iframe": "src", "source": "src"}


class Page(HTMLParser):
    """What a page names: links to follow, files to fetch, and its own anchors."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.fetched: list[str] = []
        self.anchors: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Gather what one element names."""
        given = dict(attrs)
        self.anchors |= {value for name in ("id", "name") if (value := given.get(name))}
        if tag == "a" and (href := given.get("href")):
            self.links.append(href)
        elif (place := given.get(FETCHED.get(tag, ""))) and given.get("rel") != "canonical":
            self.fetched.append(place)


def problems(site: Path) -> list[str]:
    """Say what is wrong with a site, a line each; nothing if all is well."""
    pages = {path: Page(path.read_text(encoding="utf-8")) for path in sorted(site.rglob("*.html"))}
    found = []
    for path, page in pages.items():
        here = path.relative_to(site)
        for link in page.fetched:
            if urlsplit(link).scheme in ("http", "https") or link.startswith("//"):
                found.append(f"{here}: fetches {link}; expected a file of the site.")
        for link in {*page.links, *page.fetched}:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc or link.startswith("//") or path.name == "404.html":
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            target = target / "index.html" if target.is_dir() else target
            if not target.exists():
                found.append(f"{here}: links to {link}; there is no such file.")
            elif parts.fragment and target in pages:
                anchors = pages[target].anchors
                if unquote(parts.fragment) not in anchors:
                    found.append(f"{here}: links to {link}; that page has no such anchor.")
    return found if pages else [f"{site}: holds no page; build the site first: make docs."]


if __name__ == "__main__":
    told = problems(Path(sys.argv[1] if len(sys.argv) > 1 else "build/site").resolve())
    sys.stderr.writelines(f"{line}\n" for line in told)
    sys.exit(bool(told))
