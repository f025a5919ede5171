import { execFile } from "node:child_process";
import { promisify } from "node:util";

const execute = promisify(execFile);

/** What a program said, and how it ended. */
export interface CommandResult {
  code: number;
  stdout: string;
  stderr: string;
}

export interface CommandOptions {
  cwd: string;
  env?: NodeJS.ProcessEnv;
}

/** Runs a program to its end. A bad end is an answer like any other; only a program that cannot be run is an error. */
export async function runCommand(
  program: string,
  args: readonly string[],
  options: CommandOptions,
): Promise<CommandResult> {
  try {
    const { stdout, stderr } = await execute(program, args, { maxBuffer: 64 * 2 ** 20, ...options });
    return { code: 0, stdout, stderr };
  } catch (error) {
    const { code, stdout = "", stderr = "" } = error as { code?: unknown; stdout?: string; stderr?: string };
    if (typeof code === "number") return { code, stdout, stderr };
    throw error;
  }
}

/** Runs a program that has to succeed, and gives what it wrote. */
export async function mustRun(program: string, args: readonly string[], options: CommandOptions): Promise<string> {
  const { code, stdout, stderr } = await runCommand(program, args, options);
  if (code === 0) return stdout;
  throw new Error(`"${[program, ...args].join(" ")}" ended with ${code}:\n${stdout}${stderr}`);
}
