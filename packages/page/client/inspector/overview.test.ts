import { describe, expect, it } from "vitest";
import type { InspectedRun } from "../../src/inspector/inspected-run.ts";
import { summarize } from "./overview.ts";

const noon = new Date(2026, 4, 20, 12).getTime();
const dayMs = 86_400_000;

function run(fields: Partial<InspectedRun> = {}): InspectedRun {
  const own = { runId: "r", kind: "agent", name: "clerk", sessionId: "s", status: "completed", attempts: 1 } as const;
  return { ...own, createdAt: noon, ...fields };
}

describe("the overview of runs [page.overview]", () => {
  it("has the days from the newest on, and in each the agent with most tokens first", () => {
    const days = summarize([
      run({ tokens: 5 }),
      run({ name: "Å", tokens: 7, createdAt: noon - dayMs }),
      run({ tokens: 6, createdAt: noon - dayMs }),
      run({ name: "Å", createdAt: noon - dayMs }),
      run({ kind: "team", tokens: 9, createdAt: noon - dayMs }),
    ]);
    expect(days.map(({ rows }) => rows.map(({ kind, name, runs, tokens }) => [kind, name, runs, tokens]))).toEqual([
      [["agent", "clerk", 1, 5]],
      [
        ["team", "clerk", 1, 9],
        ["agent", "Å", 2, 7],
        ["agent", "clerk", 1, 6],
      ],
    ]);
    expect(days.map(({ day }) => new Date(day).getHours())).toEqual([0, 0]);
  });

  it.each([
    [0, undefined, undefined],
    [1, 1, 1],
    [2, 1, 2],
    [20, 10, 19],
    [100, 50, 95],
  ])("has the times of %i ended runs, and none of open ones", (count, p50, p95) => {
    const ended = Array.from({ length: count }, (_, at) => run({ startedAt: noon, endedAt: noon + count - at }));
    const [day] = summarize([...ended, run({ status: "running" })]);
    expect(day?.rows[0]).toMatchObject({ runs: count + 1, errors: 0 });
    expect([day?.rows[0]?.p50, day?.rows[0]?.p95]).toEqual([p50, p95]);
  });

  it("counts the errors, and nothing where there are no runs", () => {
    expect(summarize([run({ status: "error" }), run({ status: "cancelled" }), run()])[0]?.rows[0]?.errors).toBe(1);
    expect(summarize([])).toEqual([]);
  });
});
