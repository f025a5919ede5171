// Waits for the word, then for so many microseconds, and kills the process: the other thread may be deep in a commit.
import { workerData } from "node:worker_threads";

const shared = workerData as Int32Array;
Atomics.wait(shared, 0, 0);
const end = performance.now() + (shared[1] ?? 0) / 1000;
while (performance.now() < end);
process.kill(process.pid, "SIGKILL");
