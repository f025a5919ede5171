import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";

/** A folder of other products, outside of the workspace. The number in its name is raised with their versions. */
export type Installation = {
  readonly name: string;
  readonly packages: readonly string[];
  readonly options?: readonly string[];
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

/** Installs packages unless they are installed, and returns a folder beside them with copies of the given programs. */
export function installApart({ name, packages, options = [] }: Installation, programs: string): string {
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
  const copies = join(folder, "programs");
  cpSync(programs, copies, { recursive: true });
  return copies;
}
