import { join } from "node:path";
import { mustRun } from "../../tools/packages/run-command.ts";

/** Counts the types that the compiler instantiates for a program of the consumer: the same number on every run. */
export async function countInstantiations(program: string, folder: string): Promise<number> {
  const tsc = join(folder, "node_modules/typescript/bin/tsc");
  const options =
    "--ignoreConfig --singleThreaded --extendedDiagnostics --skipLibCheck --strict --noEmit --target ES2023";
  const lib = "--module NodeNext --lib ES2023,DOM --types node --allowJs";
  const report = await mustRun(process.execPath, [tsc, ...options.split(" "), ...lib.split(" "), program], {
    cwd: folder,
  });
  return Number(/Instantiations: +(\d+)/.exec(report)?.[1]);
}
