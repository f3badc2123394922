"""Serve a GGUF file over HTTP with xllamacpp, on 127.0.0.1 and a free or given port, until standard input closes.

    python tests/support/serve_gguf.py FILE [SLOTS [PORT [TOKENS]]]

Prints the address when it is ready. OMP_NUM_THREADS says how many threads compute: on a busy machine take 1, since
threads of llama.cpp wait for each other without rest. A process of its own, in an environment that has xllamacpp: whoever starts
it ends it by closing its input, and it ends with whoever started it.
"""

import os
import sys

SLOT_TOKENS = (
    576  # of context for each question, by default: where a small model repeats itself, it ends here
)
REPEATED = 1.15  # so many times less likely becomes a token that the last 256 have


def main(file: str, slots: int = 1, port: int = 0, slot_tokens: int = SLOT_TOKENS) -> None:
    import xllamacpp  # noqa: PLC0415 - only in the environment of the server

    settings = xllamacpp.CommonParams()
    settings.model.path = file
    settings.model_alias = {"smollm2"}
    settings.hostnames = ["127.0.0.1"]
    settings.port = port
    settings.n_parallel = slots
    settings.n_ctx = slots * slot_tokens
    settings.sampling.penalty_repeat = REPEATED
    settings.sampling.penalty_last_n = 256
    settings.fit_params = False
    settings.verbosity = -1
    threads = int(os.environ.get("OMP_NUM_THREADS") or os.cpu_count() or 1)
    settings.cpuparams.n_threads = settings.cpuparams_batch.n_threads = threads
    server = xllamacpp.Server(settings)
    sys.stdout.write(f"{server.listening_address}\n")
    sys.stdout.flush()
    sys.stdin.read()


if __name__ == "__main__":
    main(sys.argv[1], *map(int, sys.argv[2:5]))
