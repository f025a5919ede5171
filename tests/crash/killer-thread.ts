// Waits for the signal, then for a number of microseconds, and kills the process, which may be in the middle of a commit.
import { workerData } from "node:worker_threads";

const shared = workerData as Int32Array;
Atomics.wait(shared, 0, 0);
const end = performance.now() + (shared[1] ?? 0) / 1000;
while (performance.now() < end);
process.kill(process.pid, "SIGKILL");
