import { rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runScript } from "../check/run-script.ts";
import { steps } from "../check/steps.ts";
import { breaches } from "./breaches.ts";
import { carelessCode } from "./careless-code.ts";
import { copyWorkspace } from "./copy-workspace.ts";
import { plant } from "./plant.ts";

const timeoutMs = 60_000;
let copy = "";

beforeAll(() => {
  copy = copyWorkspace(join(import.meta.dirname, "../.."));
}, timeoutMs);

afterAll(() => {
  rmSync(copy, { recursive: true });
});

/** Runs a step of the check in the copy. */
function runStep(step: string, ...args: string[]) {
  expect(steps.map(({ script }) => script)).toContain(step);
  return runScript(step, { root: copy, args });
}

describe("pnpm check", { timeout: timeoutMs }, () => {
  // Packages that are written down well would be built and packed; the breach is found before that.
  it.each([
    { step: "layers", args: [] },
    { step: "deadcode", args: [] },
    // Packages that are written down well would be built and packed; the breach is found before that.
    { step: "packages", args: ["--shape"] },
  ])("passes $step when nothing is planted", async ({ step, args }) => {
    const { code, output } = await runStep(step, ...args);

    expect(code, output).toBe(0);
  });

  it.each(breaches)("refuses in $step: $title", async ({ step, says, planting }) => {
    const uproot = plant(planting, copy);
    const { code, output } = await runStep(step).finally(uproot);

    expect(output).toMatch(says);
    expect(code).toBe(1);
  });
});

describe("the step lint", { timeout: timeoutMs }, () => {
  const folder = "packages/core/src/util";
  const fileOf = (name: string): string => `${folder}/planted-${name}.ts`;
  let code = 0;
  let output = "";

  // The linter reads every type again each time, so all files are judged in one go; it names each by itself.
  beforeAll(async () => {
    const sound = "/** Twice the number. */\nexport const planted = (value: number): number => value * 2;\n";
    const uproot = plant(
      Object.fromEntries([
        [fileOf("sound"), sound],
        ...carelessCode.map(({ name, text }) => [fileOf(name), `${text}\n`]),
      ]),
      copy,
    );
    ({ code, output } = await runStep("lint", "--format=unix", folder).finally(uproot));
  }, timeoutMs);

  it("fails, but has nothing against a sound file", () => {
    expect(code).toBe(1);
    expect(output).not.toContain(fileOf("sound"));
  });

  it.each(carelessCode)("refuses $title, and nothing else in that file", ({ name, says }) => {
    const complaints = output.split("\n").filter((line) => line.startsWith(`${fileOf(name)}:`));

    expect(complaints).toEqual([expect.stringContaining(`(${says})`)]);
    expect(complaints[0]).toContain("[Error/");
  });
});
