import { describe, expect, it } from "vitest";
import { cancelled, crashed, endOf, waitedTooLong } from "./run-record.ts";
import { toRunOpts } from "./run-input.ts";
import { newRecord } from "./test/run-records.ts";

const record = newRecord({ runId: "r1", createdAt: 4, owner: { tenantId: "t", userId: "ada", verified: false } });
const own = { userId: "ada", tenantId: "t", verified: false, runId: "r1", sessionId: "s" };

describe("toRunOpts", () => {
  it("makes the options of a run from outside, with its owner and session", () => {
    expect(toRunOpts(record, { keys: {} })).toStrictEqual({
      fromOutside: true,
      ...own,
      isNewSession: undefined,
      signal: undefined,
    });
  });

  it("takes local options before those of the record, keys before both, and the owner from the record alone", () => {
    const options = { fromOutside: false, metadata: { of: "record" }, instructions: "Be brief." };
    const stored = { ...record, isNewSession: true, options: { ...options, sessionId: "other" } };
    const local = { metadata: { of: "local" }, input: "not an option", userId: "eve", apiKey: "local" };
    const keys = { apiKeys: { openai: "k" }, apiKey: "given" };
    expect(toRunOpts(stored, { keys, local })).toStrictEqual({
      ...own,
      fromOutside: false,
      metadata: { of: "local" },
      instructions: "Be brief.",
      ...keys,
      isNewSession: true,
      signal: undefined,
    });
  });

  it("has the signal of the attempt or of the caller as it is, where there is one", () => {
    const [attempt, caller] = [new AbortController(), new AbortController()];
    const { signal } = attempt;
    const local = { signal: caller.signal };
    expect(toRunOpts(record, { keys: {}, signal }).signal).toBe(signal);
    expect(toRunOpts(record, { keys: {}, local }).signal).toBe(caller.signal);
  });

  it.each([0, 1])("aborts with the reason of the signal %i of two", (index) => {
    const [attempt, caller] = [new AbortController(), new AbortController()];
    const { signal } = toRunOpts(record, { keys: {}, local: { signal: caller.signal }, signal: attempt.signal });
    expect(signal?.aborted).toBe(false);
    [attempt, caller][index]?.abort("left");
    expect(signal?.reason).toBe("left");
  });
});

const error = (code: "cancelled" | "timeout") => ({ code, message: "No." });

it.each([
  [{ output: null }, { status: "completed", output: null }],
  [
    { output: { text: "" }, error: undefined },
    { status: "completed", output: { text: "" } },
  ],
  [
    { output: "half", error: error("timeout") },
    { status: "error", output: "half", error: error("timeout") },
  ],
  [
    { output: null, error: error("cancelled") },
    { status: "cancelled", output: null, error: error("cancelled") },
  ],
])("endOf(%j) is %j", (end, stored) => {
  expect(endOf(end)).toStrictEqual(stored);
});

it.each([
  [cancelled(undefined), "cancelled", "The run was cancelled."],
  [cancelled("enough"), "cancelled", "The run was cancelled: enough"],
  [cancelled(""), "cancelled", "The run was cancelled: "],
  [
    crashed({ ...record, kind: "team", name: 'a"b' }),
    "crashed",
    'The run of the team "a\\"b" ended its process, or was left, several times in a row without finishing a step.',
  ],
  [
    waitedTooLong(),
    "timeout",
    "Nobody answered the run in the time for which a run without a signed-in user may wait. Begin it again.",
  ],
])("the end of a run is told: %s", ({ code, message }, ...told) => {
  expect([code, message]).toEqual(told);
});
