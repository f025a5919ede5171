import { createService } from "@troupe/core/service";
import type { OnDisconnect } from "@troupe/core/service";
import { describe, expect, it } from "vitest";
import { durable } from "../../test/stored-runs.ts";
import { counter, talker } from "../../test/runnables.ts";
import { WrittenResponse } from "@troupe-internal/fake-responses";
import { exchangeOf } from "../../test/exchange-of.ts";
import { partsOf } from "../settings/http-options.ts";
import { readTerms } from "./read-run-request.ts";

const target = { kind: "agent", name: "a" } as const;
const talking = talker();

/** Reads the terms of a request, and whether the service stores a run of them. */
async function read(given: {
  onDisconnect?: OnDisconnect;
  headers?: Record<string, string>;
  query?: string;
  isDurable?: boolean;
  of?: { kind: "agent" | "workflow"; name: string };
}) {
  const { onDisconnect, headers = {}, query = "", isDurable = false, of = target } = given;
  const agents = { a: talking };
  const runs = isDurable ? await durable({ agents }) : undefined;
  const service = createService({ agents, workflows: isDurable ? {} : { w: counter() }, onDisconnect, runs });
  const { exchange } = exchangeOf(new WrittenResponse(), { headers, url: `/agents/a/run${query}` });
  const { terms, early } = readTerms(exchange, of, partsOf(service, { docs: undefined, uploadRules: undefined }));
  return { terms, early, stores: service.servedRuns.stores(terms) };
}

describe("readTerms", () => {
  it.each<[OnDisconnect, Record<string, string>, boolean, boolean]>([
    ["cancel", {}, false, false],
    ["cancel", { "idempotency-key": "k" }, false, true],
    ["cancel", {}, true, true],
    ["continue", {}, false, true],
  ])(
    "with onDisconnect %j and the headers %j, where the agent is durable (%s), is stored: %s",
    async (...[onDisconnect, headers, isDurable, stores]) => {
      expect(await read({ onDisconnect, headers, isDurable })).toMatchObject({ stores });
    },
  );

  it.each<[OnDisconnect, string, boolean, boolean]>([
    ["cancel", "", false, false],
    ["continue", "", false, true],
    ["continue", "?onDisconnect=cancel", true, false],
  ])(
    "with onDisconnect %s and the query %j, asks for its end with its client: %s, and is stored: %s",
    async (...[onDisconnect, query, endsWithClient, stores]) => {
      expect(await read({ onDisconnect, query })).toEqual({
        terms: { ...target, key: undefined, mustExist: false, endsWithClient },
        early: false,
        stores,
      });
    },
  );

  it("asks for the run of a key, which must exist behind an event", async () => {
    const keyed = { "idempotency-key": "k1" };
    const workflow = { kind: "workflow", name: "w" } as const;

    expect(await read({ headers: keyed, of: workflow })).toMatchObject({
      terms: { ...workflow, key: "k1", mustExist: false, endsWithClient: false },
    });
    expect(await read({ headers: { ...keyed, "last-event-id": "1-2" } })).toMatchObject({
      terms: { key: "k1", mustExist: true },
    });
  });

  it.each(["", "a b", "é"])("refuses the key %j", async (key) => {
    await expect(read({ headers: { "idempotency-key": key } })).rejects.toThrow(/^Idempotency-Key must be/);
  });

  it("takes an empty Last-Event-ID as none", async () => {
    expect(await read({ onDisconnect: "continue", headers: { "last-event-id": "" } })).toMatchObject({
      terms: { mustExist: false },
    });
  });

  it("refuses an event without a key for a run that is stored, and for no other", async () => {
    const headers = { "last-event-id": "1-2" };
    const message =
      "Last-Event-ID needs the Idempotency-Key with which the run was begun. Without one, read the run's events at /runs/:runId/events.";
    const refusal = { code: "invalid_request", message };

    await expect(read({ headers, onDisconnect: "continue" })).rejects.toMatchObject(refusal);
    await expect(read({ headers, isDurable: true })).rejects.toMatchObject(refusal);
    expect(await read({ headers })).toMatchObject({ terms: { mustExist: true }, stores: false });
    expect(await read({ headers, onDisconnect: "continue", query: "?onDisconnect=cancel" })).toMatchObject({
      stores: false,
    });
  });

  it.each([
    ["", false],
    ["?early=0", false],
    ["?early=1", true],
  ])("readTerms with the query %j sends the ids early: %s", async (query, early) => {
    expect(await read({ query })).toMatchObject({ early });
  });

  it("refuses a wrong query", async () => {
    await expect(read({ query: "?early=2" })).rejects.toMatchObject({
      code: "invalid_request",
      message: "early must be 1 or 0, once, such as ?early=1.",
    });
  });
});
