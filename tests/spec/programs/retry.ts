// RetryConfig and withRetry.
import assert from "node:assert/strict";
import { Agent, withRetry } from "@troupe/core";
import type { RetryConfig } from "@troupe/core";
import { ScriptedModel } from "@troupe/core/testing";

const limited = (): Error => Object.assign(new Error("Too many requests"), { status: 429 });
const reset = (): Error => Object.assign(new Error("socket hang up"), { code: "ECONNRESET" });

let calls = 0;
const value = await withRetry(
  async () => {
    calls += 1;
    if (calls === 1) throw limited();
    if (calls === 2) throw reset();
    return "done";
  },
  { initialDelayMs: 1 },
);
assert.equal(value, "done");
assert.equal(calls, 3);

// A failure that is not transient is not repeated.
let wrong = 0;
const fail = async (): Promise<never> => {
  wrong += 1;
  throw Object.assign(new Error("Bad request"), { status: 400 });
};
await assert.rejects(withRetry(fail, { initialDelayMs: 1 }));
assert.equal(wrong, 1);

// The caller's own detection replaces the default.
const config: RetryConfig = { maxRetries: 2, initialDelayMs: 1, maxDelayMs: 2, retryableErrors: () => true };
wrong = 0;
await assert.rejects(withRetry(fail, config));
assert.equal(wrong, 3);

// Three retries without a configuration.
const model = new ScriptedModel({ error: limited() }, "Rain.");
const agent = new Agent({ name: "helper", model, retry: { initialDelayMs: 1, maxDelayMs: 5, maxRetries: 3 } });
assert.equal((await agent.run("Oslo?")).text, "Rain.");
assert.equal(model.calls.length, 2);

const stubborn = new ScriptedModel().respond(() => ({ error: limited() }));
const once = new Agent({ name: "helper", model: stubborn, retry: { retryableErrors: () => false } });
await assert.rejects(once.run("Oslo?"));
assert.equal(stubborn.calls.length, 1);
