import { spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { basename, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { freePort } from "@troupe-internal/fault-tools";
import { mustRun, runCommand } from "../../tools/packages/run-command.ts";

type Instruction = { readonly name: string; readonly text: string };

/** The stages of a Dockerfile, each with its instructions. */
function stagesOf(text: string): Instruction[][] {
  const stages: Instruction[][] = [];
  for (const line of text.split("\n")) {
    const [, name = "", rest = ""] = /^([A-Z]+) (.+)$/.exec(line) ?? [];
    if (name === "FROM") stages.push([]);
    if (name !== "") stages.at(-1)?.push({ name, text: rest });
  }
  return stages;
}

/**
 * Carries out the steps of a project's Dockerfile with processes in place of containers: both stages in folders of their
 * own, the program with only the environment of the image, and its health check. Returns a sentence for each fault.
 */
export async function tryDockerfile(project: string, env: NodeJS.ProcessEnv): Promise<string[]> {
  const [build = [], image = []] = stagesOf(readFileSync(join(project, "Dockerfile"), "utf8"));
  const [builder, folder] = [join(project, "../builder"), join(project, "../image")];
  for (const each of [builder, folder]) mkdirSync(each, { recursive: true });
  await buildIn(builder, build, { project, env });
  for (const { text } of image.filter(({ name }) => name === "COPY")) {
    const [from = "", to = ""] = text.replaceAll(/--\S+ /g, "").split(" ");
    const target = to === "./" ? join(folder, basename(from)) : join(folder, to);
    cpSync(join(builder, from.replace("/app/", "")), target, { recursive: true, verbatimSymlinks: true });
  }
  return await startImage(folder, image, env["PATH"] ?? "");
}

type Source = { readonly project: string; readonly env: NodeJS.ProcessEnv };

async function buildIn(builder: string, steps: readonly Instruction[], { project, env }: Source): Promise<void> {
  for (const { name, text } of steps) {
    if (name === "COPY") copyInto(builder, project, text);
    if (name === "RUN") await mustRun("sh", ["-c", text], { cwd: builder, env });
  }
}

/** Copies what a COPY of the first stage names, without what `.dockerignore` leaves out. */
function copyInto(builder: string, project: string, text: string): void {
  const ignored = readFileSync(join(project, ".dockerignore"), "utf8").trim().split("\n");
  const names = text.split(" ").slice(0, -1);
  for (const name of names) {
    const from = join(project, name);
    // Of `package.json package-lock.json`, Docker would miss the second if there is none.
    if (!existsSync(from)) throw new Error(`The Dockerfile copies ${name}, which does not exist.`);
    cpSync(from, name === "." ? builder : join(builder, name), {
      recursive: true,
      filter: (path) => !ignored.includes(path.slice(project.length + 1)),
    });
  }
}

async function startImage(folder: string, image: readonly Instruction[], path: string): Promise<string[]> {
  const textOf = (name: string): string => image.findLast((each) => each.name === name)?.text ?? "";
  const pairs = textOf("ENV").split(" ");
  const settings: NodeJS.ProcessEnv = Object.fromEntries(
    pairs.map((pair) => [pair.split("=", 1)[0] ?? "", pair.slice(pair.indexOf("=") + 1)]),
  );
  const port = String(await freePort());
  const env = { PATH: path, ...settings, PORT: port };
  mkdirSync(join(folder, ".data"), { recursive: true });
  const [program = "", ...args] = JSON.parse(textOf("CMD")) as string[];
  const child = spawn(program, args, { cwd: folder, env, stdio: ["ignore", "ignore", "pipe"] });
  let printed = "";
  child.stderr.on("data", (bytes: Buffer) => (printed += bytes.toString()));
  const ended = once(child, "exit");
  try {
    const isHealthy = await untilHealthy(textOf("HEALTHCHECK").replaceAll("3000", port), folder, env);
    const faults = isHealthy ? [] : [`The health check of the Dockerfile failed: ${printed.slice(-500)}`];
    if (textOf("USER") === "") faults.push("The image would run as root.");
    return faults;
  } finally {
    child.kill("SIGTERM");
    await ended;
    for (const each of [folder, join(folder, "../builder")]) rmSync(each, { recursive: true, force: true });
  }
}

async function untilHealthy(check: string, cwd: string, env: NodeJS.ProcessEnv): Promise<boolean> {
  const [, command = "[]"] = /CMD (\[.*\])$/.exec(check) ?? [];
  const [program = "", ...args] = JSON.parse(command) as string[];
  for (let tries = 0; tries < 100; tries++) {
    const { code } = await runCommand(program, args, { cwd, env });
    if (code === 0) return true;
    await sleep(100);
  }
  return false;
}
