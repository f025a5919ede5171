import { describe, expect, it } from "vitest";
import { createLogger } from "../log/logger.ts";
import { readRunOpts } from "./read-run-opts.ts";
import { createRunContext } from "./run-context.ts";
import type { RunContext } from "./run-context.ts";
import { UsageMeter } from "./usage-meter.ts";

const meter = new UsageMeter();
const { signal } = new AbortController();
const metadata = { plan: "free" };

function parentWith(facts: Partial<RunContext> = {}): RunContext {
  const run = { runId: "above", agentName: "team", sessionId: "s", metadata, signal, logger: createLogger() };
  const apiKeys = { openai: "key-of-the-run", google: "g" };
  return createRunContext({ ...run, userId: "u", ...facts }, { apiKeys, tenantId: "t", meter });
}

describe("the options of a run within a run", () => {
  it("are those of the run above where nothing else is said, but for its session", () => {
    const request = readRunOpts({ parent: parentWith() }, { sessionId: "configured", userId: "configured" });

    expect(request).toMatchObject({
      userId: "u",
      tenantId: "t",
      apiKeys: { openai: "key-of-the-run", google: "g" },
      signals: [signal],
      parentRunId: "above",
    });
    expect(request.metadata).toBe(metadata);
    expect(request.parentMeter).toBe(meter);
    expect(["s", "configured"]).not.toContain(request.sessionId);
  });

  it("come first where they are said", () => {
    const own = new AbortController().signal;
    const said = { sessionId: "mine", userId: "me", tenantId: "us", metadata: { a: 1 }, signal: own };

    const request = readRunOpts({ parent: parentWith(), ...said, apiKeys: { openai: "mine" } });

    const { signal: _, ...rest } = said;
    expect(request).toMatchObject({ ...rest, apiKeys: { openai: "mine", google: "g" }, signals: [own, signal] });
  });

  it("give it no more time than is left of the run above", () => {
    const facts = { runId: "above", agentName: "team", sessionId: "s", metadata, signal, logger: createLogger() };
    const parent = createRunContext(facts, { apiKeys: {}, meter, endsAt: performance.now() + 1000 });
    const durationOf = (durationMs: number) => readRunOpts({ parent, limits: { durationMs } }).limits.durationMs;

    expect(durationOf(20)).toBe(20);
    expect(durationOf(5000)).toBeGreaterThan(0);
    expect(durationOf(5000)).toBeLessThanOrEqual(1000);
    expect(readRunOpts({ parent: parentWith() }).limits.durationMs).toBe(600_000);
  });

  it("hold a generic key of their own before the key from above, for that vendor alone", () => {
    const opts = { parent: parentWith(), apiKey: "mine" };

    expect(readRunOpts(opts, { providerId: "openai" }).apiKeys).toEqual({ openai: "mine", google: "g" });
    expect(readRunOpts(opts, { providerId: "vertex" }).apiKeys).toEqual({ openai: "key-of-the-run", google: "mine" });
    expect(readRunOpts(opts).apiKeys).toEqual({ openai: "key-of-the-run", google: "g" });
  });

  it("keep a key from above for a vendor that is named without one", () => {
    const apiKeys = { openai: undefined };

    expect(readRunOpts({ parent: parentWith(), apiKeys }).apiKeys).toEqual({ openai: "key-of-the-run", google: "g" });
  });

  it("count one signal once", () => {
    expect(readRunOpts({ parent: parentWith(), signal }).signals).toEqual([signal]);
  });

  it("take the configured user when the run above has none", () => {
    const { userId: _, ...nobody } = parentWith();

    expect(readRunOpts({ parent: nobody }, { userId: "configured" }).userId).toBe("configured");
  });

  it("inherit nothing private from a context that was made by hand", () => {
    const request = readRunOpts({ parent: { ...parentWith() } });

    expect(request).toMatchObject({ userId: "u", apiKeys: {}, tenantId: undefined, parentMeter: undefined });
    expect(request.parentRunId).toBe("above");
  });

  it("may name a session of ours, which a client cannot", () => {
    for (const sessionId of ["s#writer", "s/3f2a#writer", "s/1#a/2#b"]) {
      expect(readRunOpts({ parent: parentWith(), sessionId }).sessionId).toBe(sessionId);
      expect(() => readRunOpts({ sessionId })).toThrow(expect.objectContaining({ code: "invalid_request" }));
    }
    expect(() => readRunOpts({ parent: parentWith(), sessionId: "s/" })).toThrow("sessionId must be");
  });
});
