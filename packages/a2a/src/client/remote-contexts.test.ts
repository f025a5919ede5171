import type { RunSettings } from "@troupe/core/transport";
import { describe, expect, it } from "vitest";
import { RemoteContexts } from "./remote-contexts.ts";

const url = new URL("https://far.example/a2a");

/** The settings of a run in a session of its own name, as far as its context goes. */
function settingsOf(fields: Partial<RunSettings> = {}): RunSettings {
  return { sessionId: "s", isNamedSession: true, ...fields } as unknown as RunSettings;
}

const within = { sessionStorage: {}, parentRunId: "run-1" } as unknown as Partial<RunSettings>;

describe("the contexts of a remote agent", () => {
  it("have an id that follows from the session alone, in the form of a UUID", () => {
    const { contextId, ...rest } = new RemoteContexts(url).find(settingsOf());
    expect(rest).toEqual({});
    expect(contextId).toMatch(/^[\da-f]{8}-[\da-f]{4}-8[\da-f]{3}-a[\da-f]{3}-[\da-f]{12}$/);
    expect(new RemoteContexts(new URL(url)).find(settingsOf({ parentRunId: "run-1" }))).toEqual({ contextId });
  });

  it.each<[string, Partial<RunSettings>, string]>([
    ["another session", { sessionId: "s2" }, url.href],
    ["a user", { userId: "ann" }, url.href],
    ["a tenant", { tenantId: "t" }, url.href],
    ["another agent", {}, "https://far.example/b2b"],
    ["a session within a parent run", within, url.href],
    ["a session within another parent run", { ...within, parentRunId: "run-2" }, url.href],
  ])("are apart for %s", (_what, fields, at) => {
    const contexts = new RemoteContexts(new URL(at));
    expect(contexts.find(settingsOf(fields))).not.toEqual(new RemoteContexts(url).find(settingsOf()));
    expect(contexts.find(settingsOf(fields))).toEqual(contexts.find(settingsOf(fields)));
    expect(new RemoteContexts(url).find(settingsOf(within))).not.toEqual(
      new RemoteContexts(url).find(settingsOf({ ...within, parentRunId: "run-2" })),
    );
  });

  it("are apart for each owner, each parent run and each address, and stay so in later versions", () => {
    const idOf = (fields: Partial<RunSettings>, at = url.href): string | undefined =>
      new RemoteContexts(new URL(at)).find(settingsOf(fields)).contextId;
    const ids = [
      idOf({}),
      idOf({ userId: "ann" }),
      idOf({ userId: "ann", verified: false }),
      idOf({ userId: "Ann" }),
      idOf({ tenantId: "ann" }),
      idOf({ tenantId: "ann", userId: "ann" }),
      idOf({ tenantId: "ann", userId: "ann", verified: false }),
      idOf({ sessionId: "ann" }),
      idOf({ ...within, userId: "ann" }),
      idOf({ ...within, userId: "ann", verified: false }),
      idOf({}, `${url.href}/`),
      idOf({}, `${url.href}?b=c`),
      idOf({}, "http://far.example/a2a"),
    ];
    expect(new Set(ids).size).toBe(ids.length);
    expect(idOf({ userId: "ann", verified: true })).toBe(ids[1]);
    expect(idOf({ verified: false })).toBe(ids[0]);
    expect(ids.slice(0, 3)).toEqual([
      "dc48c8ca-0fe4-8c74-afcb-d98b22e6302d",
      "17595d73-92c3-8232-a480-77cd5d1f6402",
      "9730a124-2cf9-817b-a69d-e6e34f1ef671",
    ]);
  });

  it("the contexts of a remote agent that the agent has named are apart for a user who is only claimed", () => {
    const contexts = new RemoteContexts(url);
    const [ann, claimed] = [settingsOf({ userId: "ann" }), settingsOf({ userId: "ann", verified: false })];
    contexts.keep(ann, { contextId: "own", taskId: "t-1" });
    expect(contexts.find(claimed)).toEqual({ contextId: expect.not.stringMatching(/^own$/) });
    contexts.keep(claimed, { contextId: "other" });
    expect(contexts.find(ann)).toEqual({ contextId: "own", taskId: "t-1" });
  });

  it("are none for a session without a name, of which nothing is kept", () => {
    const contexts = new RemoteContexts(url);
    const settings = settingsOf({ isNamedSession: false });
    contexts.keep(settings, { contextId: "own" });
    expect(contexts.find(settings)).toEqual({});
    expect(contexts.find(settingsOf())).not.toEqual({ contextId: "own" });
  });

  it("are what the agent has said last, and by default the id of ours", () => {
    const contexts = new RemoteContexts(url);
    const { contextId } = contexts.find(settingsOf());
    contexts.keep(settingsOf(), { taskId: "t-1" });
    expect(contexts.find(settingsOf())).toEqual({ contextId, taskId: "t-1" });
    contexts.keep(settingsOf(), { contextId: "own" });
    expect(contexts.find(settingsOf())).toEqual({ contextId: "own" });
    contexts.keep(settingsOf(), {});
    expect(contexts.find(settingsOf())).toEqual({ contextId });
  });

  it("are kept for the 1,000 sessions that were used last", () => {
    const contexts = new RemoteContexts(url);
    const of = (index: number) => settingsOf({ sessionId: `s-${index}` });
    const keep = (index: number): void => contexts.keep(of(index), { contextId: `own-${index}` });
    const isKept = (index: number): boolean => contexts.find(of(index)).contextId === `own-${index}`;
    for (let index = 0; index < 1000; index++) keep(index);
    expect([0, 1, 999].map(isKept)).toEqual([true, true, true]);
    keep(0);
    keep(1000);
    expect([0, 1, 2, 1000].map(isKept)).toEqual([true, false, true, true]);
  });
});
