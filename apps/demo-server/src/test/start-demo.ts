import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { toolkitVariables } from "../choose-toolkits.ts";

const main = fileURLToPath(new URL("../main.ts", import.meta.url));

/** A demo server in its own process. */
export type StartedDemo = {
  readonly child: ChildProcess;
  readonly url: string;
  /** The server's output until it had started or ended. */
  readonly said: string;
  /** Resolves with the exit code and the signal. */
  readonly exit: Promise<unknown[]>;
};

/** Hides the keys and servers in the machine's own environment. */
const unset = {
  ...Object.fromEntries(["OPENAI", "ANTHROPIC", "GOOGLE", "GEMINI"].map((vendor) => [`${vendor}_API_KEY`, ""])),
  ...Object.fromEntries(["DATABASE", "MONGODB", "QDRANT", "REDIS"].map((server) => [`${server}_URL`, ""])),
  ...Object.fromEntries(toolkitVariables.map((name) => [name, ""])),
  OLLAMA_HOST: "127.0.0.1:1",
};

/** Starts the server on a free port, and waits until it has printed its banner or ended. */
async function startDemo(variables: Readonly<Record<string, string>>): Promise<StartedDemo> {
  const child = spawn(process.execPath, ["--conditions=@troupe/source", main], {
    env: { ...process.env, ...unset, PORT: "0", ...variables },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const exit = once(child, "exit");
  const said: string[] = [];
  child.stdout.setEncoding("utf8");
  child.stderr.setEncoding("utf8").on("data", (text: string) => said.push(text));
  const banner = new Promise<void>((resolve) => {
    child.stdout.on("data", (text: string) => {
      said.push(text);
      if (said.join("").includes("Ctrl-C stops")) resolve();
    });
  });
  await Promise.race([banner, once(child, "close")]);
  const text = said.join("");
  return { child, exit, said: text, url: /http:\S+/.exec(text)?.[0] ?? "" };
}

/** Demo servers that share a temporary folder for their data, run one after the other or side by side. */
export class DemoServers {
  readonly folder = mkdtempSync(join(tmpdir(), "troupe-demo-"));
  readonly #started = new Set<StartedDemo>();

  async start(variables: Readonly<Record<string, string>> = {}): Promise<StartedDemo> {
    const demo = await startDemo({ TROUPE_DEMO_DATA: join(this.folder, "data"), ...variables });
    this.#started.add(demo);
    return demo;
  }

  /** Kills the servers that are still running. */
  async stop(): Promise<void> {
    for (const { child } of this.#started) child.kill("SIGKILL");
    await Promise.all([...this.#started].map(({ exit }) => exit));
    this.#started.clear();
  }

  async dispose(): Promise<void> {
    await this.stop();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** Makes a POST request with a JSON body. */
export function post(body: unknown, headers: Record<string, string> = {}): RequestInit {
  return {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
  };
}

/** Long enough to start from sources on a busy machine. */
export const startTimeoutMs = 60_000;
