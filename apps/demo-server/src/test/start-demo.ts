import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

const main = fileURLToPath(new URL("../main.ts", import.meta.url));

/** The demo as a process of its own, and what it has written. */
export type StartedDemo = {
  readonly child: ChildProcess;
  readonly url: string;
  /** What it said when it had started, or why it did not. */
  readonly said: string;
  /** Resolves with the exit code and the signal. */
  readonly exit: Promise<unknown[]>;
};

/** What the machine's own environment must not decide. */
const unset = Object.fromEntries(
  ["OPENAI", "ANTHROPIC", "GOOGLE", "GEMINI"].map((vendor) => [`${vendor}_API_KEY`, ""]),
);

/** Starts the server on a free port, and waits until it has introduced itself or ended. */
export async function startDemo(variables: Readonly<Record<string, string>>): Promise<StartedDemo> {
  const child = spawn(process.execPath, ["--conditions=@troupe/source", main], {
    env: { ...process.env, ...unset, PORT: "0", ...variables },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const exit = once(child, "exit");
  const said: string[] = [];
  child.stdout.setEncoding("utf8");
  child.stderr.setEncoding("utf8").on("data", (text: string) => said.push(text));
  const introduction = new Promise<void>((resolve) => {
    child.stdout.on("data", (text: string) => {
      said.push(text);
      if (said.join("").includes("/turns")) resolve();
    });
  });
  await Promise.race([introduction, once(child, "close")]);
  const text = said.join("");
  return { child, exit, said: text, url: /http:\S+/.exec(text)?.[0] ?? "" };
}
