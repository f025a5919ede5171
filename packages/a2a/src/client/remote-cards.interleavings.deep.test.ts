import type { RunContext } from "@troupe/core";
import { checkInterleavings } from "@troupe-internal/interleavings";
import type { HeldCalls, Scene } from "@troupe-internal/interleavings";
import { expect, it } from "vitest";
import { readRemoteAgentOptions } from "./remote-agent-options.ts";
import { RemoteCards } from "./remote-cards.ts";
import type { RemoteHttp, WholeReply } from "./remote-http.ts";

it("runs share one request for a card, each waits for it no longer than it lives, and a card that failed is asked for again [async.interleavings]", async () => {
  await checkInterleavings(findCards, { seed: 38_303, numRuns: 100, stepMs: 50_000 });
});

const ended = "The run has ended.";

function findCards(held: HeldCalls): Scene {
  let underWay = 0;
  const whole = async ({ signal }: { signal: AbortSignal }): Promise<WholeReply> => {
    underWay += 1;
    try {
      return await held.hold("the card", () => ({ status: 200, headers: new Headers(), text: JSON.stringify(card) }), {
        signal,
      });
    } finally {
      underWay -= 1;
    }
  };
  const http = { whole, isTrusted: () => true, readHeaders: async () => await held.hold("headers", () => ({})) };
  const settings = readRemoteAgentOptions({ url: "https://agent.example/" });
  const cards = new RemoteCards(settings, http as unknown as RemoteHttp);
  const runs: AbortController[] = [];
  const find = async (): Promise<void> => {
    const run = new AbortController();
    runs.push(run);
    const failed = (error: unknown): never => {
      held.check(run.signal.aborted || !tellsOfEnd(error), "a run fails by the end of another");
      throw error;
    };
    const endpoints = await cards
      .endpoints({} as RunContext, run.signal)
      .catch(failed)
      .finally(() => runs.splice(runs.indexOf(run), 1));
    held.check(endpoints.length > 0, "a run without an endpoint");
  };
  return {
    operations: {
      "a run": find,
      "another run": find,
      "a run ends": async () => {
        const [run] = runs;
        run?.abort(new Error(ended));
        await new Promise((resolve) => setImmediate(resolve));
        held.check(run === undefined || !runs.includes(run), "a run waits on after its end");
      },
    },
    always: () => expect(underWay, "requests for the card at once").toBeLessThanOrEqual(1),
    again: find,
    afterwards: () => {
      expect(runs).toEqual([]);
      expect(cards.card?.["name"]).toBe("remote");
    },
  };
}

function tellsOfEnd(error: unknown): boolean {
  const { message, cause } = error as Error;
  return message === ended || (cause as Error | undefined)?.message === ended;
}

const card = {
  name: "remote",
  url: "https://agent.example/rpc",
  protocolVersion: "0.3.0",
  preferredTransport: "JSONRPC",
  capabilities: {},
};
