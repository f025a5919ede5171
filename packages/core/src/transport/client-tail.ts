import { setTimeout as sleep } from "node:timers/promises";
import type { RunService } from "../runs/durable/run-service.ts";
import type { RunCaller, RunEvent, RunKind, RunView } from "../runs/run-store/run-view.ts";
import { TroupeError } from "../base/errors/troupe-error.ts";
import type { OpenTails } from "./open-tails.ts";

/** A kept run that a client follows. */
export type FollowedRun = {
  readonly service: RunService;
  readonly runId: string;
  readonly kind: RunKind;
  readonly caller: RunCaller;
  /** The id of the last event that the client has seen. */
  readonly after?: string | undefined;
};

/** The end of a kept run: its output, and its error if it failed. */
export type KeptRunEnd = Pick<Extract<RunEvent, { type: "end" }>, "output" | "error">;

/** Milliseconds between the first two looks at a run that may be about to wait, and between the last ones. */
const looks = { firstMs: 5, lastMs: 1000 };

/**
 * A client that follows a kept run: reads its events until the run ends, `leave()` is called or a shutdown ends the answer.
 * The run goes on without it.
 */
export class ClientTail {
  readonly run: FollowedRun;
  readonly #events: AsyncIterableIterator<RunEvent, undefined>;
  readonly #abort = new AbortController();
  readonly #unregister: (() => void) | undefined;
  /** The attempt whose events are read. */
  #attempt = 0;

  /** Made by `ServedRuns.follow`. A run that goes on elsewhere when this process ends has `openTails`, which end with it. */
  constructor(run: FollowedRun, openTails?: OpenTails) {
    this.run = run;
    this.#events = run.service.events(run.runId, run.caller, run.after);
    this.#unregister = openTails?.begin(run.runId, (reason) => this.#leave(reason));
  }

  /** Aborts when the client has left, or has to. */
  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  /**
   * Returns the next event, or undefined behind the last one and when the client has left. Rejects with `interrupted` when a
   * shutdown has ended the answer.
   */
  async next(): Promise<RunEvent | undefined> {
    const { value: event } = this.signal.aborted ? { value: undefined } : await this.#events.next();
    if (this.signal.aborted) {
      if (TroupeError.is(this.signal.reason)) throw this.signal.reason;
      return undefined;
    }
    if (event?.type === "attempt") this.#attempt = event.attempt;
    return event;
  }

  /** Reads on until the run ends, or waits for an answer. Returns undefined when the client has left. */
  async untilPaused(): Promise<KeptRunEnd | RunView | undefined> {
    for (;;) {
      const event = await this.next();
      if (event === undefined || event.type === "end") return event;
      const run = event.type === "wait" ? await this.#untilSettled() : undefined;
      if (run !== undefined) return run;
    }
  }

  /** Ends the following. Always call it. */
  end(): void {
    this.#unregister?.();
    void this.#events.return?.();
  }

  /**
   * Waits until a run waits or is over: other calls of the same round trip may be under way. Returns undefined when it goes on,
   * since it was answered, or when the client has left.
   */
  async #untilSettled(): Promise<RunView | undefined> {
    const { service, runId, caller } = this.run;
    for (let ms = looks.firstMs; !this.signal.aborted; ms = Math.min(2 * ms, looks.lastMs)) {
      const run = await service.get(runId, caller);
      if (run.status !== "running" && run.status !== "queued") return run;
      if (run.attempts > this.#attempt) return undefined;
      await sleep(ms, undefined, { ref: false, signal: this.signal }).catch(() => undefined);
    }
    return undefined;
  }

  /** Ends the following since the client has left: `next` returns undefined. */
  readonly leave = (): void => this.#leave();

  #leave(reason?: TroupeError): void {
    this.#abort.abort(reason);
    void this.#events.return?.();
  }
}
