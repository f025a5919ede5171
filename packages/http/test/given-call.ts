import type { ServedRun } from "@troupe/core/transport";
import type { RunCall } from "../src/answer/begin-run.ts";
import { GivenRun } from "./given-run.ts";
import { WrittenResponse } from "@troupe-internal/fake-responses";
import { exchangeOf } from "./exchange-of.ts";

type Given = {
  run?: GivenRun;
  /** Begins the run. @default the given run has begun */
  begin?: () => Promise<ServedRun>;
  /** True if the service stores the runs of the call. @default true for a stored run */
  stores?: boolean;
  early?: boolean;
  headers?: Record<string, string>;
  request?: object;
};

/** Makes a call whose service begins a given run. What the service is asked stands in `told` of the run too. */
export function callOf({ run = new GivenRun(), early = false, headers = {}, request = {}, ...more }: Given = {}) {
  const { begin = async () => run.run, stores = run.run.isStored } = more;
  const response = new WrittenResponse();
  response.setHeader("X-Run-Id", "unused").setHeader("X-Session-Id", "unused");
  const made = exchangeOf(response, { headers, baseUrl: "/api", httpVersion: "1.1", ...request });
  const service = {
    settings: { heartbeatMs: 60_000 },
    closeIfDraining: () => run.told.push("closeIfDraining"),
    servedRuns: {
      stores: (terms: unknown) => {
        run.told.push(["stores", terms]);
        return stores;
      },
      begin: async (...asked: unknown[]) => {
        run.told.push(["begin", ...asked]);
        return await begin();
      },
    },
  };
  const requested = { owner: { userId: "ada" }, opts: { runId: "unused", apiKey: "secret-12345678" } };
  const terms = { kind: "agent", name: "a" };
  const call = { exchange: made.exchange, service, requested, terms, early } as unknown as RunCall;
  return { ...made, call, run, response, requested, terms };
}

/** The headers by which a client learns the ids of the given run, which is stored. */
export const givenIds = { "x-run-id": "r1", "x-session-id": "s1", "content-location": "/api/runs/r1" };

/** Waits until what is under way has come to rest. */
export const settle = async (): Promise<void> => await new Promise((resolve) => setImmediate(resolve));
