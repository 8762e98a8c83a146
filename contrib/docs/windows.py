#!/usr/bin/env python3
"""Follows the guide for Windows, docs/guide/windows.zh-CN.md, word by word.

    python3 contrib/docs/windows.py                                                   # both languages have the same steps
    python3 contrib/docs/windows.py --program juzhong.exe --launcher wine             # each of them works
    python3 contrib/docs/windows.py --archive juzhong-VERSION-TARGET.zip --launcher wine

The steps are the blocks of code after comments that say what to do with them:

    <!-- run -->          each line is entered in a command line (bat) or in PowerShell, in the folder C:\\juzhong
    <!-- run: last -->    the same, after all else
    <!-- file: PATH -->   the block is written to the file, as Notepad saves it
    <!-- engine: WHO -->  the block is the file of an engine; who starts it speaks to it as WHO does

Before them comes the double click, and a file page.bat gets one too, as does the program once there are settings: the page must
be there, with tables and the book that is expected.

The launcher runs Windows programs on this machine; on Windows there is none. C:\\juzhong, C:\\棋谱 and C:\\pikafish, and the
folder juzhong in %APPDATA% and in %LOCALAPPDATA%, must not exist: they are made, and removed at the end. Without PowerShell its
lines are split as it would and run; Pikafish is played by a copy of the program.
"""

import argparse
import json
import os
import queue
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
import zipfile
from pathlib import Path, PureWindowsPath

