import { fork, spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

/** A server or the load, in a process of its own. */
export type Child = { pid: number; process: ChildProcess; url: string };

/** Starts a file beside this one, on one core where the system can pin it, and waits until it speaks. */
export async function startChild(file: string, core: number, env: Record<string, string> = {}): Promise<Child> {
  const child = fork(fileURLToPath(new URL(file, import.meta.url)), {
    env: { ...process.env, ...env },
    execArgv: ["--conditions=@troupe/source", "--no-warnings"],
  });
  const [message] = (await once(child, "message")) as [{ port?: number }];
  const pid = child.pid ?? 0;
  await pin(pid, core);
  return { pid, process: child, url: `http://127.0.0.1:${message.port ?? 0}` };
}

/** Ends a child; what it served is over. */
export function stopChild(child: Child): void {
  child.process.kill("SIGKILL");
}

/** Keeps the load from taking the server's time. Where there is no `taskset`, the system decides. */
async function pin(pid: number, core: number): Promise<void> {
  const options = ["--all-tasks", "--pid", "--cpu-list", String(core), String(pid)];
  await once(spawn("taskset", options, { stdio: "ignore" }), "exit").catch(() => {});
}
