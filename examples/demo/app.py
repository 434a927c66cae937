"""Greets whoever asks: app.py GREETING_FILE serves that file's text on port 8080."""

import pathlib
import sys

import bottle

greeting = pathlib.Path(sys.argv[1]).read_text(encoding="utf-8")


@bottle.route("/")
def index():
    return greeting


bottle.run(host="0.0.0.0", port=8080, quiet=True)
