import { execFile, execFileSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { needPythonEnvironment } from "../../tools/services/python-environment.ts";
import { MissingServer } from "../../tools/services/service.ts";
import { serveOpenAiAgents } from "./openai-service.ts";
import type { Visited, VisitResult } from "./visit.ts";

/** The clients, outside of the workspace. The version in the folder's name is raised with those of the packages. */
const folder = join(homedir(), ".cache", "troupe", "openai-clients-2");

const packages = [
  "@ai-sdk/open-responses@2.0.36",
  "@langchain/core@1",
  "@langchain/openai@1",
  "@librechat/agents@3.9.2",
  "@openai/agents@0.20",
  // Raised for the exporters beneath @librechat/agents, which find an older version otherwise.
  "@opentelemetry/api@1.10.0",
  "ai@7.0.173",
  "openai@7.59.0",
  "zod@4",
];

const program = "openai-clients.mjs";

const pythonVersion = "3.57.0";
const pythonFolder = join(homedir(), ".cache", "troupe", `openai-python-${pythonVersion}`);

/** Ensures that the clients are installed; throws `MissingServer` when they are not and may not be, or cannot be. */
export function needOpenAiClients(mayInstall: boolean): void {
  needPythonEnvironment(
    { name: "openai", folder: pythonFolder, requirements: [`openai==${pythonVersion}`], withDependencies: true },
    { mayInstall, advice: "pass --install to have the clients of OpenAI's API installed" },
  );
  if (existsSync(join(folder, "node_modules"))) return;
  if (!mayInstall) throw new MissingServer("pass --install to have the clients of OpenAI's API installed");
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "package.json"), '{ "type": "module", "private": true }');
  const options = ["--prefer-offline", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];
  try {
    execFileSync("npm", ["install", ...options, ...packages], { cwd: folder, stdio: ["ignore", "ignore", "inherit"] });
  } catch {
    // An incomplete folder would be mistaken for a complete one.
    rmSync(folder, { recursive: true, force: true });
    throw new MissingServer("the clients of OpenAI's API could not be installed with npm");
  }
}

/** The clients' questions to the agent `weather`, each of which its tool answers once. */
const questions = 8;

/**
 * Talks to an agent of the demo, and to agents with tools and failures, with clients of OpenAI's API that the workspace
 * does not have.
 */
export async function visitByOpenAiClients({ url }: Visited): Promise<VisitResult> {
  copyFileSync(join(import.meta.dirname, "__fixtures__", program), join(folder, program));
  const { data } = (await (await fetch(`${url}/v1/models`)).json()) as { data: { id: string }[] };
  const [model] = data;
  if (model === undefined) return { cases: 0, faults: ["The demo lists no model."] };
  const args = [`${url}/v1`, model.id];
  const python = [join(import.meta.dirname, "__fixtures__", "openai_client.py"), ...args];
  const own = await serveOpenAiAgents();
  try {
    const printed = [
      await run(process.execPath, [program, ...args, `${own.url}/v1`]),
      await run(join(pythonFolder, "bin", "python"), python),
    ];
    const lines = printed.join("").trim().split("\n");
    const results = lines.map((line) => JSON.parse(line) as { name: string; fault?: string });
    const faults = results.flatMap(({ name, fault }) => (fault === undefined ? [] : [`${name}: ${fault}`]));
    if (own.looked.length !== questions) faults.push(`the tool of the service ran ${own.looked.length} times`);
    return { cases: results.length, faults };
  } finally {
    await own.close();
  }
}

async function run(command: string, args: readonly string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(command, args, { cwd: folder, timeout: 240_000 });
  return stdout;
}
