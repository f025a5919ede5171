import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { requestOfStream, untilQuiet } from "./check-streams.ts";
import type { WatchedVendor } from "./watched-vendor.ts";

const readers = 200;
const streamBytes = 3_000_000;

/**
 * Opens streams and reads nothing, with a small buffer of the reader and packets as large as on a network. Otherwise the
 * system's buffers take a whole stream, with which its run is over: the sender's buffer grows to twenty packets, and a
 * packet of the loopback interface has 64 KB. Node can set neither.
 */
const stoppingReader = `
import socket, sys, time
_, port, count, request = sys.argv
readers = []
for _ in range(int(count)):
    reader = socket.socket()
    reader.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    reader.setsockopt(socket.IPPROTO_TCP, socket.TCP_MAXSEG, 1460)
    reader.connect(("127.0.0.1", int(port)))
    reader.sendall(request.encode())
    readers.append(reader)
time.sleep(600)
`;

/** The megabytes that a process held before its readers stopped, and while they stand still. */
export type Held = { readonly before: number; readonly stopped: number };

/** Opens streams whose readers stop, and returns what the process of the server holds meanwhile. */
export async function stopReaders(url: string, vendor: WatchedVendor, program: ChildProcess): Promise<Held> {
  const before = residentMegabytes(program);
  vendor.answerWith(streamBytes / 5);
  const { port, text } = requestOfStream(url);
  const stopping = spawn("python3", ["-c", stoppingReader, port, String(readers), text], { stdio: "inherit" });
  await untilQuiet({ vendor });
  // The server still works off what its own socket has received.
  await sleep(8000);
  const stopped = residentMegabytes(program);
  stopping.kill();
  vendor.answerWith(3);
  await untilQuiet({ vendor });
  return { before, stopped };
}

/** Returns the ids of a process and of the processes that it has started. */
export function familyOf({ pid = 0 }: ChildProcess): readonly number[] {
  const family = [pid];
  for (const each of family) family.push(...childrenOf(each));
  return family;
}

function residentMegabytes(program: ChildProcess): number {
  return Math.round(familyOf(program).reduce((sum, each) => sum + residentOf(each), 0) / 1e6);
}

function childrenOf(pid: number): number[] {
  const tasks = `/proc/${pid}/task`;
  const lists = existsSync(tasks)
    ? readdirSync(tasks).map((task) => readFileSync(`${tasks}/${task}/children`, "utf8"))
    : [];
  return lists.flatMap((list) => list.split(" ").filter(Boolean).map(Number));
}

function residentOf(pid: number): number {
  const status = existsSync(`/proc/${pid}/status`) ? readFileSync(`/proc/${pid}/status`, "utf8") : "";
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1] ?? 0) * 1024;
}
