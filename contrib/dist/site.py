#!/usr/bin/env python3
"""Writes the files of the page into a folder, as the program sends them, marked as those of a site without a server,
the texts of the module, and the list of the folder's tables. Called by site.sh: python3 contrib/dist/site.py PROGRAM FOLDER"""

import json
import subprocess
import sys
import urllib.request
from pathlib import Path

# What the page may load: this site's files, and WebAssembly compiled.
POLICY = ("default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; style-src 'self'; "
          "img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; manifest-src 'self'")
PAGE = Path(__file__).resolve().parents[2] / "src/web/page"


def page_files(program, folder):
    """Writes what the program's server sends for each file of the page."""
    names = sorted(path.relative_to(PAGE).as_posix() for path in PAGE.rglob("*") if path.is_file())
    serve = [program, "--config", "none", "--lang", "en", "serve", "--port", "0", "--no-demo"]
    with subprocess.Popen(serve, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as server:
        try:
            address = server.stdout.readline().strip()
            for name in [*names, "zh.js", "zh-later.js"]:
                with urllib.request.urlopen(address + name, timeout=30) as answer:
                    data = answer.read()
                path = folder / name
                path.parent.mkdir(exist_ok=True)
                path.write_bytes(data)
        finally:
            server.kill()


def mark(folder):
    """Marks the page as one without a server."""
    path = folder / "index.html"
    text = path.read_text()
    head = '<meta charset="utf-8">\n'
    assert '<html lang="en">' in text and head in text
    text = text.replace('<html lang="en">', '<html lang="en" data-server="none">')
    text = text.replace(head, f'{head}<meta http-equiv="Content-Security-Policy" content="{POLICY}">\n')
    path.write_text(text)


def list_tables(folder):
    """Writes the list of the tables: what the server answers about all of them, and the file of each."""
    tables = folder / "tables"
    answer = json.loads((tables / "answer.json").read_text())
    files = {path.name.split(".")[0]: {"file": path.name, "bytes": path.stat().st_size} for path in tables.glob("*.jzt")}
    men = max((len(name.replace("v", "")) for name in files), default=0)
    listed = {"answer": answer, "files": files, "men": men}
    (tables / "list.json").write_text(json.dumps(listed, sort_keys=True, separators=(",", ":")) + "\n")


def entries(catalogue):
    """Yields the context, the text and the translation of each entry of a catalogue of gettext."""
    for block in catalogue.read_text().split("\n\n"):
        parts = {}
        name = None
        for line in block.splitlines():
            if not line or line.startswith("#"):
                continue
            if not line.startswith('"'):
                name, line = line.split(" ", 1)
            parts[name] = parts.get(name, "") + json.loads(line)
        if parts.get("msgid") and parts.get("msgstr"):
            yield parts.get("msgctxt"), parts["msgid"], parts["msgstr"]


def write_texts(folder):
    """Writes the translations of the texts that the module has, by which it answers in Chinese."""
    module = (folder / "juzhong.wasm").read_bytes()
    found = {"texts": {}, "values": {}}
    for context, text, translation in entries(PAGE.parents[2] / "locale/zh.po"):
        if context != "page" and text.encode() in module:
            found["values" if context == "value" else "texts"][text] = translation
    data = json.dumps(found, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    (folder / "texts.json").write_text(data + "\n")


def main():
    program, folder = sys.argv[1], Path(sys.argv[2])
    page_files(program, folder)
    mark(folder)
    write_texts(folder)
    list_tables(folder)


main()
