import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { freePort } from "@troupe-internal/fault-tools";
import { mustRun } from "../../tools/packages/run-command.ts";
import { commandOf } from "../../tools/registry/user-programs.ts";
import type { Manager, Node } from "../../tools/registry/user-programs.ts";

/** One way of a user to a project. */
export type Way = {
  readonly manager: Manager;
  readonly node: Node;
  readonly template: string;
};

/** The place of a way: an empty folder, and the environment of its user. */
export type Place = { readonly folder: string; readonly env: NodeJS.ProcessEnv };

/** The times of a way in seconds. */
export type Times = Readonly<Record<"create" | "test" | "build" | "dev" | "reload", number>>;

const waitMs = 60_000;
const question = JSON.stringify({ input: "What should I take along to Oslo?" });
const headers = { "content-type": "application/json" };
// Only npm takes the flags of the command after two dashes.
const createCommand = (manager: Manager, template: string): readonly string[] => {
  const flags = ["my-agents", ...(manager === "npm" ? ["--"] : []), "--template", template, "--yes"];
  const name = manager === "npm" || manager === "pnpm" ? "troupe@latest" : "troupe";
  return ["create", name, ...flags];
};

/** Goes the way of a user from an empty folder to an answer: create with installation, test, build, dev, ask, change. */
export async function goWay({ manager, template }: Way, { folder, env }: Place): Promise<Times> {
  mkdirSync(folder, { recursive: true });
  const program = commandOf(manager);
  const create = await timed(() => mustRun(program, createCommand(manager, template), { cwd: folder, env }));
  const project = join(folder, "my-agents");
  const run = async (...args: string[]) => await timed(() => mustRun(program, ["run", ...args], { cwd: project, env }));
  const test = await run("test");
  const build = await run("build");
  const { dev, reload } = await develop(program, { template, project, env });
  return { create, test, build, dev, reload };
}

async function timed(run: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await run();
  return (performance.now() - start) / 1000;
}

type Development = { readonly template: string; readonly project: string; readonly env: NodeJS.ProcessEnv };

/** Starts `dev`, asks once, changes the tool, and waits until the answer has changed. */
async function develop(program: string, { template, project, env }: Development) {
  const port = await freePort();
  const dev = { ...env, PORT: String(port) };
  const child = spawn(program, ["run", "dev"], {
    cwd: project,
    env: dev,
    // A group of its own, which can be ended as a whole.
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const printed = printedBy(child);
  const ask = template === "library" ? async () => await Promise.resolve(printed()) : () => askOver(template, port);
  try {
    const started = await timed(() => until("Rain in Oslo", ask, printed));
    // Another process begins a run, which the worker performs.
    if (template === "worker") {
      const said = await mustRun(program, ["run", "enqueue"], { cwd: project, env: dev });
      if (!said.includes("Rain in Oslo")) throw new Error(`The run in the queue had another answer: ${said}`);
    }
    const tool = join(project, "src/tools/weather.ts");
    writeFileSync(tool, readFileSync(tool, "utf8").replace("Rain in", "Snow in"));
    const reload = await timed(() => until("Snow in Oslo", ask, printed));
    return { dev: started, reload };
  } finally {
    if (child.pid !== undefined && child.exitCode === null) {
      process.kill(-child.pid, "SIGKILL");
      await once(child, "exit");
    }
  }
}

function printedBy(child: ChildProcess): () => string {
  let text = "";
  for (const stream of [child.stdout, child.stderr]) stream?.on("data", (bytes: Buffer) => (text += bytes.toString()));
  return () => text;
}

/** Asks a project over HTTP: the page of Next.js as `useChat` does, and the others as any client. */
async function askOver(template: string, port: number): Promise<string> {
  const path = template === "next" ? "/api/agents/helper/ui" : "/agents/helper/run";
  const message = { id: "m1", role: "user", parts: [{ type: "text", text: "What should I take along to Oslo?" }] };
  const body = template === "next" ? JSON.stringify({ id: crypto.randomUUID(), messages: [message] }) : question;
  return await fetch(`http://127.0.0.1:${port}${path}`, { method: "POST", headers, body }).then(
    (answer) => answer.text(),
    () => "",
  );
}

async function until(wanted: string, ask: () => Promise<string>, printed: () => string): Promise<void> {
  let said = "";
  for (const end = performance.now() + waitMs; performance.now() < end; await sleep(20)) {
    said = await ask();
    if (said.includes(wanted)) return;
  }
  throw new Error(`"${wanted}" did not come. Last answer: ${said.slice(0, 500)}\nPrinted: ${printed().slice(-1000)}`);
}
