import { Agent, createLogger, InMemoryStorage, TroupeError } from "@troupe/core";
import { createId } from "@troupe/core/kit";
import { createService } from "@troupe/core/service";
import type { OnDisconnect } from "@troupe/core/service";
import { ScriptedModel } from "@troupe/core/testing";
import type { RequestedRun, ServedRun } from "@troupe/core/transport";
import { requestRecordOf } from "@troupe/core/transport";
import { describe, expect, it, onTestFinished } from "vitest";
import { callOf, givenIds, settle } from "../../test/given-call.ts";
import { GivenRun } from "../../test/given-run.ts";
import { WrittenResponse } from "@troupe-internal/fake-responses";
import { exchangeOf } from "../../test/exchange-of.ts";
import { beginRun } from "./begin-run.ts";

const silent = createLogger({ write: () => undefined });

/** Begins a run of a real service whose model never answers. */
function beginHanging({
  onDisconnect,
  endsWithClient = false,
}: { onDisconnect?: OnDisconnect; endsWithClient?: boolean } = {}) {
  const model = new ScriptedModel({ hang: true });
  const agent = new Agent({ name: "a", model, storage: new InMemoryStorage() });
  const service = createService({ agents: { a: agent }, onDisconnect, logger: silent });
  onTestFinished(async () => await service.close({ graceMs: 0, drainMs: 0 }));
  const response = new WrittenResponse();
  const { exchange } = exchangeOf(response);
  const opts = { runId: createId(), sessionId: "s1", isNewSession: false, fromOutside: true };
  const requested = { subject: agent, input: "Hi.", opts, owner: {} } as unknown as RequestedRun<unknown, unknown>;
  const terms = { kind: "agent", name: "a", endsWithClient } as const;
  return { service, model, response, begun: beginRun({ exchange, service, requested, terms, early: false }) };
}

describe("beginRun", () => {
  it("has its service begin the run, and sends the ids and the place of the run that it gets", async () => {
    const { call, run, response, requested, terms } = callOf();
    expect(await beginRun(call)).toBe(run.run);
    expect(run.told).toEqual(["closeIfDraining", ["stores", terms], ["begin", requested, terms]]);
    expect(response.headers).toEqual(givenIds);
    expect(requestRecordOf(response.asResponse)).toEqual({ runId: "r1", run: expect.any(Promise) as object });
  });

  it("sends the ids of a live run, and no place of it", async () => {
    const { call, response } = callOf({ run: new GivenRun({ isStored: false }) });
    await beginRun(call);
    expect(response.headers).toEqual({ "x-run-id": "r1", "x-session-id": "s1" });
    await call.exchange.untilRunEnds();
  });

  it.each([
    [true, {}],
    [false, { "x-run-id": "unused", "x-session-id": "unused" }],
  ])(
    "leaves no ids of a refused run that would be stored (%s), and holds its request no longer",
    async (stores, ids) => {
      const error = new TroupeError("rate_limited", "Too many.");
      const { call, response } = callOf({ begin: () => Promise.reject(error), stores });
      await expect(beginRun(call)).rejects.toBe(error);
      expect(response.headers).toEqual(ids);
      expect(requestRecordOf(response.asResponse).runId).toBeUndefined();
      await call.exchange.untilRunEnds();
    },
  );

  it("notes the end of the run before it has begun, and that is over with the run alone", async () => {
    const begun = Promise.withResolvers<ServedRun>();
    const over = Promise.withResolvers<void>();
    const { call } = callOf({ begin: () => begun.promise });
    const beginning = beginRun(call);
    let isOver = false;
    void call.exchange.untilRunEnds().then(() => (isOver = true));
    begun.resolve(new GivenRun({ over: over.promise }).run);
    await beginning;
    await settle();
    expect(isOver).toBe(false);
    over.resolve();
    await settle();
    expect(isOver).toBe(true);
  });

  it.each<[OnDisconnect, boolean, string]>([
    ["cancel", false, "cancelled"],
    ["continue", false, "running"],
    ["continue", true, "cancelled"],
  ])(
    "with onDisconnect %s, and %s in its query, has the run of a client that leaves end as: %s",
    async (onDisconnect, endsWithClient, end) => {
      const { model, response, begun } = beginHanging({ onDisconnect, endsWithClient });
      const settled = (await begun).settled();
      settled.catch(() => undefined);
      for (let turn = 0; turn < 100 && model.calls.length === 0; turn++) await settle();
      response.leave();
      for (let turn = 0; turn < 20; turn++) await settle();
      expect(model.calls[0]?.end).toBe(end);
    },
  );

  it("closes its connection where a shutdown began before, and the run is refused", async () => {
    const { response, begun } = beginHanging();
    await begun;
    expect(response.headers["connection"]).toBeUndefined();

    const refused = beginHanging();
    await refused.begun;
    void refused.service.close();
    const again = callOf();
    const call = { ...again.call, service: refused.service };
    await expect(beginRun(call)).rejects.toMatchObject({ code: "unavailable" });
    expect(again.response.headers["connection"]).toBe("close");
  });
});

it.each([
  [true, false, "close"],
  [true, true, undefined],
  [false, false, undefined],
])(
  "a service closes a connection while draining (%s) unless its head is sent (%s)",
  (isDraining, headersSent, sent) => {
    const service = createService({});
    if (isDraining) void service.close();
    const response = new WrittenResponse();
    const { exchange } = exchangeOf(response);
    response.headersSent = headersSent;
    service.closeIfDraining(exchange);

    expect(response.headers["connection"]).toBe(sent);
  },
);
