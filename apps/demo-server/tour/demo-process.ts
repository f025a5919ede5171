import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { toolkitVariables } from "../src/choose-toolkits.ts";

/** The demo server in a process of its own. */
export type DemoProcess = {
  readonly url: string;
  /** Text that it printed when it had started. */
  readonly banner: string;
  /** Asks it to end as a container is ended, and returns the code that it exits with and the milliseconds that it took. */
  terminate(): Promise<{ code: number | null; ms: number }>;
  kill(): void;
};

/** The program that the build has made. */
const program = join(import.meta.dirname, "../dist/main.js");

/** Hides the keys and servers of the machine's own environment: the tour is the same everywhere. */
const unset = Object.fromEntries(
  ["OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GOOGLE_API_KEY", "GEMINI_API_KEY"]
    .concat(["DATABASE_URL", "MONGODB_URL", "QDRANT_URL", "REDIS_URL", "HOST"])
    .concat(toolkitVariables)
    .map((name) => [name, ""]),
);

/** Starts the demo on a free port, with its data in a folder. Throws what it printed if it does not start. */
export async function startDemo(folder: string): Promise<DemoProcess> {
  const env = { ...process.env, ...unset, PORT: "0", TROUPE_DEMO_DATA: folder, TROUPE_DEMO_MODEL: "offline" };
  const child = spawn(process.execPath, [program], { env, stdio: ["ignore", "pipe", "pipe"] });
  let printed = "";
  const note = (text: string) => void (printed += text);
  child.stdout.setEncoding("utf8").on("data", note);
  child.stderr.setEncoding("utf8").on("data", note);
  const exit = once(child, "exit");
  while (child.exitCode === null && !printed.includes("Ctrl-C stops"))
    await Promise.race([once(child.stdout, "data"), exit]);
  const [url] = /http:\/\/\S+/.exec(printed) ?? [];
  if (child.exitCode !== null || url === undefined) throw new Error(`The demo has not started: ${printed}`);
  return {
    url,
    banner: printed,
    kill: () => void child.kill("SIGKILL"),
    terminate: async () => await terminate(child),
  };
}

async function terminate(child: ChildProcess): Promise<{ code: number | null; ms: number }> {
  const start = performance.now();
  const exit = once(child, "exit");
  child.kill("SIGTERM");
  const [code] = (await exit) as [number | null];
  return { code, ms: Math.round(performance.now() - start) };
}
