import { expect, it } from "vitest";
import { figures } from "./figures.ts";
import { measure } from "./measure.ts";

it.each(Object.entries(figures))(
  "the harness measures %s: every target works and costs something",
  async (_name, figure) => {
    const samples = await measure({ ...figure, rounds: 1, durationMs: 200, warmUpMs: 200 });

    expect(samples.map((sample) => sample.name)).toEqual(figure.targets.map((target) => target.name));
    for (const { unitsPerSecond, cpuUsPerUnit } of samples) {
      expect(unitsPerSecond).toBeGreaterThan(0);
      expect(cpuUsPerUnit).toBeGreaterThan(0);
    }
  },
  60_000,
);
