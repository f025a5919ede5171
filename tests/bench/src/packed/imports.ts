import { execFile } from "node:child_process";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { installOutside } from "../outside/install-outside.ts";
import { median } from "../statistics.ts";
import { toLines } from "../table.ts";
import { withPacked } from "./install.ts";

const run = promisify(execFile);
const file = "import.mjs";
const packed = ["@troupe/core", "@troupe/http", "express@5"];
const own = ["@troupe/core", "@troupe/http", "express"];

/**
 * Measures the processor time of imports, of packed packages and of Express beside the AI SDK, each in a process of its own, in
 * alternating rounds. Prints the medians, and those of the ratios within a round.
 */
export async function printImports(rounds: number): Promise<void> {
  const outside = dirname(installOutside()["AI SDK"] ?? "");
  await withPacked(packed, async ({ folder }) => {
    const inside = join(folder, "src/outside/__fixtures__");
    const programs = [["ai", outside] as const, ...own.map((name) => [name, inside] as const)];
    const taken: number[][] = [];
    for (let round = -2; round < rounds; round++) {
      const times: number[] = [];
      for (const [name, cwd] of programs) times.push(await timeOf(name, cwd));
      // The first rounds fill the caches of the disk.
      if (round >= 0) taken.push(times);
    }
    const rows = programs.map(([name], index) => {
      const times = taken.map((round) => round[index] ?? Number.NaN);
      const ratios = times.map((time, round) => time / (taken[round]?.[0] ?? Number.NaN));
      return [name, median(times).toFixed(1), median(ratios).toFixed(2)];
    });
    console.log(toLines([["import", "CPU ms", "ratio"], ...rows]));
  });
}

async function timeOf(name: string, cwd: string): Promise<number> {
  const { stdout } = await run(process.execPath, [join(cwd, file), name], { cwd });
  return Number(stdout);
}
