import { inspect } from "node:util";
import { describe, expect, it } from "vitest";
import type { RunContext } from "./run-context.ts";
import { deriveContext, inheritanceOf, runOfContext } from "./derive-context.ts";
import { testRun } from "./test/test-run.ts";

const canary = "sk-canary-of-the-run";
const apiKeys = { openai: canary, google: "sk-google" };

function runWithKeys() {
  return testRun({ sessionId: "s", userId: "u", metadata: { plan: "free" }, tenantId: "acme", apiKeys });
}

/** Everything that can be read from here on, also what is hidden from a listing, and of classes their own functions. */
function* readable(value: unknown, seen = new Set<unknown>()): Generator {
  if ((typeof value !== "object" && typeof value !== "function") || value === null || seen.has(value)) return;
  seen.add(value);
  yield value;
  for (const key of Reflect.ownKeys(value)) {
    const { value: member, get } = Reflect.getOwnPropertyDescriptor(value, key) ?? {};
    yield member;
    yield* readable(member ?? get, seen);
  }
  yield* readable(Reflect.getPrototypeOf(value), seen);
}

describe("the context of a run", () => {
  it("holds what is known of the run, and is what a tool gets [tool.execute] [run-context.tenant] [run-opts.metadata]", () => {
    const { runId, context } = runWithKeys();
    const { signal, logger, ...facts } = context;

    expect(facts).toEqual({
      runId,
      agentName: "agent",
      sessionId: "s",
      userId: "u",
      tenantId: "acme",
      metadata: { plan: "free" },
    });
    expect(signal).toBeInstanceOf(AbortSignal);
    expect(typeof logger.info).toBe("function");
  });

  it("shows no key and no usage meter to its readers [run-opts.api-key]", () => {
    const { context } = runWithKeys();
    const call = deriveContext(context, { toolCallId: "1", idempotencyKey: "k" });
    const looks = [context, call].flatMap((each) => [
      inspect(each, { showHidden: true, depth: 9, getters: true }),
      JSON.stringify(each),
      JSON.stringify({ ...each }),
      Reflect.ownKeys(each).map(String).join(),
      JSON.stringify(structuredClone({ ...each, logger: null, signal: null })),
      Object.values(each).map(String).join(),
    ]);

    for (const look of looks) expect(look).not.toMatch(/canary|sk-google|apiKeys|meter/);
  });

  it("leads to nothing that gives the keys or the run", () => {
    const run = runWithKeys();
    for (const value of readable(run.context)) {
      expect(value === canary || value === run.meter || value === run).toBe(false);
      if (typeof value !== "function" || value.length !== 1 || /^class |\[native code\]/.test(String(value))) continue;
      expect(calledWith(value as (argument: unknown) => unknown, run.context)).not.toContain("canary");
    }
  });

  it("leads to its run, which has the keys", () => {
    const run = runWithKeys();

    expect(runOfContext(run.context)).toBe(run);
    expect([run.keyFor("openai"), run.keyFor("vertex"), run.keyFor("anthropic"), run.keyFor(undefined)]).toEqual([
      canary,
      "sk-google",
      undefined,
      undefined,
    ]);
  });

  it("leads to the same run from within a tool call, with the facts of the call", () => {
    const { context } = runWithKeys();
    const { signal } = new AbortController();
    const call = deriveContext(context, { toolCallId: "1", idempotencyKey: "r/0/0", signal });

    expect(call).toMatchObject({ runId: context.runId, toolCallId: "1", idempotencyKey: "r/0/0", signal });
    expect(runOfContext(call)).toBe(runOfContext(context));
    expect(inheritanceOf(call)).toEqual({ ...inheritanceOf(context), delegationId: "1" });
    expect(context.toolCallId).toBeUndefined();
  });

  it("leads to no run once it was copied or made by hand", () => {
    const { context } = runWithKeys();
    for (const copy of [{ ...context }, Object.create(context) as RunContext, new Proxy(context, {})]) {
      expect(runOfContext(copy)).toBeUndefined();
      expect(inheritanceOf(copy)).toMatchObject({ apiKeys: {}, tenantId: "acme", meter: undefined });
      expect(runOfContext(deriveContext(copy, { toolCallId: "1" }))).toBeUndefined();
    }
  });
});

function calledWith(read: (argument: unknown) => unknown, argument: unknown): string {
  try {
    return inspect(read(argument), { depth: 4 });
  } catch {
    return "";
  }
}
