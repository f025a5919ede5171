import { describe, expect, it, onTestFinished } from "vitest";
import { LocalEngine } from "./local-engine.ts";

/** Serves an engine whose jobs never end, and returns it with the ids of the runs that have begun. */
async function serveEngine(concurrency: number) {
  const engine = new LocalEngine();
  const begun: string[] = [];
  const over = Promise.withResolvers<void>();
  await engine.serve(
    async ({ runId }) => {
      begun.push(runId);
      await over.promise;
    },
    { concurrency },
  );
  onTestFinished(async () => {
    over.resolve();
    await engine.close();
  });
  const submit = async (count: number, priority: number, name: string) => {
    for (let index = 0; index < count; index++) {
      await engine.submit({ runId: `${name}${index}`, activation: 1, priority });
    }
    await new Promise(setImmediate);
    return begun.filter((runId) => runId.startsWith(name)).length;
  };
  return { engine, submit };
}

describe("the places of LocalEngine", () => {
  it.each([
    [100, 90],
    [110, 99],
    [20, 18],
    [11, 9],
    [2, 1],
    [1, 1],
  ])(
    "the places of LocalEngine of %i let slow runs of a caller with many open ones take %i [durable.fairness]",
    async (concurrency, most) => {
      const { submit } = await serveEngine(concurrency);
      expect(await submit(concurrency + 5, 15, "many")).toBe(most);
      expect(await submit(1, 14, "few")).toBe(concurrency - most > 0 ? 1 : 0);
    },
  );

  it("are kept for a job that is about to be submitted by the same rule", async () => {
    const { engine, submit } = await serveEngine(2);
    await submit(1, 30, "many");
    expect(engine.reserve("next", 30)).toBe(false);
    expect(engine.reserve("next", 10)).toBe(true);
    expect(engine.reserve("another", 10)).toBe(false);
  });

  it("are all taken by jobs with the default priority", async () => {
    const { engine } = await serveEngine(10);
    for (let index = 0; index < 12; index++) await engine.submit({ runId: String(index), activation: 1 });
    expect(await engine.waiting()).toBe(2);
  });
});
