import { expect, it } from "vitest";
import { talker } from "../../test/runnables.ts";
import { serve } from "../../test/serve.ts";

it("the longest hostile paths are matched within milliseconds", async () => {
  const service = await serve({ agents: { a: talker() } });
  const pieces = ["/", "%2f", "a-", ":", "(", "*", "../", "//", "%00", "a/run/"];
  await service.post("/agents/a/run", {});

  for (const piece of pieces) {
    const path = `/agents/${piece.repeat(8000).slice(0, 8000)}/run`;
    const timesMs: number[] = [];
    for (let round = 0; round < 5; round++) {
      const startedAt = performance.now();
      expect([400, 404]).toContain((await service.post(path, {})).status);
      timesMs.push(performance.now() - startedAt);
    }

    expect(Math.min(...timesMs)).toBeLessThan(50);
  }
});
