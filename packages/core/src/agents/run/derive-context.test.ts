import { describe, expect, it } from "vitest";
import { InMemoryStorage } from "../../sessions/storage/in-memory-storage.ts";
import {
  deriveContext,
  inheritanceOf,
  inheritanceWithoutRun,
  stepsOf,
  meterOf,
  runOfContext,
} from "./derive-context.ts";
import { readSlot, withSlot } from "./context-slot.ts";
import { testRun } from "./test/test-run.ts";
import { plainSteps } from "./run-steps.ts";

const run = testRun({
  sessionId: "s",
  userId: "u",
  tenantId: "t",
  verified: false,
  metadata: { a: 1 },
  apiKeys: { openai: "k" },
});
const { context } = run;
const own = {
  userId: "u",
  verified: false,
  tenantId: "t",
  metadata: { a: 1 },
  parentRunId: run.runId,
  delegationId: undefined,
};

describe("inheritanceOf", () => {
  it("has the facts of the context, and the keys, meter, deadline and buses of its run", () => {
    expect(inheritanceOf(context)).toStrictEqual({
      ...own,
      apiKeys: { openai: "k" },
      fromOutside: false,
      meter: run.meter,
      buses: [run.eventBus],
      logger: context.logger,
      endsAt: Infinity,
      ephemeralStorage: undefined,
      steps: plainSteps,
      telemetry: undefined,
    });
  });

  it("has the session storage of the run, as that has it from the part that began it", () => {
    const [ephemeralStorage, other] = [new InMemoryStorage(), new InMemoryStorage()];
    const child = testRun({ parent: deriveContext(context, {}, { ephemeralStorage }) });
    expect(inheritanceOf(child.context).ephemeralStorage).toBe(ephemeralStorage);
    const part = deriveContext(child.context, {}, { ephemeralStorage: other });
    expect(inheritanceOf(part).ephemeralStorage).toBe(other);
  });

  it("has the buses of all runs above, and that of the run first", () => {
    const child = testRun({ parent: context });
    expect(inheritanceOf(child.context).buses).toEqual([child.eventBus, run.eventBus]);
    expect(inheritanceOf(child.context)).toMatchObject({ parentRunId: child.runId, apiKeys: { openai: "k" } });
    expect(meterOf(child.context)).toBe(child.meter);
  });

  it("has the facts alone of a context without a run, whose user is verified unless it says otherwise", () => {
    const copy = { ...context };
    expect(inheritanceOf(copy)).toStrictEqual({ ...inheritanceWithoutRun, ...own });
    const { verified: _, ...unsaid } = copy;
    expect(inheritanceOf(unsaid)).toMatchObject({ verified: true });
    expect([runOfContext(copy), meterOf(copy), stepsOf(copy)]).toEqual([undefined, undefined, plainSteps]);
    expect(inheritanceWithoutRun).toStrictEqual({
      apiKeys: {},
      fromOutside: false,
      meter: undefined,
      buses: [],
      logger: undefined,
      endsAt: Infinity,
      ephemeralStorage: undefined,
      steps: plainSteps,
      telemetry: undefined,
    });
  });
});

describe("deriveContext", () => {
  it("adds facts to a copy, over those of the context", () => {
    const derived = deriveContext(context, { sessionId: "other", toolCallId: "1" });
    expect({ ...derived }).toEqual({ ...context, sessionId: "other", toolCallId: "1" });
    expect(context.sessionId).toBe("s");
    expect(runOfContext(derived)).toBe(run);
  });

  it("adds facts to a context without a run, and no run", () => {
    const derived = deriveContext({ ...context }, { toolCallId: "1" }, { endsAt: 1, meter: run.meter });
    expect(derived).toEqual({ ...context, toolCallId: "1" });
    expect([runOfContext(derived), meterOf(derived)]).toEqual([undefined, undefined]);
  });
});

describe("a context with a slot", () => {
  it("gives its slot to nobody but the reader, and a copy has none", () => {
    const [slot, facts] = [{ run: 1 }, { a: 1, b: { c: 2 } }];
    const made = withSlot(facts, slot);
    expect(readSlot(made)).toBe(slot);
    expect({ ...made }).toEqual(facts);
    expect([made === facts, made.b === facts.b]).toEqual([false, true]);
    expect([readSlot(facts), readSlot({ ...made }), readSlot(Object.create(made) as object)]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
    expect(Reflect.ownKeys(made)).toEqual(["a", "b"]);
  });
});
