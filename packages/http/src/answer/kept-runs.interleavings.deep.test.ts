import { createLogger, TroupeError } from "@troupe/core";
import type { RunEvent } from "@troupe/core/runs";
import type { KeptRun, RunTarget } from "@troupe/core/transport";
import { checkInterleavings } from "@troupe-internal/interleavings";
import type { HeldCalls, Scene } from "@troupe-internal/interleavings";
import { expect, it } from "vitest";
import { FakeResponse } from "../../test/fake-response.ts";
import { ByteSemaphore } from "../uploads/byte-semaphore.ts";
import { answerKeptRun, answerKeptStream } from "./answer-kept.ts";
import type { KeptCall } from "./answer-kept.ts";

it("a kept run is followed until its client leaves, is cancelled if it ends with it, and its upload counts until it is over, in any order [async.interleavings]", async () => {
  await checkInterleavings(answerRuns, { seed: 38_401, numRuns: 60, quietMs: 2000 });
});

const totalBytes = 2;
const output = { text: "", toolCalls: [], messages: [], usage: {} };

/** A request, its client, and what became of its run. */
type Exchange = {
  readonly response: FakeResponse;
  readonly endsWithClient: boolean;
  state: "uploading" | "accepting" | "running" | "over" | "refused";
  cancels: number;
};

function answerRuns(held: HeldCalls): Scene {
  const semaphore = new ByteSemaphore(totalBytes);
  const exchanges: Exchange[] = [];
  const holding = new Set<Exchange>();
  const tails: FakeTail[] = [];
  const followed = new Map<FakeTail, FakeResponse>();
  const ask = async (answer: (call: KeptCall) => Promise<void>, endsWithClient: boolean): Promise<void> => {
    const own: Exchange = { response: new FakeResponse(), endsWithClient, state: "uploading", cancels: 0 };
    exchanges.push(own);
    own.response.once("close", () => void (own.state === "uploading" && holding.delete(own)));
    await semaphore.acquire(1, own.response.asResponse);
    if (own.response.closed) return;
    holding.add(own);
    const call = callOf(own, endsWithClient);
    try {
      await answer(call);
    } finally {
      // What failed gets its own answer.
      if (!own.response.closed && own.response.ends === 0) own.response.end();
    }
  };
  const callOf = (own: Exchange, endsWithClient: boolean): KeptCall => {
    const over = Promise.withResolvers<void>();
    const end = (): void => {
      own.state = "over";
      holding.delete(own);
      over.resolve();
    };
    const accept = async (): Promise<KeptRun> => {
      own.state = "accepting";
      try {
        await held.hold("the acceptance", () => undefined);
      } catch (error) {
        own.state = "refused";
        holding.delete(own);
        throw error;
      }
      own.state = "running";
      void held.hold("the run", end, { canFail: false });
      return { runId: "r", sessionId: "s", isNew: true, over: over.promise };
    };
    const follow = (): FakeTail => {
      const tail = new FakeTail(held);
      tails.push(tail);
      followed.set(tail, own.response);
      return tail;
    };
    const service = { cancel: async () => void (own.cancels += 1) };
    const servedRuns = { accept, follow, checkOpen: () => undefined, isDraining: false };
    const request = { headers: {}, baseUrl: "", url: "/", httpVersion: "1.1" };
    const logger = createLogger({ level: "error", write: () => undefined });
    return {
      exchange: { request, response: own.response, requestId: "1", logger },
      runRequest: { query: { early: true, endsWithClient }, opts: {}, owner: {} },
      target: { service, kind: "agent" } as unknown as RunTarget,
      settings: { servedRuns, heartbeatMs: 100_000 },
    } as unknown as KeptCall;
  };
  return {
    operations: {
      "a request": async () => await ask(answerKeptRun, false),
      "a request that ends with its client": async () => await ask(answerKeptRun, true),
      "a stream": async () => await ask(answerKeptStream, false),
      "a stream that ends with its client": async () => await ask(answerKeptStream, true),
      "a client leaves": () => exchanges.find(({ response }) => !response.closed)?.response.leave(),
    },
    always: () => {
      expect(holding.size, "uploads that are held").toBeLessThanOrEqual(totalBytes);
      for (const [tail, response] of followed) {
        const goesOn = response.destroyed && tail.ends === 0 && !tail.signal.aborted;
        held.check(!goesOn, "a run is followed for a client that has left");
      }
      for (const { state, response, endsWithClient, cancels } of exchanges) {
        const mustCancel = endsWithClient && response.destroyed && state === "running";
        held.check(!mustCancel || cancels === 1, "a run goes on that ends with its client");
        held.check(cancels === 0 || (endsWithClient && response.destroyed), "a run is cancelled whose client is there");
      }
    },
    end: () => exchanges.forEach(({ response, state }) => (state === "uploading" ? response.leave() : undefined)),
    again: async () => await ask(answerKeptRun, false),
    afterwards: () => {
      expect(tails.map(({ ends }) => ends)).toEqual(tails.map(() => 1));
      expect(exchanges.filter(({ response }) => response.sentInVain > 0 || response.ends > 1)).toEqual([]);
      expect(holding.size).toBe(0);
    },
  };
}

/** A follower of a run whose events are held. It hears when it has to leave. */
class FakeTail {
  ends = 0;
  readonly run = { runId: "r", kind: "agent" };
  #isOver = false;
  readonly #left = new AbortController();
  readonly #held: HeldCalls;

  constructor(held: HeldCalls) {
    this.#held = held;
  }

  get signal(): AbortSignal {
    return this.#left.signal;
  }

  readonly leave = (): void => this.#left.abort();

  async next(): Promise<RunEvent | undefined> {
    const event = { type: "end", id: "1", output } as unknown as RunEvent;
    if (this.#isOver) return undefined;
    return await this.#wait(() => {
      this.#isOver = true;
      return event;
    });
  }

  async untilPaused(): Promise<object | undefined> {
    return await this.#wait(() => ({ output }));
  }

  end(): void {
    this.ends += 1;
  }

  async #wait<Value>(value: () => Value): Promise<Value | undefined> {
    try {
      return await this.#held.hold("the events", value, { signal: this.signal });
    } catch (error) {
      if (this.signal.aborted) return undefined;
      throw new TroupeError("unavailable", "The storage is away.", { cause: error });
    }
  }
}
