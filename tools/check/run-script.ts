import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { delimiter, join } from "node:path";

export interface ScriptOptions {
  /** The folder whose `package.json` has the script. */
  readonly root: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Ends the script, with everything that it started. */
  readonly signal?: AbortSignal;
}

/** Runs a script of a `package.json` as pnpm would, and gives its exit code and all that it said. */
export async function runScript(
  script: string,
  { root, args = [], env, signal }: ScriptOptions,
): Promise<{ code: number; output: string }> {
  const path = [join(root, "node_modules/.bin"), process.env["PATH"]].join(delimiter);
  const child = spawn([commandOf(script, root), ...args].join(" "), {
    cwd: root,
    env: { ...process.env, ...env, PATH: path },
    stdio: ["ignore", "pipe", "pipe"],
    shell: true,
    // A group of its own, so that what the script started can be ended with it.
    detached: true,
  });
  const said: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (bytes: Buffer) => said.push(bytes));
  const stop = (): void => endGroup(child);
  signal?.addEventListener("abort", stop);
  const [code] = (await once(child, "close")) as [number | null];
  signal?.removeEventListener("abort", stop);
  return { code: code ?? 1, output: Buffer.concat(said).toString("utf8") };
}

function commandOf(script: string, root: string): string {
  const { scripts } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
    scripts: Record<string, string>;
  };
  const command = scripts[script];
  if (command === undefined) throw new Error(`package.json has no script "${script}".`);
  return command;
}

function endGroup({ pid }: ChildProcess): void {
  if (pid !== undefined) process.kill(-pid, "SIGTERM");
}
