import { execFile } from "node:child_process";
import { promisify } from "node:util";

const execute = promisify(execFile);

/** Output and exit code of a program. */
export interface CommandResult {
  code: number;
  stdout: string;
  stderr: string;
}

export interface CommandOptions {
  cwd: string;
  env?: NodeJS.ProcessEnv;
  /** Milliseconds after which the program is killed. @default no limit */
  timeout?: number;
}

/** Runs a program to its end. Throws only if it cannot be started; an exit code other than 0 is a result. */
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
    if (!(error as { killed?: boolean }).killed) throw error;
    throw new Error(`"${[program, ...args].join(" ")}" did not end by itself:\n${stdout}${stderr}`, { cause: error });
  }
}

/** Runs a program that must succeed, and returns its standard output. */
export async function mustRun(program: string, args: readonly string[], options: CommandOptions): Promise<string> {
  const { code, stdout, stderr } = await runCommand(program, args, options);
  if (code === 0) return stdout;
  throw new Error(`"${[program, ...args].join(" ")}" ended with ${code}:\n${stdout}${stderr}`);
}
