import { describe, expect, it, vi } from "vitest";
import { TroupeError } from "../../base/errors/troupe-error.ts";
import type { ProtocolRunOptions } from "./accept-requested-run.ts";
import { LiveRun } from "./live-run.ts";
import { ServedStoredRun } from "./served-stored-run.ts";
import {
  ada,
  hosted,
  neverEnding,
  notFound,
  plainTerms,
  requestedOf,
  serving,
  termsOf,
} from "./test/hosted-service.ts";

describe("a run that begins", () => {
  it("is stored in the host's service if that has its agent, whatever its client and its terms say", async () => {
    for (const endsWithClient of [true, false, undefined]) {
      const { durable, calls } = hosted();
      const runs = serving(durable);
      const terms = termsOf({ endsWithClient, key: "k", mustExist: true, ttlMs: 5, note: "n" });
      const run = await runs.begin(requestedOf(), terms);

      expect(run).toBeInstanceOf(ServedStoredRun);
      expect(run).toMatchObject({ runId: "r", sessionId: "s", kind: "agent", name: "helper", isDurable: true });
      expect((run as ServedStoredRun).service).toBe(durable);
      const asked = { kind: "agent", name: "helper", idempotencyKey: "k", mustExist: true, ttlMs: 5, note: "n" };
      expect(calls).toMatchObject([["accept", asked]]);
      expect(runs.services).toEqual([durable]);
    }
  });

  it.each<[what: string, more: Partial<ProtocolRunOptions>, onDisconnect: "cancel" | "continue"]>([
    ["has a key", { key: "k", endsWithClient: true }, "cancel"],
    ["must be stored", { isStored: true, endsWithClient: true }, "cancel"],
    ["outlives its client", {}, "continue"],
  ])(
    "is stored in one service of this process if no other has its agent and it %s",
    async (_what, more, onDisconnect) => {
      const { durable } = hosted();
      const runs = serving(durable, { onDisconnect });
      const begin = async () =>
        (await runs.begin(requestedOf(), termsOf({ name: "plain", ...more }))) as ServedStoredRun;
      const run = await begin();

      expect(run).toMatchObject({ name: "plain", isStored: true, isDurable: false });
      expect(run.service).not.toBe(durable);
      expect((await begin()).service).toBe(run.service);
      expect(runs.services).toEqual([run.service, durable]);
      await run.over;
    },
  );

  it("is live, and in no service, if it ends with its client and has no key", async () => {
    const { durable, calls } = hosted();
    for (const runs of [serving(durable), serving()]) {
      expect(await runs.begin(requestedOf(), termsOf({ name: "plain" }))).toBeInstanceOf(LiveRun);
      expect(await runs.begin(requestedOf(), termsOf({ kind: "team" }))).toBeInstanceOf(LiveRun);
    }
    const without = serving();
    expect(await without.begin(requestedOf("p"), termsOf())).toMatchObject({ runId: "p", isStored: false });
    expect([without.services, calls]).toEqual([[], []]);
  });

  it.each<[is: boolean, more: Partial<ProtocolRunOptions>, onDisconnect: "cancel" | "continue" | undefined]>([
    [false, {}, undefined],
    [false, {}, "cancel"],
    [false, { endsWithClient: false }, "cancel"],
    [false, { endsWithClient: true }, "continue"],
    [false, { endsWithClient: true, isStored: false }, "continue"],
    [true, {}, "continue"],
    [true, { endsWithClient: false }, "continue"],
    [true, { isStored: true }, "cancel"],
    [true, { isStored: true, endsWithClient: true }, "continue"],
    [true, { key: "k", isStored: false, endsWithClient: true }, "cancel"],
    [true, { key: "" }, "cancel"],
    [true, { name: "helper", endsWithClient: true }, "cancel"],
    [false, { name: "helper", kind: "team" }, "cancel"],
    [false, { name: "helper", kind: "workflow" }, "cancel"],
  ])("is stored, %s, by the terms %j and the policy %s", (is, more, onDisconnect) => {
    const runs = serving(hosted().durable, { onDisconnect });

    expect(runs.stores(termsOf({ name: "plain", ...more }))).toBe(is);
  });

  it("is durable by the kind and name that the host's service has", () => {
    const runs = serving(hosted().durable);
    const kinds = ["agent", "team", "workflow"] as const;

    expect(kinds.map((kind) => runs.isDurable(kind, "helper"))).toEqual([true, false, false]);
    expect([runs.isDurable("agent", "plain"), serving().isDurable("agent", "helper")]).toEqual([false, false]);
  });

  it("is cancelled when its client disconnects only if its client has asked for it", async () => {
    for (const [endsWithClient, count] of [
      [true, 1],
      [undefined, 0],
    ] as const) {
      const { durable, calls } = hosted();
      const run = await serving(durable).begin(requestedOf("r", ada), termsOf({ endsWithClient }));
      run.disconnect();

      expect(calls.filter(([name]) => name === "cancel")).toHaveLength(count);
    }
  });
});

