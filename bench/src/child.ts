import { fork, spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

/** A server, the load or a candidate, in a process of its own. */
export type Child = { pid: number; process: ChildProcess; url: string };

/** Starts a file beside this one, or one named by its URL, pinned to a core where the system can, and waits for its first message. */
export async function startChild(file: string | URL, core: number, env: Record<string, string> = {}): Promise<Child> {
  const child = fork(fileURLToPath(new URL(file, import.meta.url)), {
    env: { ...process.env, ...env },
    execArgv: ["--conditions=@troupe/source", "--no-warnings", "--expose-gc"],
  });
  const { port } = await nextMessage<{ port?: number }>(child);
  const pid = child.pid ?? 0;
  await pin(pid, core);
  return { pid, process: child, url: `http://127.0.0.1:${port ?? 0}` };
}

/** Sends a child its next order and waits for the answer. */
export async function ask<Answer>(child: Child, work: object): Promise<Answer> {
  const answer = nextMessage<Answer>(child.process);
  child.process.send(work);
  return await answer;
}

/** Kills a child. */
export function stopChild(child: Child): void {
  child.process.kill("SIGKILL");
}

/** Returns the next message. Rejects when the child ends first. */
async function nextMessage<Message>(child: ChildProcess): Promise<Message> {
  const over = new AbortController();
  const { signal } = over;
  try {
    const message = once(child, "message", { signal });
    const ended = once(child, "exit", { signal }).then(() => {
      throw new Error(`A measured process ended: ${child.spawnargs.at(-1)}.`);
    });
    const [first] = (await Promise.race([message, ended])) as [Message];
    return first;
  } finally {
    over.abort();
  }
}

/** Pins a process to a core, so that the load does not take the server's time. Does nothing without `taskset`. */
async function pin(pid: number, core: number): Promise<void> {
  const options = ["--all-tasks", "--pid", "--cpu-list", String(core), String(pid)];
  await once(spawn("taskset", options, { stdio: "ignore" }), "exit").catch(() => {});
}
