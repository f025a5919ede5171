import { afterEach, describe, expect, it, vi } from "vitest";
import { TroupeError } from "../../base/errors/troupe-error.ts";
import { createLogger } from "../../base/log/logger.ts";
import type { RunEvents } from "../run/run-events.ts";
import { testRun } from "../run/test/test-run.ts";
import type { ToolDef } from "../run/tool.ts";
import type { Json } from "../../sessions/storage/json.ts";
import type { OpenStep } from "../run/run-steps.ts";
import { noAnswerInTime, outcomeOfInterrupted, unknownOutcome } from "./interrupted-call.ts";
import { smallTool } from "./test/small-tool.ts";

type Verify = NonNullable<ToolDef["verify"]>;
type Ask = OpenStep["ask"];

afterEach(() => void vi.useRealTimers());

const unknown = {
  result:
    "It is unknown if the call of pay took place: its process ended before there was a result. Find out before you call it again.",
  error:
    "It is unknown if the call of pay took place: its process ended before there was a result. Find out before you call it again.",
};
const givenUp = "The call of pay was given up: it is unknown if it took place.";

/** Lets a call of this tool tell what became of it, and a person answer with this. */
function resumed(more: Partial<ToolDef>, answer: () => Promise<Json> = async () => await Promise.resolve(null)) {
  const tool: ToolDef = { ...smallTool("pay"), ...more };
  const ask = vi.fn<Ask>(answer);
  const lines: string[] = [];
  const logger = createLogger({ level: "info", color: false, write: (line) => lines.push(line) });
  const run = testRun({ apiKeys: { bank: "sk-bank-0123456789" } }, { logger });
  const warnings: RunEvents["run.warning"][] = [];
  run.eventBus.on("run.warning", (warning) => void warnings.push(warning));
  const args = { amount: 5, to: { name: "Ada" } };
  const step = { ask } as unknown as OpenStep;
  const { context } = run;
  const outcome = outcomeOfInterrupted({ tool, args, toolCallId: "c1", idempotencyKey: "r/0/0", step, context });
  return { outcome, ask, tool, args, warnings, lines };
}

describe("outcomeOfInterrupted", () => {
  it.each<[found: unknown, outcome: unknown]>([
    [null, undefined],
    [{ result: "paid" }, { result: "paid" }],
    [{ result: "" }, { result: "" }],
    [{ result: null }, { result: "null" }],
    [
      { result: { content: "paid", artifacts: [{ type: "a", data: 1 }] } },
      { result: "paid", artifacts: [{ type: "a", data: 1 }] },
    ],
  ])("is what verify has found, and nobody is asked: %j", async (found, outcome) => {
    const { outcome: told, ask, warnings } = resumed({ verify: (async () => await Promise.resolve(found)) as Verify });

    expect(await told).toEqual(outcome);
    expect(ask).not.toHaveBeenCalled();
    expect(warnings).toEqual([]);
  });

  it("gives verify the key and a copy of the arguments", async () => {
    const verify = vi.fn<Verify>(async (_key, args) => {
      Object.assign(args["to"] as object, { name: "changed" });
      return await Promise.resolve(null);
    });
    const { outcome, args } = resumed({ verify });
    await outcome;

    expect(verify.mock.calls).toEqual([["r/0/0", { amount: 5, to: { name: "changed" } }]]);
    expect(args).toEqual({ amount: 5, to: { name: "Ada" } });
  });

  it.each<[what: string, verify: () => unknown]>([
    ["throws", () => Promise.reject(new Error("no bank for sk-bank-0123456789"))],
    [
      "throws at once",
      () => {
        throw new Error("no bank");
      },
    ],
    ["returns nothing", () => Promise.resolve(undefined)],
    ["returns an array", () => Promise.resolve([{ result: "paid" }])],
    ["returns an object without a result", () => Promise.resolve({ content: "paid" })],
    ["returns what is no JSON", () => Promise.resolve({ result: () => "paid" })],
  ])("warns of a verify that %s, and asks a person", async (_, verify) => {
    const { outcome, ask, warnings, lines } = resumed({ verify: verify as Verify });

    expect(await outcome).toEqual(unknown);
    expect(ask).toHaveBeenCalledOnce();
    expect(warnings).toMatchObject([
      {
        code: "verify_failed",
        message: "The function verify of the tool pay failed, so it is unknown if its call took place.",
        fields: { toolName: "pay" },
      },
    ]);
    expect(lines.join("")).not.toContain("sk-bank-0123456789");
  });

  it.each([
    [undefined, 60_000],
    [5000, 5000],
  ])("gives verify the time of its tool: %s", async (timeoutMs, limit) => {
    vi.useFakeTimers();
    const verify: Verify = async () => await new Promise(() => {});
    const { outcome, warnings, lines } = resumed({ verify, onDoubt: "tell", timeoutMs });
    await vi.advanceTimersByTimeAsync(limit - 1);
    expect(warnings).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);

    expect(await outcome).toEqual(unknown);
    expect(lines.join("\n")).toContain(`verify took longer than ${limit} ms.`);
  });

  it.each<[onDoubt: ToolDef["onDoubt"], asks: number]>([
    [undefined, 1],
    ["ask", 1],
    ["tell", 0],
  ])("asks a person with all facts unless onDoubt is tell: %s", async (onDoubt, asks) => {
    const { outcome, ask, args, warnings } = resumed({ onDoubt });

    expect(await outcome).toEqual(unknown);
    expect(warnings).toEqual([]);
    const about = { toolName: "pay", args, idempotencyKey: "r/0/0" };
    const question = [{ kind: "doubt", about, toolCallId: "c1" }];
    expect(ask.mock.calls).toEqual(Array.from({ length: asks }, () => question));
  });

  it.each<[answer: Json, outcome: unknown]>([
    [{ choice: "again", result: "paid" }, undefined],
    [{ choice: "happened", result: "paid" }, { result: "paid" }],
    [{ choice: "happened", result: { id: 7 } }, { result: '{"id":7}' }],
    [{ choice: "giveUp" }, { result: givenUp, error: givenUp }],
    [{ choice: "Again" }, unknown],
    [{}, unknown],
    [["again"], unknown],
    [null, unknown],
  ])("is what a person says: %j", async (answer, outcome) => {
    const { outcome: told } = resumed({}, async () => await Promise.resolve(answer));

    expect(await told).toEqual(outcome);
  });

  it("is unknown when nobody answers in time, and every other error goes on", async () => {
    const late = resumed({}, async () => await Promise.reject(new TroupeError("timeout", "Too late.")));
    const gone = new TroupeError("storage_unavailable", "Down.");
    const { outcome } = resumed({}, async () => await Promise.reject(gone));

    await expect(outcome).rejects.toBe(gone);
    expect(await late.outcome).toEqual(unknown);
  });
});

it("unknownOutcome tells model and clients the same", () => {
  expect(unknownOutcome("pay")).toStrictEqual(unknown);
});

it.each([
  [new TroupeError("cancelled", "Over.")],
  [Object.assign(new Error("Late."), { code: "timeout" })],
  ["timeout"],
])("noAnswerInTime throws what is no timeout of the house: %s", (error) => {
  const thrown: unknown[] = [];
  try {
    noAnswerInTime(error);
  } catch (caught) {
    thrown.push(caught);
  }
  expect(thrown).toEqual([error]);
  expect(noAnswerInTime(new TroupeError("timeout", "Late."))).toBeUndefined();
});
