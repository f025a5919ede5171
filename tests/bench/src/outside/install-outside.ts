import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";

/** A folder of other products, outside of the workspace. The number in its name is raised with their versions. */
type Installation = {
  readonly name: string;
  readonly packages: readonly string[];
  readonly options?: readonly string[];
};

const main: Installation = {
  name: "outside-peers-1",
  packages: [
    "ai@7.0.173",
    "@ai-sdk/openai-compatible@3.0.92",
    "@openai/agents@0.20.0",
    "openai@7.55.0",
    "langchain@1.5.14",
    "@langchain/core@1.4.0",
    "@langchain/langgraph@1.7.3",
    "@langchain/openai@1.6.0",
    "@mastra/core@1.71.0",
    "zod@4.6.7",
  ],
};

/** Needs an older AI SDK. Without the option, npm 11 did not end within eight minutes. */
const voltAgent: Installation = {
  name: "outside-peers-volt-1",
  packages: ["@voltagent/core@2.10.0", "ai@6.0.326", "@ai-sdk/openai-compatible@2", "zod@4.6.7"],
  options: ["--legacy-peer-deps"],
};

/** Variables that switch off what the products would tell their makers, and their logs. */
export const silent = {
  MASTRA_TELEMETRY_DISABLED: "1",
  LANGCHAIN_TRACING_V2: "false",
  LANGSMITH_TRACING: "false",
  OPENAI_AGENTS_DISABLE_TRACING: "1",
  VOLTAGENT_LOG_LEVEL: "silent",
  AI_SDK_LOG_WARNINGS: "false",
  DO_NOT_TRACK: "1",
};

/** Installs the products unless they are installed, and returns the program of each that is measured. */
export function installOutside(): Readonly<Record<string, string>> {
  const [programs, volt] = [install(main), install(voltAgent)];
  return {
    "AI SDK": join(programs, "ai-sdk.mjs"),
    "OpenAI Agents": join(programs, "openai-agents.mjs"),
    LangChain: join(programs, "langchain.mjs"),
    Mastra: join(programs, "mastra.mjs"),
    VoltAgent: join(volt, "voltagent.mjs"),
  };
}

function install({ name, packages, options = [] }: Installation): string {
  const folder = join(homedir(), ".cache", "troupe", name);
  if (!existsSync(join(folder, "node_modules"))) {
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "package.json"), '{ "type": "module", "private": true }');
    const quiet = ["--prefer-offline", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];
    try {
      execFileSync("npm", ["install", ...quiet, ...options, ...packages], { cwd: folder, stdio: "inherit" });
    } catch (error) {
      // An incomplete folder would be mistaken for a complete one.
      rmSync(folder, { recursive: true, force: true });
      throw error;
    }
  }
  const programs = join(folder, "programs");
  cpSync(join(import.meta.dirname, "__fixtures__"), programs, { recursive: true });
  return programs;
}
