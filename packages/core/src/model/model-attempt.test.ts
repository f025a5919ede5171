import { describe, expect, it } from "vitest";
import { leaveChunks, reportedAttempt } from "./model-attempt.ts";
import type { ModelAttemptEnd } from "./model-attempt.ts";

const usage = { promptTokens: 1, completionTokens: 1, totalTokens: 2 };

describe("reportedAttempt", () => {
  function recorder() {
    const seen: unknown[] = [];
    const report = () => (seen.push("begin"), (end: ModelAttemptEnd) => void seen.push(end));
    return { seen, report };
  }

  it("reports the beginning before the call, and the end that is read from its answer", async () => {
    const { seen, report } = recorder();
    const call = async () => await Promise.resolve((seen.push("call"), "answer"));
    const read = (response: string) => (seen.push(response), { usage, responseId: "r" });

    expect(await reportedAttempt(call, report, read)).toBe("answer");
    expect(seen).toEqual(["begin", "call", "answer", { usage, responseId: "r" }]);
  });

  it.each<[string, () => Promise<never>]>([
    ["rejects", () => Promise.reject(new Error("broken"))],
    [
      "throws",
      () => {
        throw new Error("broken");
      },
    ],
  ])("reports the error of a call that %s, once, and throws it", async (_how, call) => {
    const { seen, report } = recorder();
    const thrown: unknown = await reportedAttempt(call, report, () => ({ usage })).catch((error: unknown) => error);

    expect(thrown).toEqual(new Error("broken"));
    expect(seen).toEqual(["begin", { error: thrown }]);
    expect((seen[1] as { error: unknown }).error).toBe(thrown);
  });
});

describe("leaveChunks", () => {
  const next = () => Promise.resolve({ done: true as const, value: undefined });

  it("ends the iterator, whatever comes of it", () => {
    let calls = 0;
    const count =
      <Answer>(answer: () => Answer) =>
      () => ((calls += 1), answer());
    leaveChunks({ next, return: count(next) });
    leaveChunks({ next, return: count(() => Promise.reject(new Error("late"))) });
    leaveChunks({
      next,
      return: count(() => {
        throw new Error("at once");
      }),
    });
    leaveChunks({ next });

    expect(calls).toBe(3);
  });
});
