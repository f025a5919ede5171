import { TroupeError } from "@troupe/core";
import type { ServedEvent, ServedRun } from "@troupe/core/transport";
import { checkInterleavings } from "@troupe-internal/interleavings";
import type { HeldCalls, Scene } from "@troupe-internal/interleavings";
import { expect, it } from "vitest";
import { FakeResponse } from "@troupe-internal/fake-responses";
import { exchangeOf } from "../../test/exchange-of.ts";
import { ByteSemaphore } from "../uploads/byte-semaphore.ts";
import { answerRun } from "./answer-run.ts";
import { answerStream } from "./answer-stream.ts";
import type { RunCall } from "./begin-run.ts";

it("a stored run is followed until its client leaves, is cancelled if it ends with it, and its upload counts until it is over, in any order [async.interleavings]", async () => {
  await checkInterleavings(answerRuns, { seed: 38_401, numRuns: 60, quietMs: 2000 });
});

const totalBytes = 2;
const output = { text: "", toolCalls: [], usage: {} };

/** A request, its client, and what became of its run. */
type Exchange = {
  readonly response: FakeResponse;
  readonly exchange: ReturnType<typeof exchangeOf>["exchange"];
  readonly endsWithClient: boolean;
  state: "uploading" | "accepting" | "running" | "over" | "refused";
  cancels: number;
};

function answerRuns(held: HeldCalls): Scene {
  const semaphore = new ByteSemaphore(totalBytes);
  const exchanges: Exchange[] = [];
  const holding = new Set<Exchange>();
  const followed = new Map<FakeRun, FakeResponse>();
  const ask = async (answer: (call: RunCall) => Promise<void>, endsWithClient: boolean): Promise<void> => {
    const response = new FakeResponse();
    const own: Exchange = {
      response,
      exchange: exchangeOf(response).exchange,
      endsWithClient,
      state: "uploading",
      cancels: 0,
    };
    exchanges.push(own);
    own.response.once("close", () => void (own.state === "uploading" && holding.delete(own)));
    await semaphore.acquire(1, own.exchange);
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
  const callOf = (own: Exchange, endsWithClient: boolean): RunCall => {
    const over = Promise.withResolvers<void>();
    const end = (): void => {
      own.state = "over";
      holding.delete(own);
      over.resolve();
    };
    const begin = async (): Promise<ServedRun> => {
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
      const run = new FakeRun(held, over.promise, () => void (own.cancels += endsWithClient ? 1 : 0));
      followed.set(run, own.response);
      return run as unknown as ServedRun;
    };
    const servedRuns = { stores: () => true, begin };
    return {
      exchange: own.exchange,
      service: { servedRuns, closeIfDraining: () => undefined, settings: { heartbeatMs: 100_000 } },
      requested: { opts: {}, owner: {} },
      terms: { kind: "agent", name: "a", endsWithClient },
      early: true,
    } as unknown as RunCall;
  };
  return {
    operations: {
      "a request": async () => await ask(answerRun, false),
      "a request that ends with its client": async () => await ask(answerRun, true),
      "a stream": async () => await ask(answerStream, false),
      "a stream that ends with its client": async () => await ask(answerStream, true),
      "a client leaves": () => exchanges.find(({ response }) => !response.closed)?.response.leave(),
    },
    always: () => {
      expect(holding.size, "uploads that are held").toBeLessThanOrEqual(totalBytes);
      for (const [run, response] of followed) {
        const goesOn = response.destroyed && run.ends === 0 && !run.signal.aborted;
        held.check(!goesOn, "a run is followed for a client that has left");
      }
      for (const { state, response, endsWithClient, cancels } of exchanges) {
        const mustCancel = endsWithClient && response.destroyed && state === "running";
        held.check(!mustCancel || cancels === 1, "a run goes on that ends with its client");
        held.check(cancels === 0 || (endsWithClient && response.destroyed), "a run is cancelled whose client is there");
      }
    },
    end: () => exchanges.forEach(({ response, state }) => (state === "uploading" ? response.leave() : undefined)),
    again: async () => await ask(answerRun, false),
    afterwards: () => {
      expect([...followed.keys()].filter(({ ends }) => ends !== 1)).toEqual([]);
      expect(exchanges.filter(({ response }) => response.sentInVain > 0 || response.ends > 1)).toEqual([]);
      expect(holding.size).toBe(0);
    },
  };
}

/** A stored run whose events and end are held, as long as its client is there. */
class FakeRun {
  ends = 0;
  readonly runId = "r";
  readonly sessionId = "s";
  readonly kind = "agent";
  readonly isStored = true;
  readonly over: Promise<void>;
  readonly #left = new AbortController();
  readonly #held: HeldCalls;
  readonly #onLeave: () => void;

  constructor(held: HeldCalls, over: Promise<void>, onLeave: () => void) {
    this.#held = held;
    this.over = over;
    this.#onLeave = onLeave;
  }

  get signal(): AbortSignal {
    return this.#left.signal;
  }

  disconnect(): void {
    this.#left.abort();
    this.#onLeave();
  }

  async *events(): AsyncGenerator<ServedEvent> {
    const event = await this.#wait<ServedEvent>({ type: "end", id: "1", readOutput: async () => output as never });
    if (event !== undefined) yield event;
  }

  async settled(): Promise<object | undefined> {
    return await this.#wait({ output });
  }

  async #wait<Value>(value: Value): Promise<Value | undefined> {
    try {
      if (this.signal.aborted) return undefined;
      return await this.#held.hold("the events", () => value, { signal: this.signal });
    } catch (error) {
      if (this.signal.aborted) return undefined;
      throw new TroupeError("unavailable", "The storage is away.", { cause: error });
    } finally {
      this.ends += 1;
    }
  }
}
