#!/usr/bin/env python3
"""Holds the description of the HTTP API against the standard and against a server's answers.

    pip install openapi-spec-validator
    python3 contrib/docs/openapi.py target/release/juzhong

The server gets the demo's book and tables, and its games as the library. Every address with its
methods is asked at least once; what is answered must fit the schema of that address and status.
"""

import json
import re
import subprocess
import sys
import tempfile
import urllib.error
import urllib.parse
import urllib.request
from pathlib import Path

import openapi_spec_validator
from jsonschema import Draft202012Validator

ROOK = "3R5/9/5k3/9/9/n8/9/9/4K4/9 w"
FOUR = "o13o/15/15/15/15/15/15/3oxxx8/7x7/7x7/15/15/15/15/o13o x 5"
MOMENT = {"moves": "h2e2,h9g7", "played": "a0a1", "better": ["h0g2"], "source": "a game"}
GAME = {"moves": "h2e2 h9g7 h0g2", "result": "*", "tags": {"Event": "a test"}}
PGN = b'[Red "A"]\n[Result "1-0"]\n1. h2e2 h9g7 1-0\n'

# Method, path as described, parameters, body, status.
REQUESTS = [
    ("get", "/healthz", {}, None, 200),
    ("get", "/api/meta", {}, None, 200),
    ("get", "/api/openapi.json", {}, None, 200),
    ("get", "/api/legal", {"moves": "h2e2", "notation": "chinese"}, None, 200),
    ("get", "/api/legal", {"game": "gomoku", "moves": "h8 i9"}, None, 200),
    ("get", "/api/legal", {"fen": "4k4/9/9/9/9/9/9/9/9/4K4 w"}, None, 200),
    ("get", "/api/legal", {"fen": "nonsense"}, None, 400),
    ("get", "/api/legal", {"game": "chess"}, None, 400),
    ("get", "/api/eval", {}, None, 200),
    ("get", "/api/eval", {"game": "gomoku", "moves": "h8"}, None, 200),
    ("get", "/api/line", {"moves": "h2e2 h9g7"}, None, 200),
    ("get", "/api/read", {"text": "炮二平五", "notation": "wxf"}, None, 200),
    ("get", "/api/read", {"text": "?"}, None, 400),
    ("get", "/api/book", {"notation": "wxf"}, None, 200),
    ("get", "/api/book", {"book": "none"}, None, 404),
    ("get", "/api/book/games", {}, None, 200),
    ("post", "/api/book/edit", {}, {"edit": {"move": "h2e2", "weight": 7}}, 200),
    ("post", "/api/book/edit", {}, {"edit": {"move": "a0a9", "weight": 7}}, 400),
    ("post", "/api/book/undo", {}, {}, 200),
    ("get", "/api/table", {"fen": ROOK, "notation": "wxf"}, None, 200),
    ("get", "/api/table", {}, None, 404),
    ("get", "/api/table/line", {"fen": ROOK}, None, 200),
    ("get", "/api/table/random", {"set": "KRvKN", "wdl": "win"}, None, 200),
    ("get", "/api/table/random", {"set": "KRRRRRvKN"}, None, 400),
    ("get", "/api/tables", {}, None, 200),
    ("get", "/api/tables/{set}", {"set": "KRvKN"}, None, 200),
    ("get", "/api/tables/{set}", {"set": "KRRvKRR"}, None, 404),
    ("get", "/api/analyse", {"depth": 6, "multipv": 2}, None, 200),
    ("get", "/api/analyse", {"depth": 2, "engine": "self"}, None, 200),
    ("get", "/api/analyse", {"depth": 2, "engine": "nobody"}, None, 404),
    ("get", "/api/analyse", {"depth": 2, "threads": 1, "hash": 1}, None, 200),
    ("get", "/api/engine", {}, None, 200),
    ("get", "/api/engine", {"engine": "nobody"}, None, 404),
    ("post", "/api/move", {}, {"movetime": 50, "level": 3, "book": False}, 200),
    ("post", "/api/move", {}, {"game": "gomoku", "moves": "h8", "movetime": 50}, 200),
    ("post", "/api/review", {"nodes": 500}, GAME, 200),
    ("get", "/api/train", {}, None, 200),
    ("post", "/api/train/answer", {}, {"id": "7982c36fd5626875", "move": "a8a9"}, 200),
    ("post", "/api/train/answer", {}, {"id": "0123456789abcdef", "move": "a8a9"}, 404),
    ("post", "/api/train/judge", {}, {**MOMENT, "move": "b0c2", "notation": "wxf"}, 200),
    ("post", "/api/train/judge", {}, {**MOMENT, "better": []}, 400),
    ("post", "/api/train/add", {}, MOMENT, 200),
    ("get", "/api/solve", {"game": "gomoku", "fen": FOUR}, None, 200),
    ("get", "/api/solve", {"game": "gomoku", "nodes": 500}, None, 200),
    ("get", "/api/games", {"search": "juzhong", "year_to": 2000}, None, 200),
    ("get", "/api/games", {}, None, 200),
    ("get", "/api/games/moves", {"notation": "uci"}, None, 200),
    ("get", "/api/games/{id}", {"id": "0"}, None, 200),
    ("get", "/api/games/{id}", {"id": "99999"}, None, 404),
    ("post", "/api/open", {"index": 0}, PGN, 200),
    ("post", "/api/save", {"format": "pgn"}, GAME, 200),
    ("post", "/api/convert", {"to": "pgn", "notation": "wxf"}, PGN, 200),
    ("post", "/api/autosave", {"id": "one"}, GAME, 200),
    ("post", "/api/autosave", {"id": "../one"}, GAME, 400),
    ("get", "/api/autosave", {}, None, 200),
    ("get", "/api/autosave/{id}", {"id": "one"}, None, 200),
    ("get", "/api/autosave/{id}", {"id": "two"}, None, 404),
    ("get", "/chessdb", {"action": "queryall", "board": "startpos"}, None, 200),
    ("get", "/chessdb.php", {"action": "queryscore", "board": "startpos"}, None, 200),
    ("get", "/api/book", {"min_share": 5}, None, 400),
    ("get", "/api/table", {"game": "gomoku"}, None, 400),
    ("get", "/chessdb", {"action": "querybest", "board": ROOK}, None, 200),
    ("post", "/chessdb", {}, b"action=queryall&board=startpos", 200),
    ("post", "/chessdb.php", {}, b"action=querybest&board=startpos", 200),
    ("post", "/chessdb", {}, b"action=%zz", 200),
]


