import { join } from "node:path";
import { parseArgs } from "node:util";
import { figures, baseline } from "./figures.ts";
import { printHops } from "./hops.ts";
import { measure } from "./measure.ts";
import type { Figure } from "./measure.ts";
import { pair, tolerance, toRepeatTable } from "./repeat.ts";
import { summarise, toTable } from "./report.ts";
import type { Summary } from "./report.ts";

/**
 * `pnpm bench <figure> [--rounds n]` measures one figure and prints it. `pnpm bench repeat <figure>` measures it twice, each time
 * with new processes, and fails when a target's two medians lie further apart than the tolerance. `pnpm bench hops [--root
 * folder]` counts the hops of a run, of another checkout when its folder is given.
 */
const { values, positionals } = parseArgs({
  options: { rounds: { type: "string" }, root: { type: "string" } },
  allowPositionals: true,
});
const isRepeat = positionals[0] === "repeat";
const name = positionals[isRepeat ? 1 : 0] ?? "";
const figure = Object.hasOwn(figures, name) ? figures[name] : undefined;

async function print(chosen: Figure): Promise<Summary[]> {
  const samples = await measure({ ...chosen, rounds: Number(values.rounds ?? chosen.rounds) });
  const summaries = summarise(samples, baseline);
  console.log(`${toTable(summaries, chosen.unit === "frames" ? "frame" : "request")}\n`);
  return summaries;
}

async function printTwice(chosen: Figure): Promise<boolean> {
  const repeats = pair(await print(chosen), await print(chosen));
  console.log(toRepeatTable(repeats));
  return repeats.every(({ difference }) => difference < tolerance);
}

if (name === "hops") {
  await printHops(values.root ?? join(import.meta.dirname, "../.."));
} else if (figure === undefined) {
  console.error(`usage: pnpm bench [repeat] <figure> [--rounds n]; figures: ${Object.keys(figures).join(", ")}, hops`);
  process.exitCode = 1;
} else if (!isRepeat) {
  await print(figure);
} else if (!(await printTwice(figure))) {
  process.exitCode = 1;
}
