import { AsyncLocalStorage } from "node:async_hooks";
import { describe, expect, it, onTestFinished } from "vitest";
import { LocalEngine } from "./local-engine.ts";

const caller = new AsyncLocalStorage<string>();

/** Serves an engine with one place, whose jobs end when told to. */
async function serveEngine(perform: (runId: string) => { againInMs: number } | undefined = () => undefined) {
  const engine = new LocalEngine();
  const ends = new Map<string, PromiseWithResolvers<void>>();
  const begun: [runId: string, caller: string | undefined][] = [];
  const endOf = (runId: string): PromiseWithResolvers<void> => {
    const end = ends.get(runId) ?? Promise.withResolvers<void>();
    ends.set(runId, end);
    return end;
  };
  const serve = async () =>
    await engine.serve(
      async ({ runId }) => {
        begun.push([runId, caller.getStore()]);
        await endOf(runId).promise;
        return perform(runId);
      },
      { concurrency: 1 },
    );
  onTestFinished(async () => {
    for (const { resolve } of ends.values()) resolve();
    await engine.close();
  });
  const submit = async (name: string, more: { notBefore?: number } = {}) =>
    await caller.run(name, async () => await engine.submit({ runId: name, activation: 1, ...more }));
  const end = async (runId: string) => {
    endOf(runId).resolve();
    await new Promise(setImmediate);
  };
  return { engine, serve, submit, end, begun };
}

describe("the context of a job of LocalEngine", () => {
  it("is that of its own caller, when the job of another frees its place [durable.context]", async () => {
    const { serve, submit, end, begun } = await serveEngine();
    await serve();
    for (const name of ["a", "é", "c"]) await submit(name);
    for (const name of ["a", "é", "c"]) await end(name);
    expect(begun).toEqual([
      ["a", "a"],
      ["é", "é"],
      ["c", "c"],
    ]);
  });

  it("is that of its own caller, when it waited until the engine was served, or for a reserved place", async () => {
    const { engine, serve, submit, end, begun } = await serveEngine();
    await submit("a");
    await caller.run("server", serve);
    await end("a");
    expect(engine.reserve("b", 10)).toBe(true);
    await submit("c");
    await caller.run("other", async () => engine.release("b"));
    await new Promise(setImmediate);
    expect(begun).toEqual([
      ["a", "a"],
      ["c", "c"],
    ]);
  });

  it("is that of its own caller, when it comes again", async () => {
    let isFirst = true;
    const { serve, submit, end, begun } = await serveEngine((runId) => {
      if (runId !== "a" || !isFirst) return undefined;
      isFirst = false;
      return { againInMs: 0 };
    });
    await serve();
    for (const name of ["a", "b"]) await submit(name);
    for (const name of ["a", "b"]) await end(name);
    expect(begun).toEqual([
      ["a", "a"],
      ["b", "b"],
      ["a", "a"],
    ]);
  });
});