def ask(server, token, method, path, parameters, body):
    """Sends a request; returns status, kind and body of the answer."""
    in_path = set(re.findall(r"{(\w+)}", path))
    for name in in_path:
        path = path.replace("{" + name + "}", urllib.parse.quote(parameters[name], safe=""))
    query = urllib.parse.urlencode({k: v for k, v in parameters.items() if k not in in_path})
    if body is not None and not isinstance(body, bytes):
        body = json.dumps(body).encode()
    url = f"{server}{path}" + (f"?{query}" if query else "")
    request = urllib.request.Request(url, data=body, method=method.upper())
    request.add_header("X-Token", token)
    try:
        answer = urllib.request.urlopen(request, timeout=60)
    except urllib.error.HTTPError as error:
        answer = error
    return answer.status, answer.headers.get_content_type(), answer.read()


def check(description, validators, asked, answer):
    """Returns what is wrong with an answer."""
    method, path, parameters, _, status = asked
    found, kind, body = answer
    operation = description["paths"][path][method]
    known = operation.get("parameters", [])
    components = description["components"]["parameters"]
    names = {(components[p["$ref"].rsplit("/", 1)[1]] if "$ref" in p else p)["name"] for p in known}
    problems = [f"the parameter {name} is not described" for name in parameters if name not in names and status < 400]
    if found != status:
        return problems + [f"status {found}, not {status}: {body[:300]!r}"]
    response = operation["responses"].get(str(status), operation["responses"]["default"])
    if "$ref" in response:
        response = description["components"]["responses"][response["$ref"].rsplit("/", 1)[1]]
    if kind not in response["content"]:
        return problems + [f"{kind} is not described"]
    schema = response["content"][kind]["schema"]
    text = body.decode() if kind.startswith("text/") else None
    value = json.loads(body) if kind.endswith("json") else text
    if kind == "application/octet-stream":
        return problems
    validator = validators(schema)
    return problems + [f"{error.json_path}: {error.message[:300]}" for error in validator.iter_errors(value)]


def main():
    program = sys.argv[1]
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        subprocess.run([program, "demo", "--dir", folder / "demo"], check=True, capture_output=True)
        (folder / "won.pgn").write_text('[FEN "3k5/R8/9/9/9/9/9/9/9/4K4 w - - 0 1"]\n\n1. a8a9 *\n')
        command = [program, "train", folder / "my.train", "--add", folder / "won.pgn"]
        subprocess.run(command, check=True, capture_output=True)
        args = ["--train", folder / "my.train", "--book", folder / "demo/demo.book", "--tables", folder / "demo/tables"]
        args += ["--library", folder / "demo/games.pgn", "--autosave", folder / "played"]
        server = subprocess.Popen([program, "serve", "--port", "0", *args], stdout=subprocess.PIPE, text=True)
        try:
            address = server.stdout.readline().strip().rstrip("/")
            token = server.stdout.readline().strip().rsplit("token=", 1)[1]
            problems = ask_all(address, token)
        finally:
            server.terminate()
            server.wait()
    for problem in problems:
        print(problem)
    if problems:
        sys.exit(1)
    print(f"{len(REQUESTS)} answers as described")


def ask_all(address, token):
    """Asks everything; returns what is wrong."""
    _, _, body = ask(address, token, "get", "/api/openapi.json", {}, None)
    description = json.loads(body)
    openapi_spec_validator.validate(description)

    def validators(schema):
        return Draft202012Validator({**schema, "components": description["components"]})

    problems = []
    for asked in REQUESTS:
        answer = ask(address, token, *asked[:4])
        problems += [f"{asked[0]} {asked[1]} {asked[2]}: {problem}" for problem in check(description, validators, asked, answer)]
    every = {(method, path) for path, methods in description["paths"].items() for method in methods}
    for method, path in sorted(every - {asked[:2] for asked in REQUESTS}):
        problems.append(f"{method} {path} was not asked")
    return problems


if __name__ == "__main__":
    main()
