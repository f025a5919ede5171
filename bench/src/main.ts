import { parseArgs } from "node:util";
import { figures, floor } from "./figures.ts";
import { measure } from "./measure.ts";
import { summarise, toTable } from "./report.ts";

/** `pnpm bench <figure> [--rounds n] [--seconds n]`: measures one figure and prints it. */
const { values, positionals } = parseArgs({
  options: { rounds: { type: "string" }, seconds: { type: "string" } },
  allowPositionals: true,
});
const name = positionals[0] ?? "";
const figure = Object.hasOwn(figures, name) ? figures[name] : undefined;

if (figure === undefined) {
  console.error(`usage: pnpm bench <figure> [--rounds n] [--seconds n]; figures: ${Object.keys(figures).join(", ")}`);
  process.exitCode = 1;
} else {
  const samples = await measure({
    ...figure,
    rounds: Number(values.rounds ?? figure.rounds),
    durationMs: Number(values.seconds ?? figure.durationMs / 1000) * 1000,
  });
  console.log(toTable(summarise(samples, floor), figure.unit === "frames" ? "frame" : "request"));
}
