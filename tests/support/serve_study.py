"""Serve a study until killed: ``serve_study.py DATABASE PORT QUERIES [paper]``. Limits of requests are out of the way."""

import asyncio
import sys

from tests.support.study_site import SECRET, WIDE, demo_study

from gameproof.web.serving import bind, serve_study
from gameproof.web.settings import Settings


def main() -> None:
    database, port, n_queries = sys.argv[1:4]
    listening = bind("127.0.0.1", int(port))
    settings = Settings(address=f"http://127.0.0.1:{port}", admin_secret=SECRET, limits=WIDE)
    study = demo_study(queries=f"queries = {n_queries}")
    asyncio.run(
        serve_study(study, database, listening, settings, on_ready=lambda _: print("ready", flush=True))  # noqa: T201 - says when
    )


if __name__ == "__main__":
    main()