ROOT = Path(__file__).resolve().parents[2]
PAGES = ["docs/guide/windows.md", "docs/guide/windows.zh-CN.md"]
STEP = re.compile(r"^<!-- (run|file|engine)(?:: (.+?))? -->\n+```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
MARK = re.compile(r"^<!-- (?:run|file|engine)\b", re.MULTILINE)
HOME = r"C:\juzhong"
GAMES = r"C:\棋谱"
PIKAFISH = r"C:\pikafish"
IS_WINDOWS = os.name == "nt"
# The longest that a step may take, in seconds: an emulated program is slow to start.
STEP_TIME = 300
START_TIME = 30


class Failure(Exception):
    """A step that does not work."""


def steps(page):
    """The steps of a page: what to do, with what, the language of the block, the block."""
    text = (ROOT / page).read_text(encoding="utf-8")
    found = [step.groups() for step in STEP.finditer(text)]
    if len(found) != len(MARK.findall(text)):
        raise Failure(f"{page}: a comment that marks a step has no block of code below it")
    return found


def disagreements():
    """Yields how the pages differ in their steps."""
    try:
        pages = [steps(page) for page in PAGES]
    except Failure as failure:
        yield str(failure)
        return
    if len(pages[0]) != len(pages[1]):
        yield f"{PAGES[0]} has {len(pages[0])} steps, {PAGES[1]} {len(pages[1])}"
    for one, other in zip(*pages):
        if one != other:
            yield f"{PAGES[0]} has another step than {PAGES[1]}: {one[3].splitlines()[0]}"


class Machine:
    """The machine on which the guide is followed: Windows, or what the launcher runs Windows programs by."""

    def __init__(self, launcher):
        self.launcher = launcher
        self.variables = {name: self.asked(name) for name in ("APPDATA", "LOCALAPPDATA")}

    def asked(self, name):
        if IS_WINDOWS:
            return os.environ[name]
        told = self.run(["cmd", "/c", "echo", f"%{name}%"]).strip()
        if not told or "%" in told:
            raise Failure(f"Windows does not say what %{name}% is: {told}")
        return told

    def run(self, command, cwd=None):
        """What a program prints, on both of its outputs. It must end well."""
        if not isinstance(command, str):
            command = [*self.launcher, *command]
        done = subprocess.run(command, cwd=cwd, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, timeout=STEP_TIME, check=False)
        told = done.stdout.decode("utf-8", "replace")
        if done.returncode != 0:
            raise Failure(f"exit code {done.returncode}\n{told}")
        return told

    def expanded(self, path):
        return re.sub(r"%(\w+)%", lambda name: self.variables[name.group(1)], path)

    def place(self, path):
        """Where a file of Windows is for this script."""
        path = self.expanded(path)
        if IS_WINDOWS:
            return Path(path)
        parts = PureWindowsPath(path)
        prefix = Path(os.environ.get("WINEPREFIX", Path.home() / ".wine"))
        # The names of Windows are alike in both cases; those of the guide are written as they are made.
        return prefix.joinpath("dosdevices", parts.drive.lower(), *parts.parts[1:]).resolve()

    def in_shell(self, line):
        """Enters a line in a command line."""
        if IS_WINDOWS:
            return self.run(f'cmd /d /s /c "{line}"', cwd=self.place(HOME))
        # The launcher puts words with blanks in quotation marks again. Wine's command line at times gets no process for a
        # program, and says as it does where there is none; nothing has been run then.
        program, *arguments = words(line)
        is_there = self.place(HOME).joinpath(program).is_file()
        for is_last in (False, False, True):
            try:
                return self.run(["cmd", "/c", program, *arguments], cwd=self.place(HOME))
            except Failure as failure:
                if is_last or not is_there or "\nCan't recognize " not in str(failure):
                    raise
                print(f"once more: {failure}", file=sys.stderr)

    def in_powershell(self, line):
        if IS_WINDOWS:
            return self.run(["powershell", "-NoProfile", "-Command", line], cwd=self.place(HOME))
        program, *arguments = words(line)
        if not program.startswith(".\\") or set(line) & set("$&|;`"):
            raise Failure("this is more than what a line of PowerShell may have here")
        return self.run([f"{HOME}\\{program[2:]}", *arguments], cwd=self.place(HOME))

    def started(self, path, **how):
        """Starts a program as others do: a script by the command line's interpreter."""
        command = ["cmd", "/c", path] if path.endswith(".bat") else [path]
        return subprocess.Popen([*self.launcher, *command], cwd=self.place(str(PureWindowsPath(path).parent)),
                                start_new_session=not IS_WINDOWS, **how)

    @staticmethod
    def end(process):
        """Ends a program and those that it has started."""
        if IS_WINDOWS:
            subprocess.run(["taskkill", "/t", "/f", "/pid", str(process.pid)], capture_output=True, check=False)
        else:
            try:
                os.killpg(process.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        process.wait()


def words(line):
    """The words of a line, which quotation marks hold together; a backslash is one."""
    split = shlex.shlex(line, posix=True, punctuation_chars=False)
    split.whitespace_split, split.escape, split.commenters, split.quotes = True, "", "", '"'
    return list(split)


class Output:
    """The lines of a program as they come."""

    def __init__(self, stream, patience):
        self.lines, self.seen, self.patience = queue.Queue(), [], patience
        threading.Thread(target=self.read, args=(stream,), daemon=True).start()

    def read(self, stream):
        try:
            for line in stream:
                self.lines.put(line.decode("utf-8", "replace").rstrip("\r\n"))
        except OSError:
            pass  # a terminal whose other end is gone
        self.lines.put(None)

    def until(self, pattern):
        """The next line that has the pattern."""
        deadline = time.monotonic() + self.patience
        while (left := deadline - time.monotonic()) > 0:
            try:
                line = self.lines.get(timeout=left)
            except queue.Empty:
                break
            if line is None:
                raise Failure(f"it ended before {pattern!r}:\n" + "\n".join(self.seen[-20:]))
            self.seen.append(line)
            if re.search(pattern, line):
                return line
        raise Failure(f"nothing like {pattern!r} in {self.patience} s:\n" + "\n".join(self.seen[-20:]))


class Engine:
    """An engine at the other end of pipes."""

    def __init__(self, machine, path):
        self.machine = machine
        self.process = machine.started(path, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.output = Output(self.process.stdout, START_TIME)

    def say(self, *lines):
        self.process.stdin.write("".join(f"{line}\r\n" for line in lines).encode())
        self.process.stdin.flush()

    def quit(self):
        self.say("quit")
        try:
            self.process.wait(START_TIME)
        except subprocess.TimeoutExpired:
            raise Failure("the engine does not end at quit") from None

    def __enter__(self):
        return self

    def __exit__(self, *_failure):
        self.machine.end(self.process)


# A position of no book.
FEN = "4ck3/9/9/9/9/2r1R4/9/9/4A4/3AK4 w - - 0 1"
MOVE = r"^bestmove ([a-i][0-9]){2}( |$)"


def as_uci(machine, path):
    """As SharkChess: the options are read, and a book move and a searched move asked for."""
    with Engine(machine, path) as engine:
        engine.say("uci")
        engine.output.until("^uciok$")
        has_options = [any(f"name {name} " in line or f"name Jz{name} " in line for line in engine.output.seen)
                       for name in ("BookFile", "Tables")]
        if not all(has_options):
            raise Failure("it has no options for books and tables")
        engine.say("isready")
        engine.output.until("^readyok$")
        engine.say("ucinewgame", "position startpos moves h2e2", "go movetime 500")
        engine.output.until("book")
        engine.output.until(MOVE)
        engine.say(f"position fen {FEN}", "go wtime 2000 btime 2000")
        engine.output.until(MOVE)
        engine.quit()


def as_ucci(machine, path):
    with Engine(machine, path) as engine:
        engine.say("ucci")
        engine.output.until("^option bookfiles ")
        engine.output.until("^ucciok$")
        engine.say("isready", "setoption usemillisec true", "position startpos moves h2e2", "go time 5000 increment 0")
        engine.output.until("^readyok$")
        engine.output.until("book")
        engine.output.until(MOVE)
        engine.say(f"position fen {FEN}", "go time 2000 increment 0 opptime 2000 oppincrement 0")
        engine.output.until(MOVE)
        engine.say("quit")
        engine.output.until("^bye$")
        engine.quit()


def as_xqwizard(machine, path):
    """As XQWizard: options are set unread, and its book is named in the words of UCCI."""
    with Engine(machine, path) as engine:
        engine.say("ucci")
        engine.output.until("^ucciok$")
        engine.say(r"setoption bookfiles C:\juzhong\my.book", "setoption usemillisec true", "setoption hashsize 16",
                   "position startpos", "go time 5000 movestogo 40")
        engine.output.until("book")
        engine.output.until(MOVE)
        engine.say(f"position fen {FEN}", "banmoves e4e3", "go depth 4")
        engine.output.until(MOVE)
        engine.say("quit")
        engine.output.until("^bye$")
        engine.quit()


def as_public_xiangqi(machine, path):
    """As public-Xiangqi: the protocol is tried out first, the options are set by its own names before each search."""
    for _ in ("trial", "play"):
        with Engine(machine, path) as engine:
            engine.say("uci")
            engine.output.until("^uciok$")
            engine.say("stop", "setoption name Threads value 1", "setoption name Hash value 16",
                       f"position fen {FEN} moves e4e3", "go movetime 500")
            engine.output.until(r"depth \d+ .*\bnps\b.* pv ")
            engine.output.until(MOVE)
            engine.quit()


SPEAKERS = {"uci": as_uci, "ucci": as_ucci, "xqwizard": as_xqwizard, "public-xiangqi": as_public_xiangqi}


def look_at_page(output, book):
    """Opens the page whose address a window shows, as a browser would. It must have the book of that name, and tables."""
    address = re.search(r"http://127\.0\.0\.1:\d+/", output.until(r"http://127\.0\.0\.1:\d+/")).group()
    # Not by a proxy of this machine.
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    with opener.open(address, timeout=START_TIME) as answer:
        page = answer.read()
    with opener.open(f"{address}api/meta", timeout=START_TIME) as answer:
        offered = json.load(answer)["xiangqi"]
    if b"<html" not in page or [found["name"] for found in offered["books"]] != [book] or not offered["tables"]:
        raise Failure(f"{address} has no page, another book than {book} or no tables: {offered}")
    return address


def double_click(machine, path, book):
    """Starts a program in a window of its own, opens its page, and ends it, as the system does when the window is closed."""
    if IS_WINDOWS:
        # What a new window shows cannot be read here; output to a pipe can, and the options are those of a double click.
        command = [path] if path.endswith(".bat") else [path, "serve", "--open", "--demo"]
        process = subprocess.Popen(command, cwd=HOME, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE)
        window = None
        output = Output(process.stdout, STEP_TIME)
    else:
        import pty

        window, terminal = pty.openpty()
        process = machine.started(path, stdin=terminal, stdout=terminal, stderr=terminal)
        os.close(terminal)
        output = Output(os.fdopen(window, "rb", buffering=0, closefd=False), STEP_TIME)
    try:
        return look_at_page(output, book)
    finally:
        machine.end(process)
        if window is not None:
            os.close(window)


def follow(machine):
    """Does what the guide says, and says what is done."""
    found = steps(PAGES[-1])
    program = f"{HOME}\\juzhong.exe"
    print(f"double click: {double_click(machine, program, 'demo')}", flush=True)
    found.sort(key=lambda step: step[1] == "last")
    for kind, what, language, block in found:
        where = f"{what or ''} {block.splitlines()[0]}".strip()
        try:
            if kind == "file":
                write(machine, what, language, block)
            elif kind == "engine":
                SPEAKERS[what](machine, block.strip())
                print(f"engine: {where}", flush=True)
            else:
                for line in block.splitlines():
                    where = line
                    enter(machine, language, line)
            if kind == "file" and what.endswith("page.bat"):
                print(f"double click: {what}: {double_click(machine, what, 'my')}", flush=True)
            elif kind == "file" and language == "toml":
                print(f"double click, with settings: {double_click(machine, program, 'my')}", flush=True)
        except (Failure, OSError, subprocess.TimeoutExpired) as failure:
            raise Failure(f"{PAGES[-1]}: {where}\n{failure}") from failure


def enter(machine, language, line):
    if line.startswith("notepad "):
        return  # the file is what the next step writes
    told = machine.in_powershell(line) if language == "powershell" else machine.in_shell(line)
    shown = told.strip().splitlines()
    print(f"{language}: {line}\n    {shown[0] if shown else ''}", flush=True)


def write(machine, path, language, block):
    """Writes a file as Notepad saves it: settings with the mark of UTF-8, as its older versions do."""
    encoding = "utf-8-sig" if language == "toml" else "ascii"
    place = machine.place(path)
    place.write_bytes(block.replace("\n", "\r\n").encode(encoding))
    print(f"file: {path}", flush=True)


def set_up(machine, arguments):
    """The folders that the guide presumes: the program as it is unpacked, games, another engine."""
    home, games, pikafish = (machine.place(path) for path in (HOME, GAMES, PIKAFISH))
    if arguments.archive:
        with tempfile.TemporaryDirectory(dir=home.parent) as unpacked, zipfile.ZipFile(arguments.archive) as archive:
            archive.extractall(unpacked)
            (folder,) = Path(unpacked).iterdir()
            folder.rename(home)
    else:
        home.mkdir()
        shutil.copy(arguments.program, home / "juzhong.exe")
    pikafish.mkdir()
    shutil.copy(home / "juzhong.exe", pikafish / "pikafish.exe")
    program = f"{HOME}\\juzhong.exe"
    shutil.copytree(ROOT / "books/selfplay", games / "对局")
    with zipfile.ZipFile(games / "布局.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        for file in sorted((ROOT / "books/openings").iterdir()):
            archive.write(file, file.name)
    for command in (["convert", f"{GAMES}\\布局.zip", "-o", f"{GAMES}\\炮局.pgn", "--encoding", "gb18030"],
                    ["book", "build", f"{GAMES}\\布局.zip", "-o", f"{GAMES}\\1.book"],
                    ["book", "export", f"{GAMES}\\1.book", "--to", "eleeye", "-o", f"{GAMES}\\BOOK.DAT"]):
        machine.run([program, *command], cwd=games)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", type=Path, help="the program for Windows")
    parser.add_argument("--archive", type=Path, help="the archive for Windows, which has it")
    parser.add_argument("--launcher", default="", help="what runs programs of Windows here, such as wine")
    arguments = parser.parse_args()
    # The steps have Chinese in them, whatever the character set here.
    sys.stdout.reconfigure(encoding="utf-8")
    sys.stderr.reconfigure(encoding="utf-8")
    wrong = list(disagreements())
    for fault in wrong:
        print(fault, file=sys.stderr)
    if wrong or not (arguments.program or arguments.archive):
        return 1 if wrong else 0
    made = []
    try:
        machine = Machine(shlex.split(arguments.launcher))
        folders = [HOME, GAMES, PIKAFISH, r"%APPDATA%\juzhong", r"%LOCALAPPDATA%\juzhong"]
        places = [machine.place(folder) for folder in folders]
        there = [str(place) for place in places if place.exists()]
        if there:
            raise Failure(f"this would be overwritten: {', '.join(there)}")
        made = places
        set_up(machine, arguments)
        follow(machine)
        left = [str(place) for place in places[3:] if place.exists()]
        if left:
            raise Failure(f"still there after the last step: {', '.join(left)}")
    except Failure as failure:
        print(failure, file=sys.stderr)
        return 1
    finally:
        for place in made:
            shutil.rmtree(place, ignore_errors=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
