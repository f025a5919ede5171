import { mustRun } from "./run-command.ts";

/** Runs pnpm: the program on the path, as in every script of the workspace, else through npx. */
export async function runPnpm(args: readonly string[], cwd: string): Promise<string> {
  try {
    return await mustRun("pnpm", args, { cwd });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    return await mustRun("npx", ["-y", "pnpm@12", ...args], { cwd });
  }
}