describe("a stored run", () => {
  it("is found by its id for its caller, with the service that has it", async () => {
    const { durable, calls, view } = hosted();
    const runs = serving(durable);
    const own = await runs.find("r", ada);
    const ids = { runId: "r", sessionId: "s", kind: "agent", name: "helper", isDurable: true };
    expect(own).toMatchObject({ view, run: { ...ids, caller: ada } });
    expect([own.view, own.run.service]).toEqual([view, durable]);
    expect((await runs.find("r", "host")).run).toMatchObject({ ...ids, caller: "host" });
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
    const { durable, calls, view } = hosted();
    const runs = serving(durable);
    await (
      await runs.beginStored(requestedOf(undefined, { userId: "bob" }), plainTerms)
    ).over;
    const found = await runs.findOfSession("s", ada);
    expect(found).toMatchObject({ view, run: { runId: "r", caller: ada, isDurable: true } });
    expect(found?.run.service).toBe(durable);
    expect(await runs.findOfSession("t", ada)).toBeUndefined();
    expect(calls).toEqual([
      ["runOfSession", "s", ada],
      ["runOfSession", "t", ada],
    ]);
  });

  it("is found by its session in this process too, beside the host's service", async () => {
    const { durable, view } = hosted();
    const runs = serving(durable);
    const begun = await runs.beginStored(requestedOf(), plainTerms);
    await begun.over;
    const times = { createdAt: 1, attempts: 1 };
    const shown = { ...view, ...times, kind: "agent", status: "waiting", runId: "m", name: "plain" } as const;
    const look = vi.spyOn(begun.service, "runOfSession").mockResolvedValue(shown);
    const found = await runs.findOfSession("s", ada);
    expect(found?.run).toMatchObject({ runId: "m", name: "plain", caller: ada, isDurable: false });
    expect(found?.run.service).toBe(begun.service);
    expect(look.mock.calls).toEqual([["s", ada]]);
  });

  it("gets a signal whole from its own caller alone, also a second one", async () => {
    const { service, durable } = hosted();
    const signal = vi.fn<(...given: unknown[]) => Promise<void>>(async () => undefined);
    Object.assign(service, { signal });
    const runs = serving(durable);
    await expect(runs.signal("r", { event: "e", data: 1 }, { userId: "bob" })).rejects.toMatchObject(notFound);
    for (const [data, id] of [
      [0, "é1"],
      [null, undefined],
      ["", "2"],
    ] as const)
      await runs.signal("r", { event: "e", data, id }, ada);
    expect(signal.mock.calls).toEqual([
      ["r", "e", 0, "host", { id: "é1" }],
      ["r", "e", null, "host", { id: undefined }],
      ["r", "e", "", "host", { id: "2" }],
    ]);
  });

  it("is forgotten with its session, in every service", async () => {
    const { durable, calls } = hosted();
    const runs = serving(durable);
    const { service, over } = await runs.beginStored(requestedOf(), plainTerms);
    await over;
    const forget = vi.spyOn(service, "forgetSession");
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

it("a live run is cancelled by its user alone, before any service is asked", async () => {
  const { durable, calls } = hosted();
  const runs = serving(durable);
  const requested = { ...requestedOf("p", ada), subject: neverEnding, owner: ada };
  const run = await runs.begin(requested, termsOf({ name: "plain" }));
  expect(runs.size).toBe(0);
  const settled = run.settled();
  expect(runs.size).toBe(1);
  await expect(runs.cancel("p", { userId: "bob" })).rejects.toMatchObject(notFound);
  calls.length = 0;
  expect(await runs.cancel("p", ada)).toBe("cancelled");
  expect(calls).toEqual([]);
  await expect(settled).rejects.toMatchObject({ code: "cancelled" });
});

it("the events of a run in memory are gone resumeMs after its end, and those of a durable run are not", async () => {
  const { durable } = hosted();
  const runs = serving(durable);
  const inMemory = await runs.beginStored(requestedOf(), plainTerms);
  await inMemory.over;
  const { run, view } = await runs.find(inMemory.runId, {});
  const durableRun = (await runs.find("r", ada)).run;
  const endedLong = { ...view, endedAt: Date.now() - 2000 };

  expect(() => run.checkReadable(view)).not.toThrow();
  expect(() => run.checkReadable(endedLong)).toThrow(expect.objectContaining({ code: "gone" }));
  expect(() => inMemory.checkReadable(endedLong)).toThrow(expect.objectContaining({ code: "gone" }));
  expect(() => durableRun.checkReadable(endedLong)).not.toThrow();
});
