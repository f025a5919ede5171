import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { createRequire } from "node:module";
import { setTimeout as wait } from "node:timers/promises";
import { freePort } from "@troupe-internal/fault-tools";

const require = createRequire(import.meta.url);

/** The arguments of Node that start a server of npm. */
export function programOf(name: string, ...args: readonly string[]): { command: string; args: string[] } {
  const file = require.resolve(`@modelcontextprotocol/server-${name}/dist/index.js`);
  return { command: process.execPath, args: [file, ...args] };
}

/** The server `everything` over HTTP, as a process of its own. */
export type EverythingProcess = { url: string; child: ChildProcess; end(signal?: NodeJS.Signals): Promise<void> };

/** Starts `everything` over Streamable HTTP or the HTTP+SSE transport of 2024, at a port of its own or the given one. */
export async function startEverything(
  mode: "streamableHttp" | "sse" = "streamableHttp",
  port?: number,
): Promise<EverythingProcess> {
  const used = port ?? (await freePort());
  const { command, args } = programOf("everything", mode);
  const child = spawn(command, args, { env: { ...process.env, PORT: String(used) }, stdio: "ignore" });
  const url = `http://127.0.0.1:${used}/${mode === "sse" ? "sse" : "mcp"}`;
  await answers(url);
  const end = async (signal: NodeJS.Signals = "SIGKILL") => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill(signal);
    await once(child, "exit");
  };
  return { url, child, end };
}

async function answers(url: string): Promise<void> {
  for (let attempt = 0; attempt < 600; attempt++) {
    try {
      // A stream of events is let go as soon as it begins.
      const abort = new AbortController();
      await fetch(url, { signal: abort.signal });
      abort.abort();
      return;
    } catch {
      await wait(50);
    }
  }
  throw new Error(`Nothing answers at ${url}.`);
}
