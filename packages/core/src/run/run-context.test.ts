import { inspect } from "node:util";
import { describe, expect, it } from "vitest";
import { createLogger } from "../log/logger.ts";
import { apiKeysOf, contextForCall, createRunContext, keyFor, meterOf, tenantOf } from "./run-context.ts";
import type { RunContext } from "./run-context.ts";
import { UsageMeter } from "./usage-meter.ts";

const canary = "sk-canary-of-the-run";
const meter = new UsageMeter();

function context(): RunContext {
  const { signal } = new AbortController();
  const facts = { runId: "r", agentName: "a", sessionId: "s", userId: "u", metadata: { plan: "free" } };
  const apiKeys = { openai: canary, google: "sk-google" };
  return createRunContext({ ...facts, signal, logger: createLogger() }, { apiKeys, tenantId: "t-canary", meter });
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
  it("holds what is known of the run, and is what a tool gets [tool.execute]", () => {
    const { signal, logger, ...facts } = context();

    expect(facts).toEqual({ runId: "r", agentName: "a", sessionId: "s", userId: "u", metadata: { plan: "free" } });
    expect(signal).toBeInstanceOf(AbortSignal);
    expect(typeof logger.info).toBe("function");
  });

  it("shows no key, no tenant and no account to whoever looks at it [run-opts.api-key]", () => {
    const run = context();
    const call = contextForCall(run, { toolCallId: "1", idempotencyKey: "k", signal: run.signal });
    const looks = [run, call].flatMap((each) => [
      inspect(each, { showHidden: true, depth: 9, getters: true }),
      JSON.stringify(each),
      JSON.stringify({ ...each }),
      Reflect.ownKeys(each).map(String).join(),
      JSON.stringify(structuredClone({ ...each, logger: null, signal: null })),
      Object.values(each).map(String).join(),
    ]);

    for (const look of looks) expect(look).not.toMatch(/canary|sk-google|apiKeys|tenant|meter/);
  });

  it("has no way in: nothing that can be reached from it gives the keys", () => {
    const run = context();
    for (const value of readable(run)) {
      expect(value === canary || value === meter).toBe(false);
      if (typeof value !== "function" || value.length !== 1 || /^class |\[native code\]/.test(String(value))) continue;
      expect(calledWith(value as (argument: unknown) => unknown, run)).not.toContain("canary");
    }
  });

  it("gives the keys, the tenant and the account to those below alone", () => {
    const run = context();

    expect(apiKeysOf(run)).toEqual({ openai: canary, google: "sk-google" });
    expect([keyFor(run, "openai"), keyFor(run, "vertex"), keyFor(run, "anthropic"), keyFor(run, undefined)]).toEqual([
      canary,
      "sk-google",
      undefined,
      undefined,
    ]);
    expect([tenantOf(run), meterOf(run)]).toEqual(["t-canary", meter]);
  });

  it("keeps its private part for a tool call, with the call's own facts", () => {
    const run = context();
    const { signal } = new AbortController();
    const call = contextForCall(run, { toolCallId: "1", idempotencyKey: "r/0/0", signal });

    expect(call).toMatchObject({ runId: "r", toolCallId: "1", idempotencyKey: "r/0/0", signal });
    expect([keyFor(call, "openai"), tenantOf(call), meterOf(call)]).toEqual([canary, "t-canary", meter]);
    expect(run.toolCallId).toBeUndefined();
  });

  it("is nobody's once it was copied or made by hand", () => {
    const run = context();
    for (const copy of [{ ...run }, Object.create(run) as RunContext, new Proxy(run, {})]) {
      expect([apiKeysOf(copy), tenantOf(copy), meterOf(copy)]).toEqual([{}, undefined, undefined]);
      const call = contextForCall(copy, { toolCallId: "1", idempotencyKey: "k", signal: run.signal });
      expect(apiKeysOf(call)).toEqual({});
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
