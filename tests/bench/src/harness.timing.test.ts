import { expect, it } from "vitest";
import { figures } from "./figures.ts";
import { measureInProcess } from "./measure-in-process.ts";
import { measure } from "./measure.ts";

const short = { warmUpRounds: 1, rounds: 1, slices: 2, sliceMs: 100 };

it.each(Object.entries(figures))(
  "the harness measures %s: every target works and costs something",
  async (_name, figure) => {
    const samples = await measure({ ...figure, ...short });

    expect(samples.map((sample) => sample.name)).toEqual(figure.targets.map((target) => target.name));
    for (const { unitsPerSecond, cpuUsPerUnit, calibratedUsPerUnit } of samples) {
      expect(unitsPerSecond).toBeGreaterThan(0);
      expect(cpuUsPerUnit).toBeGreaterThan(0);
      expect(calibratedUsPerUnit).toBeGreaterThan(0);
    }
  },
  60_000,
);

it("measureInProcess measures the processor time and the heap of functions in processes of their own", async () => {
  const candidate = (name: string) => ({
    name,
    file: new URL("json-candidate.ts", import.meta.url),
    env: { BENCH_CANDIDATE: name },
  });
  const candidates = ["plain", "twice", "leaking"].map(candidate);

  const costs = await measureInProcess({ candidates, baseline: "plain", rounds: 9, unitsPerRound: 1000 });

  const [plain, twice, leaking] = costs;
  expect(plain?.ratio).toBe(1);
  expect(twice?.ratio).toBeGreaterThan(1.5);
  expect(plain?.heapBytesPerUnit).toBeLessThan(100);
  expect(leaking?.heapBytesPerUnit).toBeGreaterThan(1000);
});
