import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";

/** Other products, outside of the workspace. The number in the folder's name is raised with their versions. */
const folder = join(homedir(), ".cache", "troupe", "durable-peers-2");

const packages = [
  "@dbos-inc/dbos-sdk@5.3.0",
  "@langchain/core@1.4.0",
  "@langchain/langgraph@1.7.3",
  "@langchain/langgraph-checkpoint-postgres@1.0.5",
  "@mastra/core@1.71.0",
  "@mastra/pg@1.27.1",
  "@restatedev/restate-sdk@1.17.2",
  "@restatedev/restate-sdk-clients@1.17.2",
  "@restatedev/restate-server@1.7.12",
  "zod@4.6.7",
];

/** Variables that switch off what the products would tell their makers. */
export const silent = {
  MASTRA_TELEMETRY_DISABLED: "1",
  LANGCHAIN_TRACING_V2: "false",
  LANGSMITH_TRACING: "false",
  DO_NOT_TRACK: "1",
};

/** Returns true if the products are installed. */
export function arePeersInstalled(): boolean {
  return existsSync(join(folder, "node_modules"));
}

/** Installs the products unless they are installed, and returns the folder with the programs that are measured. */
export function installPeers(): string {
  if (!arePeersInstalled()) {
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "package.json"), '{ "type": "module", "private": true }');
    const options = ["--prefer-offline", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];
    try {
      execFileSync("npm", ["install", ...options, ...packages], { cwd: folder, stdio: "inherit" });
    } catch (error) {
      // An incomplete folder would be mistaken for a complete one.
      rmSync(folder, { recursive: true, force: true });
      throw error;
    }
  }
  const programs = join(folder, "programs");
  cpSync(join(import.meta.dirname, "../__fixtures__"), programs, { recursive: true });
  return programs;
}
