import { fork, spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

/** A server, the load or a candidate, in a process of its own. */
export type Child = { pid: number; process: ChildProcess; url: string };

/** Milliseconds for which a child may take to end. */
const endMs = 10_000;

/**
 * Starts a file beside this one, or one named by its URL, and waits for its first message. It is pinned to a core where the
 * system can, if one is given; else it runs on the cores of this process.
 */
export async function startChild(
  file: string | URL,
  core: number | undefined,
  env: Record<string, string> = {},
): Promise<Child> {
  const child = fork(fileURLToPath(new URL(file, import.meta.url)), {
    env: { ...process.env, ...env },
    execArgv: ["--conditions=@troupe/source", "--no-warnings", "--expose-gc"],
  });
  const { port } = await nextMessage<{ port?: number }>(child);
  const pid = child.pid ?? 0;
  if (core !== undefined) await pin(pid, String(core));
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

/** Lets a child end by itself, as a profile of it needs (`NODE_OPTIONS=--cpu-prof`), and kills it when it does not. */
export async function endChild(child: Child): Promise<void> {
  const { process: running } = child;
  if (running.exitCode !== null || running.signalCode !== null) return;
  const ended = once(running, "exit");
  if (running.connected) running.disconnect();
  const timer = setTimeout(() => stopChild(child), endMs);
  await ended;
  clearTimeout(timer);
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

/** Pins a process to cores, such as `0` or `0,1`, so that the load does not take the server's time. Does nothing without `taskset`. */
export async function pin(pid: number, cores: string): Promise<void> {
  const options = ["--all-tasks", "--pid", "--cpu-list", cores, String(pid)];
  await once(spawn("taskset", options, { stdio: "ignore" }), "exit").catch(() => {});
}
