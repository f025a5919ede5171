import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import type { RunService } from "../runs/durable/run-service.ts";
import { TroupeError } from "../base/errors/troupe-error.ts";
import type { KeepRequest } from "./served-runs.ts";
import { ada, hosted, notFound, request, serving } from "./test/hosted-service.ts";

describe("the keeper of a run", () => {
  it("is the host's service for what it names, whatever the request says", () => {
    const { durable } = hosted();
    const runs = serving(durable);
    for (const endsWithClient of [true, false]) {
      expect(runs.keeperOf(request({ endsWithClient, key: "k", mustExist: true, ttlMs: 5 }))).toEqual({
        kind: "agent",
        name: "helper",
        service: durable,
        isDurable: true,
        key: "k",
        mustExist: true,
        ttlMs: 5,
      });
    }
    expect(runs.services).toEqual([durable]);
  });

  it.each<[what: string, more: Partial<KeepRequest>]>([
    ["has a key", { key: "k" }],
    ["outlives its client", { endsWithClient: false }],
  ])("is one service of this process for any other run that %s", (_what, more) => {
    const { durable } = hosted();
    const runs = serving(durable);
    const target = runs.keeperOf(request({ name: "plain", ...more }));
    expect(target).toMatchObject({ name: "plain", isDurable: false });
    expect(target?.service).not.toBe(durable);
    expect(runs.keeperOf(request({ name: "plain", ...more }))?.service).toBe(target?.service);
    expect(runs.services).toEqual([target?.service, durable]);
  });

  it("is none for a run that ends with its client and has no key", () => {
    const { durable } = hosted();
    for (const runs of [serving(durable), serving()]) {
      expect(runs.keeperOf(request({ name: "plain" }))).toBeUndefined();
      expect(runs.keeperOf(request({ kind: "team" }))).toBeUndefined();
    }
    expect(serving().keeperOf(request())).toBeUndefined();
    expect(serving().services).toEqual([]);
  });
});

describe("a kept run", () => {
  it("is found by its id for its caller, with the service that has it", async () => {
    const { durable, calls, run } = hosted();
    const runs = serving(durable);
    expect(await runs.find("r", ada)).toEqual({ service: durable, run });
    expect(await runs.find("r", "host")).toEqual({ service: durable, run });
    expect(calls).toEqual([
      ["get", "r", ada],
      ["get", "r", "host"],
    ]);
  });

  it("is not found, in the same words, for another user, an unknown id, and an id that is too long to be looked for", async () => {
    const { durable, calls } = hosted();
    const runs = serving(durable);
    await expect(runs.find("r", { userId: "bob" })).rejects.toMatchObject(notFound);
    await expect(runs.find("x".repeat(128), ada)).rejects.toMatchObject(notFound);
    expect(calls).toHaveLength(2);
    await expect(runs.find("x".repeat(129), ada)).rejects.toMatchObject(notFound);
    expect(calls).toHaveLength(2);
    await expect(serving().find("r", ada)).rejects.toMatchObject(notFound);
  });

  it("is not called unknown while its service cannot be asked", async () => {
    const { service, durable } = hosted();
    const failure = new TroupeError("storage_unavailable", "Down.");
    service.get = async () => await Promise.reject(failure);
    await expect(serving(durable).find("r", ada)).rejects.toBe(failure);
  });

  it("is found by its session, if that has one", async () => {
    const { durable, calls, run } = hosted();
    const runs = serving(durable);
    runs.keeperOf(request({ name: "plain", key: "k" }));
    expect(await runs.findOfSession("s", ada)).toEqual({ service: durable, run });
    expect(await runs.findOfSession("t", ada)).toBeUndefined();
    expect(calls).toEqual([
      ["runOfSession", "s", ada],
      ["runOfSession", "t", ada],
    ]);
  });

  it("is forgotten with its session, in every service", async () => {
    const { durable, calls } = hosted();
    const runs = serving(durable);
    const kept = runs.keeperOf(request({ name: "plain", key: "k" }))?.service as RunService;
    const forget = vi.spyOn(kept, "forgetSession");
    await runs.forgetSession("s", ada);
    expect(forget.mock.calls).toEqual([["s", ada]]);
    expect(calls).toEqual([["forgetSession", "s", ada]]);
  });

  it("is cancelled by its service, for its caller and with the reason", async () => {
    const { service, durable, calls } = hosted();
    const runs = serving(durable);
    expect(await runs.cancel("r", ada)).toBe("cancelling");
    expect(calls.at(-1)).toEqual(["cancel", "r", ada, "Cancelled on request."]);
    service.cancel = async () => "over";
    expect(await runs.cancel("r", ada)).toBe("waiting");
    await expect(runs.cancel("r", { userId: "bob" })).rejects.toMatchObject(notFound);
  });
});

it("a plain run is cancelled by its user alone, before any service is asked", async () => {
  const { durable, calls } = hosted();
  const runs = serving(durable);
  const requested = { opts: { runId: "p", userId: "ada" }, owner: ada };
  const run = runs.begin(requested as never, { endsWithClient: true });
  onTestFinished(() => run.end());
  expect(runs.size).toBe(1);
  await expect(runs.cancel("p", { userId: "bob" })).rejects.toMatchObject(notFound);
  calls.length = 0;
  expect(await runs.cancel("p", ada)).toBe("cancelled");
  expect(calls).toEqual([]);
});

describe("the events of a run in memory", () => {
  beforeEach(() => void vi.useFakeTimers({ now: 50_000, toFake: ["Date"] }));
  afterEach(() => void vi.useRealTimers());

  it("are gone once the run has been over for longer than resumeMs, and those of a durable run are not", () => {
    const { durable, service } = hosted();
    const runs = serving(durable);
    const check = (endedAt: number | undefined, by: unknown = {}) =>
      runs.checkKept({ service: by as RunService, run: { endedAt } as never });
    for (const endedAt of [undefined, 50_000, 49_000]) expect(() => check(endedAt)).not.toThrow();
    expect(() => check(0, service)).not.toThrow();
    const message = "The events of this run are not kept any more. Ask for the run itself, by its id.";
    expect(() => check(48_999)).toThrow(expect.objectContaining({ code: "gone", message }));
  });
});
