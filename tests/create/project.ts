import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { freePort } from "@troupe-internal/fault-tools";
import { mustRun } from "../../tools/packages/run-command.ts";
import { commandOf } from "../../tools/registry/user-programs.ts";
import type { Manager, Node } from "../../tools/registry/user-programs.ts";
import { Program, Stopwatch } from "./program.ts";
import type { Cost } from "./program.ts";

/** One way of a user to a project. */
export type Way = {
  readonly manager: Manager;
  readonly node: Node;
  readonly template: string;
};

/** The place of a way: an empty folder, and the environment of its user. */
export type Place = { readonly folder: string; readonly env: NodeJS.ProcessEnv };

/** The steps of a way, in order. `create` writes the project, and `install` is the work of the package manager in it. */
export const steps = ["create", "install", "test", "dev", "reload", "build"] as const;
export type Costs = Readonly<Record<(typeof steps)[number], Cost>>;

const waitMs = 180_000;
const question = JSON.stringify({ input: "What should I take along to Oslo?" });
const headers = { "content-type": "application/json" };
// Only npm takes the flags of the command after two dashes.
const createCommand = (manager: Manager, template: string): readonly string[] => {
  const flags = ["my-agents", ...(manager === "npm" ? ["--"] : []), "--template", template, "--yes"];
  const name = manager === "npm" || manager === "pnpm" ? "troupe@latest" : "troupe";
  return ["create", name, ...flags];
};

/** Goes the way of a user from an empty folder to an answer: create with installation, test, dev, ask, change, build. */
export async function goWay({ manager, template }: Way, { folder, env }: Place): Promise<Costs> {
  mkdirSync(folder, { recursive: true });
  const program = commandOf(manager);
  const watch = new Stopwatch();
  const creation = new Program(program, createCommand(manager, template), { cwd: folder, env });
  await until(() => creation.hasEnded || creation.printed.includes("Made my-agents"), creation);
  const create = watch.lap(creation);
  await creation.end();
  const install = watch.lap();
  const project = join(folder, "my-agents");
  await new Program(program, ["run", "test"], { cwd: project, env }).end();
  const test = watch.lap();
  const { dev, reload } = await develop(program, { template, project, env });
  const building = new Stopwatch();
  await new Program(program, ["run", "build"], { cwd: project, env }).end();
  return { create, install, test, dev, reload, build: building.lap() };
}

/** Adds packages to a project of npm with the commands that the guide shows, and tests it again. */
export async function addPackages({ folder, env }: Place): Promise<void> {
  const page = readFileSync(join(import.meta.dirname, "../../docs/guide/start-a-project.md"), "utf8");
  const [, commands = "exit 1"] = /^```sh\n(npm create troupe@latest -- --add [^`]+)^```$/m.exec(page) ?? [];
  const project = { cwd: join(folder, "my-agents"), env };
  const printed = await mustRun("sh", ["-ec", commands], project);
  if (!printed.includes("Added @troupe/storage-sqlite")) throw new Error(`--add printed: ${printed}`);
  await mustRun("npm", ["run", "test"], project);
}

type Development = { readonly template: string; readonly project: string; readonly env: NodeJS.ProcessEnv };

/** Starts `dev`, asks once, changes the tool, and waits until the answer has changed. */
async function develop(program: string, { template, project, env }: Development) {
  const port = await freePort();
  const options = { cwd: project, env: { ...env, PORT: String(port) } };
  const watch = new Stopwatch();
  const child = new Program(program, ["run", "dev"], options);
  const ask = async () => (template === "library" ? child.printed : await askOver(template, port));
  const answers = (wanted: string) => async () => (await ask()).includes(wanted);
  try {
    await until(answers("Rain in Oslo"), child);
    const dev = watch.lap(child);
    // Another process begins a run, which the worker performs.
    if (template === "worker") {
      const said = await mustRun(program, ["run", "enqueue"], options);
      if (!said.includes("Rain in Oslo")) throw new Error(`The run in the queue had another answer: ${said}`);
    }
    const tool = join(project, "src/tools/weather.ts");
    watch.lap(child);
    writeFileSync(tool, readFileSync(tool, "utf8").replace("Rain in", "Snow in"));
    await until(answers("Snow in Oslo"), child);
    return { dev, reload: watch.lap(child) };
  } finally {
    await child.kill();
  }
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

async function until(isTrue: () => boolean | Promise<boolean>, program: Program): Promise<void> {
  for (const end = performance.now() + waitMs; performance.now() < end; await sleep(20)) if (await isTrue()) return;
  throw new Error(`It did not come within ${waitMs / 1000} s. Printed: ${program.printed.slice(-1000)}`);
}
