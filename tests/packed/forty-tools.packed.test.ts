import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, inject, it } from "vitest";
import { mustRun } from "../../tools/packages/run-command.ts";
import { plain, toolProgram, troupe } from "./forty-tools.ts";
import type { ToolMaker } from "./forty-tools.ts";

const folder = inject("consumerFolder");
const programs = { troupe, plain } satisfies Record<string, ToolMaker>;
const toolCount = 40;
/** Noise only adds, so the least of many rounds is nearest to the cost. Rounds go on until the bound holds. */
const rounds = { least: 5, most: 25 };
const bound = 1.15;

type Cost = { instantiations: number; checkSeconds: number };

beforeAll(() => {
  for (const [name, maker] of Object.entries(programs)) write(name, toolProgram(maker, toolCount));
});

function write(name: string, source: string): void {
  writeFileSync(join(folder, "probes", `forty-${name}.ts`), source);
}

async function compile(name: string): Promise<Cost> {
  const tsc = join(folder, "node_modules/typescript/bin/tsc");
  const options = "--ignoreConfig --singleThreaded --extendedDiagnostics --skipLibCheck --strict --noEmit";
  const target = "--target ES2023 --module NodeNext --lib ES2023,DOM --types node";
  const args = [...options.split(" "), ...target.split(" "), `probes/forty-${name}.ts`];
  const report = await mustRun(process.execPath, [tsc, ...args], { cwd: folder });
  const figure = (label: string) => Number(new RegExp(`${label}: +([\\d.]+)`).exec(report)?.[1]);
  return { instantiations: figure("Instantiations"), checkSeconds: figure("Check time") };
}

it("forty tools cost the compiler at most 15 % more than with a plain helper", async () => {
  const costs: Record<keyof typeof programs, Cost[]> = { troupe: [], plain: [] };
  const least = (name: keyof typeof programs, figure: keyof Cost) =>
    Math.min(...costs[name].map((cost) => cost[figure]));
  const ratio = (figure: keyof Cost) => least("troupe", figure) / least("plain", figure);
  for (let round = 0; round < rounds.most; round++) {
    for (const name of ["troupe", "plain"] as const) costs[name].push(await compile(name));
    if (round >= rounds.least && ratio("checkSeconds") <= bound) break;
  }

  expect(ratio("instantiations")).toBeLessThanOrEqual(bound);
  expect(ratio("checkSeconds")).toBeLessThanOrEqual(bound);
}, 240_000);

it.each([
  ["an argument that the schema does not have", "execute: ({ town }) => town"],
  ["a result that no tool gives", "execute: ({ city }) => new Date(city)"],
])("%s does not compile", async (_what, execute) => {
  const parameters = "parameters: z.object({ city: z.string() })";
  write(
    "wrong",
    `${troupe.imports} import { z } from "zod";
export const tool = defineTool({ name: "a", description: "A.", ${parameters}, ${execute} });`,
  );

  await expect(compile("wrong")).rejects.toThrowError(/error TS/);
});
