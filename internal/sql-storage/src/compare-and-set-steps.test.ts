import { describe, expect, it } from "vitest";
import { compareAndSetSteps } from "./compare-and-set-steps.ts";
import type { SqlRow } from "./sql-steps.ts";
import { testStatements } from "./test/test-statements.ts";

const record = { namespace: "ns", key: "k" };
const swap = { ...record, expected: { a: 1, b: 2 }, next: "3" };

/** Plays the steps against answers of a database, and gives what was asked and what came out. */
function play(steps: ReturnType<typeof compareAndSetSteps>, answers: readonly (readonly SqlRow[])[]) {
  const asked: unknown[] = [];
  let step = steps.next();
  for (const answer of answers) {
    if (step.done === true) break;
    asked.push(step.value);
    step = steps.next(answer);
  }
  return { asked, result: step };
}

describe("compareAndSetSteps", () => {
  it("needs one statement when the record is stored as we would store it", () => {
    const { asked, result } = play(compareAndSetSteps(testStatements, swap), [[{ key: "k" }]]);

    expect(asked).toEqual([testStatements.replace({ ...record, old: '{"a":1,"b":2}', value: "3" })]);
    expect(result).toEqual({ done: true, value: true });
  });

  it("writes in place of the very text that it found equal, and looks again when that has changed meanwhile", () => {
    const [one, other] = ['{"b":2,"a":1}', '{ "b": 2, "a": 1 }'];
    const answers = [[], [{ value: one }], [], [{ value: other }], [{ key: "k" }]];
    const { asked, result } = play(compareAndSetSteps(testStatements, swap), answers);

    expect(asked[2]).toEqual(testStatements.replace({ ...record, old: one, value: "3" }));
    expect(asked[4]).toEqual(testStatements.replace({ ...record, old: other, value: "3" }));
    expect(result).toEqual({ done: true, value: true });
  });

  it("writes nothing once the record has changed in its meaning", () => {
    const answers = [[], [{ value: '{"b":2,"a":1}' }], [], [{ value: '{"b":2}' }]];

    expect(play(compareAndSetSteps(testStatements, swap), answers).result).toEqual({ done: true, value: false });
  });

  it("tries again to create a record that was there and is gone", () => {
    const creating = { ...record, expected: null, next: "3" };
    const { asked, result } = play(compareAndSetSteps(testStatements, creating), [[], [], [{ key: "k" }]]);

    expect(asked).toEqual([
      testStatements.insert({ ...record, value: "3" }),
      testStatements.read(record),
      testStatements.insert({ ...record, value: "3" }),
    ]);
    expect(result).toEqual({ done: true, value: true });
  });
});
