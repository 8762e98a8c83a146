#!/usr/bin/env python3
"""Packs a folder as a zip archive whose bytes depend on the names and contents of its files alone, and on the date.

    python3 contrib/dist/zip.py FOLDER ARCHIVE

Files are in the order of their names, dated by SOURCE_DATE_EPOCH (in UTC; else 1980, the first year that such archives know),
and have no owner. Links are packed as the files that they lead to.
"""

import os
import sys
import time
import zipfile
from pathlib import Path

FIRST_DATE = (1980, 1, 1, 0, 0, 0)


def main():
    if len(sys.argv) != 3:
        sys.exit("usage: zip.py FOLDER ARCHIVE")
    folder, archive = Path(sys.argv[1]), Path(sys.argv[2])
    date = max(FIRST_DATE, time.gmtime(int(os.environ.get("SOURCE_DATE_EPOCH", 0)))[:6])
    files = sorted((path.relative_to(folder.parent).as_posix(), path) for path in folder.rglob("*") if path.is_file())
    unfinished = archive.with_name(f".{archive.name}.part-{os.getpid()}")
    try:
        with zipfile.ZipFile(unfinished, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as out:
            for name, path in files:
                entry = zipfile.ZipInfo(name, date)
                entry.compress_type = zipfile.ZIP_DEFLATED
                # As on Unix, whose programs read names in UTF-8 then, too; those of Windows look at the flag for them.
                entry.create_system = 3
                entry.external_attr = (0o100755 if path.suffix == ".exe" else 0o100644) << 16
                out.writestr(entry, path.read_bytes(), compresslevel=9)
        os.replace(unfinished, archive)
    finally:
        unfinished.unlink(missing_ok=True)


if __name__ == "__main__":
    main()
