import { cpSync, existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { execFile, execFileSync } from "node:child_process";
import { homedir } from "node:os";
import { basename, join } from "node:path";
import { promisify } from "node:util";
import { MissingServer } from "../../tools/services/service.ts";
import type { VisitResult } from "./visit.ts";

/** The products that the recipes move from. The version in the folder's name is raised with those of the packages. */
const folder = join(homedir(), ".cache", "troupe", "migrations-1");

const packages = ["@langchain/core@1.4.0", "@langchain/langgraph@1.7.3", "@mastra/core@1.71.0", "zod@4.6.7"];

/** Variables that switch off what the products would tell their makers. */
const silent = { MASTRA_TELEMETRY_DISABLED: "1", LANGSMITH_TRACING: "false", DO_NOT_TRACK: "1" };

const recipes = join(import.meta.dirname, "../../examples/recipes");

/** Ensures that the products are installed; throws `MissingServer` if they are not and may not be. */
export function needMigrations(mayInstall: boolean): void {
  if (existsSync(join(folder, "node_modules"))) return;
  if (!mayInstall) throw new MissingServer("pass --install to have Mastra and LangGraph installed");
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "package.json"), '{ "type": "module", "private": true }');
  const options = ["--prefer-offline", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];
  try {
    execFileSync("npm", ["install", ...options, ...packages], { cwd: folder, stdio: ["ignore", "ignore", "inherit"] });
  } catch {
    // An incomplete folder would be mistaken for a complete one.
    rmSync(folder, { recursive: true, force: true });
    throw new MissingServer("Mastra and LangGraph could not be installed with npm");
  }
}

/** Runs the programs of the recipes that are written with other products: each checks its own result. */
export async function visitMigrations(): Promise<VisitResult> {
  for (const part of ["outside", "offline"]) cpSync(join(recipes, part), join(folder, part), { recursive: true });
  const programs = ["mastra-before.mjs", "langgraph-before.mjs"].map((name) => join(folder, "outside", name));
  const faults: string[] = [];
  for (const program of programs) {
    const env = { ...process.env, ...silent };
    await promisify(execFile)(process.execPath, [program], { env, timeout: 120_000 }).catch((error: unknown) => {
      faults.push(`${basename(program)}: ${String(error).slice(0, 400)}`);
    });
  }
  return { cases: programs.length, faults, remarks: [`with ${packages.join(", ")}`] };
}
