import { describe, expect, it } from "vitest";
import { InMemoryStorage } from "../../sessions/storage/in-memory-storage.ts";
import { resolveRunOpts } from "./resolve-run-opts.ts";
import { deriveContext } from "./derive-context.ts";
import { testRun } from "./test/test-run.ts";
import { UsageMeter } from "./usage-meter.ts";

const metadata = { plan: "free" };
const apiKeys = { openai: "key-of-the-run", google: "g" };

const parentRun = () => testRun({ sessionId: "s", userId: "u", tenantId: "t", metadata, apiKeys });
const parentContext = () => parentRun().context;

describe("the settings of a child run", () => {
  it("are those of the parent run where its own options say nothing, except for the session", () => {
    const run = parentRun();
    const settings = resolveRunOpts({ parent: run.context }, { sessionId: "configured", userId: "configured" });

    expect(settings).toMatchObject({
      userId: "u",
      tenantId: "t",
      apiKeys: { openai: "key-of-the-run", google: "g" },
      signals: [run.signal],
      parentRunId: run.runId,
    });
    expect(settings.metadata).toBe(metadata);
    expect(settings.parentMeter).toBe(run.meter);
    expect(["s", "configured"]).not.toContain(settings.sessionId);
  });

  it("are its own options first [run-opts.session] [run-opts.user] [run-opts.metadata]", () => {
    const own = new AbortController().signal;
    const said = { sessionId: "mine", userId: "me", tenantId: "us", metadata: { a: 1 }, signal: own };

    const parent = parentContext();
    const settings = resolveRunOpts({ parent, ...said, apiKeys: { openai: "mine" } });

    const { signal: _, ...rest } = said;
    expect(settings).toMatchObject({
      ...rest,
      apiKeys: { openai: "mine", google: "g" },
      signals: [own, parent.signal],
    });
    expect(settings.metadata).toEqual({ a: 1 });
  });

  it("give it no more time than is left of the parent run", () => {
    const run = testRun({ limits: { durationMs: 1000 } });
    run.start();
    const parent = run.context;
    const durationOf = (durationMs: number) => resolveRunOpts({ parent, limits: { durationMs } }).limits.durationMs;

    expect(durationOf(20)).toBe(20);
    expect(durationOf(5000)).toBeGreaterThan(0);
    expect(durationOf(5000)).toBeLessThanOrEqual(1000);
    expect(resolveRunOpts({ parent: parentContext() }).limits.durationMs).toBe(600_000);
  });

  it("hold a generic key of its own before the key of the parent run, for that vendor alone", () => {
    const opts = { parent: parentContext(), apiKey: "mine" };

    expect(resolveRunOpts(opts, { providerId: "openai" }).apiKeys).toEqual({ openai: "mine", google: "g" });
    expect(resolveRunOpts(opts, { providerId: "vertex" }).apiKeys).toEqual({
      openai: "key-of-the-run",
      google: "mine",
    });
    expect(resolveRunOpts(opts).apiKeys).toEqual({ openai: "key-of-the-run", google: "g" });
  });

  it("keep a key of the parent run for a vendor that is named without one", () => {
    const settings = resolveRunOpts({ parent: parentContext(), apiKeys: { openai: undefined } });

    expect(settings.apiKeys).toEqual({
      openai: "key-of-the-run",
      google: "g",
    });
  });

  it("hold one signal once", () => {
    const parent = parentContext();

    expect(resolveRunOpts({ parent, signal: parent.signal }).signals).toEqual([parent.signal]);
  });

  it("take the configured user when the parent run has none", () => {
    const parent = testRun().context;

    expect(resolveRunOpts({ parent }, { userId: "configured" }).userId).toBe("configured");
  });

  it("inherit nothing private from a context that was made by hand", () => {
    const parent = { ...parentContext() };
    const settings = resolveRunOpts({ parent });

    expect(settings).toMatchObject({ userId: "u", apiKeys: {}, tenantId: "t", parentMeter: undefined });
    expect(settings.parentRunId).toBe(parent.runId);
  });

  it("may name a member session, which a client cannot", () => {
    for (const sessionId of ["s#writer", "s/3f2a#writer", "s/1#a/2#b"]) {
      expect(resolveRunOpts({ parent: parentContext(), sessionId }).sessionId).toBe(sessionId);
      expect(() => resolveRunOpts({ sessionId })).toThrow(expect.objectContaining({ code: "invalid_request" }));
    }
    expect(() => resolveRunOpts({ parent: parentContext(), sessionId: "s/" })).toThrow("sessionId must be");
  });

  it("inherit the same from a part of the parent run, such as a tool call or a workflow step", () => {
    const ephemeralStorage = new InMemoryStorage();
    const outer = parentRun();
    const storing = deriveContext(outer.context, {}, { meter: new UsageMeter(), ephemeralStorage });
    const run = testRun({ parent: storing, fromOutside: true });
    const meter = new UsageMeter({ parent: run.meter });
    const [whole, call, step] = [
      run.context,
      deriveContext(run.context, { toolCallId: "1" }),
      deriveContext(run.context, { text: "" }, { meter }),
    ].map((parent) => resolveRunOpts({ parent, sessionId: "s#a" }, { sessionId: "configured", userId: "configured" }));

    expect(whole).toMatchObject({ fromOutside: true, userId: "u", tenantId: "t", apiKeys, parentMeter: run.meter });
    expect([whole?.ephemeralStorage, whole?.sessionStorage]).toEqual([ephemeralStorage, ephemeralStorage]);
    expect(call?.delegationId).toBe("1");
    expect({ ...call, runId: whole?.runId, delegationId: undefined }).toEqual(whole);
    expect({ ...step, runId: whole?.runId }).toEqual({ ...whole, parentMeter: meter });
  });

  it("take no configured user or session when the parent run was started from outside", () => {
    const parent = testRun({ fromOutside: true }).context;
    const settings = resolveRunOpts({ parent }, { sessionId: "configured", userId: "configured" });

    expect(settings).toMatchObject({ fromOutside: true, userId: undefined });
    expect(settings.sessionId).not.toBe("configured");
  });

  it("cannot take back that their parent run was started from outside, at any depth [run-opts.child-not-weaker]", () => {
    const parent = testRun({ fromOutside: true }).context;
    const child = testRun({ parent }).context;

    for (const context of [parent, deriveContext(parent, { toolCallId: "1" }), child]) {
      const attempt = () => resolveRunOpts({ parent: context, fromOutside: false });
      expect(attempt).toThrow(expect.objectContaining({ code: "invalid_request" }));
      expect(attempt).toThrow("fromOutside must not be false");
      expect(resolveRunOpts({ parent: context, fromOutside: undefined as never }).fromOutside).toBe(true);
    }
    expect(resolveRunOpts({ parent: testRun().context, fromOutside: true }).fromOutside).toBe(true);
    expect(resolveRunOpts({ parent: testRun().context, fromOutside: false }).fromOutside).toBe(false);
  });

  it("keep a user unverified, also one that it names itself [run-opts.verified] [run-opts.child-not-weaker]", () => {
    const claimed = testRun({ userId: "u", verified: false }).context;
    const call = deriveContext(claimed, { toolCallId: "1" });

    expect(claimed.verified).toBe(false);
    for (const parent of [claimed, call, { ...claimed }]) {
      expect(resolveRunOpts({ parent })).toMatchObject({ userId: "u", verified: false });
      expect(resolveRunOpts({ parent, userId: "u" })).toMatchObject({ userId: "u", verified: false });
      expect(() => resolveRunOpts({ parent, userId: "v", verified: true })).toThrow("verified must not be true");
    }
    expect(resolveRunOpts({ parent: parentContext() })).toMatchObject({ userId: "u", verified: true });
    expect(parentContext()).not.toHaveProperty("verified");
  });
});
