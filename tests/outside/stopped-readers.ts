import type { ChildProcess } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { openStopped, untilQuiet } from "./check-streams.ts";
import type { WatchedVendor } from "./watched-vendor.ts";

const readers = 200;
const streamBytes = 3_000_000;

/** The megabytes that a process held before its readers stopped, and while they stand still. */
export type Held = { readonly before: number; readonly stopped: number };

/** Opens streams whose readers stop, and returns what the process of the server holds meanwhile. */
export async function stopReaders(url: string, vendor: WatchedVendor, program: ChildProcess): Promise<Held> {
  const before = residentMegabytes(program);
  vendor.answerWith(streamBytes / 5);
  const sockets = Array.from({ length: readers }, () => openStopped(url));
  await untilQuiet({ vendor });
  const stopped = residentMegabytes(program);
  for (const socket of sockets) socket.destroy();
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
