import { describe, expect, it } from "vitest";
import { runSteps } from "./run-steps.ts";
import type { StepResult } from "./run-steps.ts";
import { steps } from "./steps.ts";
import type { Step } from "./steps.ts";

/** Runs the steps two at a time; each goes on until the test ends it. */
function begin(...list: Step[]) {
  const running = new Map<string, (result: StepResult) => void>();
  const run = ({ script }: Step) => new Promise<StepResult>((resolve) => running.set(script, resolve));
  const finished = runSteps(list, { run, onEnd: () => {}, lanes: 2 });

  const settle = async () => {
    for (let turn = 0; turn < 10; turn++) await Promise.resolve();
  };
  return {
    running: async () => {
      await settle();
      return [...running.keys()];
    },
    end: (script: string, outcome: "passed" | "failed" = "passed") => {
      running.get(script)?.({ script, outcome, seconds: 1, output: "" });
      running.delete(script);
    },
    outcomes: async () => (await finished).map(({ script, outcome }) => `${script} ${outcome}`),
  };
}

describe("runSteps", () => {
  it("runs as many steps at once as there are lanes, and the next when one has ended", async () => {
    const check = begin({ script: "a" }, { script: "b" }, { script: "c" });

    expect(await check.running()).toEqual(["a", "b"]);
    check.end("a");
    expect(await check.running()).toEqual(["b", "c"]);
    check.end("b");
    check.end("c");
    expect(await check.outcomes()).toEqual(["a passed", "b passed", "c passed"]);
  });

  it("begins a step when what it needs has passed, and others meanwhile", async () => {
    const check = begin({ script: "a" }, { script: "b", after: ["a"] }, { script: "c" });

    expect(await check.running()).toEqual(["a", "c"]);
    check.end("a");
    expect(await check.running()).toEqual(["c", "b"]);
    check.end("c");
    check.end("b");
    expect(await check.outcomes()).toEqual(["a passed", "c passed", "b passed"]);
  });

  it("skips what needs a failed or skipped step, and runs all others", async () => {
    const check = begin({ script: "a" }, { script: "b", after: ["a"] }, { script: "c", after: ["b"] }, { script: "d" });

    await check.running();
    check.end("a", "failed");
    check.end("d");

    expect(await check.outcomes()).toEqual(["a failed", "d passed", "b skipped", "c skipped"]);
  });

  it("does not wait for a step that is not among those chosen", async () => {
    const check = begin({ script: "b", after: ["a"] });

    await check.running();
    check.end("b");

    expect(await check.outcomes()).toEqual(["b passed"]);
  });

  it("runs a step alone when it asks for that", async () => {
    const check = begin({ script: "a" }, { script: "b", isAlone: true }, { script: "c", isAlone: true });

    expect(await check.running()).toEqual(["a"]);
    check.end("a");
    expect(await check.running()).toEqual(["b"]);
    check.end("b");
    expect(await check.running()).toEqual(["c"]);
    check.end("c");
    expect(await check.outcomes()).toEqual(["a passed", "b passed", "c passed"]);
  });
});

describe("steps", () => {
  it("need only steps that stand before them", () => {
    for (const [index, { after = [], readsResultsOf }] of steps.entries()) {
      const earlier = steps.slice(0, index).map(({ script }) => script);
      const needed = readsResultsOf === undefined ? after : [...after, readsResultsOf];

      expect(needed.filter((script) => !earlier.includes(script))).toEqual([]);
    }
  });
});
