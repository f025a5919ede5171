import { execFile } from "node:child_process";
import { mkdtemp, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { transform } from "esbuild";
import { root } from "./blocks.ts";

type Values = Readonly<Record<string, unknown>>;

const AsyncFunction = (async () => await Promise.resolve()).constructor as new (
  ...parameters: string[]
) => (...values: unknown[]) => Promise<Values>;

const declaration = /^(?:const|let|function) (?:\{ (?<names>[^}]+) \}|(?<name>\w+))/gm;

/** Runs a fragment of TypeScript with the names of its scope. Resolves with what the fragment declares. */
export async function runProgram(text: string, scope: Values): Promise<Values> {
  const names = [...text.matchAll(declaration)].flatMap(({ groups }) => {
    return (groups?.["names"] ?? groups?.["name"] ?? "").split(", ");
  });
  const { code } = await transform(text, { loader: "tsx", target: "esnext" });
  const run = new AsyncFunction(...Object.keys(scope), `${code}\nreturn { ${names.join(", ")} };`);
  return await run(...Object.values(scope));
}

const isAssignment = (line: string): boolean => /^[A-Z_]+=(?:\S*|'[^']*')$/.test(line);

/** Returns the commands of a block: its lines without comments, and without the ends of lines that go on. */
export function commandsOf(text: string): string[] {
  const lines = text.replaceAll("\\\n", " ").split("\n");
  return lines.map((line) => line.trim()).filter((line) => line !== "" && !line.startsWith("#"));
}

/**
 * Runs the commands of a block one after another in a shell, and resolves with the output of each. Variables that the
 * block sets are kept. `$RUN_ID` is the run that an earlier output names.
 */
export async function runCommands(text: string, env: Readonly<Record<string, string>> = {}): Promise<string[]> {
  const commands = commandsOf(text);
  const assignments = commands.filter(isAssignment).join("\n");
  const outputs: string[] = [];
  let runId = "";
  for (const command of commands.filter((line) => !isAssignment(line))) {
    const options = { env: { ...process.env, RUN_ID: runId, ...env }, cwd: root };
    const { stdout } = await promisify(execFile)("bash", ["-ec", `${assignments}\n${command}`], options);
    runId = /(?:x-run-id: |"runId":")([\w-]+)/i.exec(stdout)?.[1] ?? runId;
    outputs.push(stdout);
  }
  return outputs;
}

/** Uses a folder in which programs find the packages of the workspace, and deletes it afterwards. */
export async function inFolder(use: (folder: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "troupe-page-"));
  await symlink(join(import.meta.dirname, "../node_modules"), join(folder, "node_modules"));
  try {
    await use(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
