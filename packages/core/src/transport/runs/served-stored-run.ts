import { setTimeout as sleep } from "node:timers/promises";
import { TroupeError } from "../../base/errors/troupe-error.ts";
import { toPublicOutput } from "../../agents/run/run-output.ts";
import type { PublicOutput } from "../../agents/run/run-output.ts";
import type { RunService } from "../../runs/service/run-service.ts";
import type { RunCaller, RunEvent, RunKind, RunView } from "../../runs/record/run-view.ts";
import { toPublicResult } from "../public/public-chunk.ts";
import { toStreamFailure } from "../public/public-event.ts";
import { toStoredError } from "../public/public-run.ts";
import type { Followers } from "./followers.ts";
import type { EventRange, PublicResult, ServedEvent, SettledRun } from "./served-event.ts";

/** The parts from which a {@link ServedStoredRun} is made, for one client. */
export type StoredRunInit = {
  readonly service: RunService;
  /** True for a run of the host's service; false for a run that is stored in this process. */
  readonly isDurable: boolean;
  readonly runId: string;
  readonly sessionId: string;
  readonly kind: RunKind;
  readonly name: string;
  readonly caller: RunCaller;
  /** True if the run is cancelled when this client disconnects. @default false */
  readonly endsWithClient?: boolean | undefined;
  /** Resolves at the end of a run that this process began and stores itself. */
  readonly over?: Promise<void> | undefined;
  /**
   * The register of clients that a shutdown disconnects. Set only for runs that continue elsewhere when this process
   * ends.
   */
  readonly followers?: Followers | undefined;
  /** Milliseconds after its end for which the events of a run in memory can be read again. */
  readonly resumeMs: number;
};

/** Milliseconds between two polls of a run that may be about to wait for an answer: the first pause and the longest. */
const looks = { firstMs: 5, lastMs: 1000 };

/**
 * A run of a `RunService` for one client, who reads its events until the run ends, the client disconnects or a shutdown
 * ends the answer. The run continues without the client.
 */
export class ServedStoredRun {
  readonly isStored = true;
  readonly isDurable: boolean;
  readonly runId: string;
  readonly sessionId: string;
  readonly kind: RunKind;
  readonly name: string;
  /** The service that performs the run. */
  readonly service: RunService;
  readonly caller: RunCaller;
  /**
   * Resolves at the end of a run that this process began and stores itself. Until then the run uses data of its
   * request.
   */
  readonly over: Promise<void> | undefined;
  readonly #init: StoredRunInit;
  readonly #abort = new AbortController();
  /** A signal that aborts when the client has disconnected, or a shutdown ends its answer. */
  readonly signal: AbortSignal = this.#abort.signal;
  #events: AsyncIterableIterator<RunEvent, undefined> | undefined;
  #unregister: (() => void) | undefined;
  /** The number of the attempt at the run to which the events being read belong. */
  #attempt = 0;

  constructor(init: StoredRunInit) {
    const { service, isDurable, runId, sessionId, kind, name, caller, over } = init;
    this.service = service;
    this.isDurable = isDurable;
    this.runId = runId;
    this.sessionId = sessionId;
    this.kind = kind;
    this.name = name;
    this.caller = caller;
    this.over = over;
    this.#init = init;
  }

  /** Returns the run as recorded in its service. */
  async view(): Promise<RunView> {
    return await this.service.get(this.runId, this.caller);
  }

  /**
   * Throws `gone` for the events of a run in memory that ended too long ago. They are removed periodically.
   *
   * @param view the run as recorded in its service
   */
  checkReadable({ endedAt }: RunView): void {
    if (this.isDurable || endedAt === undefined || endedAt + this.#init.resumeMs >= Date.now()) return;
    throw new TroupeError("gone", "The events of this run are not kept any more. Ask for the run itself, by its id.");
  }

  /**
   * Returns the events of the run for its client, and starts reading them. The last event is an end or a failure,
   * unless the client disconnects first. Throws `invalid_request` for an invalid position, and `interrupted` after a
   * shutdown has ended the answers. The reading rejects if the events cannot be read, or a shutdown ends the answer.
   */
  events({ after, isWhole = false }: EventRange = {}): AsyncGenerator<ServedEvent, undefined> {
    this.follow(after);
    return this.#read(isWhole);
  }

  async *#read(isWhole: boolean): AsyncGenerator<ServedEvent, undefined> {
    const shown = { runId: this.runId, kind: this.kind, isWhole };
    try {
      for (let event = await this.next(); event !== undefined; event = await this.next()) {
        const error = toStreamFailure(event, shown);
        if (error !== undefined) yield { type: "failure", id: event.id, error };
        else if (event.type !== "end") yield event;
        else yield { type: "end", id: event.id, readOutput: async () => this.#toPublic(event.output) };
        // Ends without another `next`, which would reject if a shutdown began after the last event.
        if (error !== undefined || event.type === "end") return undefined;
      }
      return undefined;
    } finally {
      this.end();
    }
  }

  /**
   * Waits until the run is over or waits for an answer. Returns undefined if the client has disconnected. Rejects with
   * the failure of the run, and in the same cases as `events`.
   */
  async settled(): Promise<SettledRun | undefined> {
    try {
      const paused = await this.untilPaused();
      if (paused === undefined) return undefined;
      if ("status" in paused && paused.status === "waiting") return { waiting: paused };
      return { output: this.outputOf(paused) };
    } finally {
      this.end();
    }
  }

  /** Returns the public output of the ended run. Throws the error of a failed run. */
  outputOf({ output, error }: Pick<RunView, "output" | "error">): PublicOutput | PublicResult {
    if (error !== undefined) throw toStoredError(error, this.runId, output);
    return this.#toPublic(output);
  }

  /** Ends the answer because the client has left early. Cancels the run if it ends with its client. */
  disconnect(): void {
    this.leave();
    if (this.#init.endsWithClient !== true) return;
    void this.service.cancel(this.runId, this.caller, "The client disconnected.").catch(() => undefined);
  }

  /**
   * Starts to read the log after an event, by default from the beginning. Throws `interrupted` after a shutdown has
   * ended the answers. Call `end` when the answer is over.
   */
  follow(after?: string): this {
    this.#unregister = this.#init.followers?.begin(this.runId, (reason) => this.#leave(reason));
    try {
      if (!this.signal.aborted) this.#events = this.service.events(this.runId, this.caller, after);
      return this;
    } catch (error) {
      // The caller does not call `end` after an invalid position, so a shutdown would wait for this client.
      this.#unregister?.();
      throw error;
    }
  }

  /**
   * Returns the next event of the log; undefined after the last event or after the client has disconnected. Rejects
   * with `interrupted` if a shutdown has ended the answer.
   */
  async next(): Promise<RunEvent | undefined> {
    const event = this.signal.aborted ? undefined : (await this.#events?.next())?.value;
    if (this.signal.aborted) {
      if (TroupeError.is(this.signal.reason)) throw this.signal.reason;
      return undefined;
    }
    if (event?.type === "attempt") this.#attempt = event.attempt;
    return event;
  }

  /**
   * Reads until the run ends or waits for an answer. Returns the end, or the `RunView` of a run that waits or has just
   * ended; undefined if the client has disconnected. Rejects in the same cases as `next`.
   */
  async untilPaused(): Promise<Extract<RunEvent, { type: "end" }> | RunView | undefined> {
    if (this.#events === undefined && !this.signal.aborted) this.follow();
    for (;;) {
      const event = await this.next();
      if (event === undefined || event.type === "end") return event;
      const run = event.type === "wait" ? await this.#untilResting() : undefined;
      if (run !== undefined) return run;
    }
  }

  /** Stops reading the run's events for this client. The run continues. */
  end(): void {
    this.#unregister?.();
    void this.#events?.return?.();
  }

  /** Stops reading because the client has disconnected: `next` then returns undefined. */
  readonly leave = (): void => this.#leave();

  /**
   * Waits until the record shows that the run waits or is over, because other calls of the same round trip may be in
   * progress. Returns undefined if the run continues after an answer, or the client has disconnected.
   */
  async #untilResting(): Promise<RunView | undefined> {
    for (let ms = looks.firstMs; !this.signal.aborted; ms = Math.min(2 * ms, looks.lastMs)) {
      const run = await this.view();
      if (run.status !== "running" && run.status !== "queued") return run;
      if (run.attempts > this.#attempt) return undefined;
      await sleep(ms, undefined, { ref: false, signal: this.signal }).catch(() => undefined);
    }
    return undefined;
  }

  #leave(reason?: TroupeError): void {
    this.#abort.abort(reason);
    void this.#events?.return?.();
  }

  #toPublic(output: unknown): PublicOutput | PublicResult {
    return this.kind === "workflow" ? toPublicResult(output as PublicResult) : toPublicOutput(output as PublicOutput);
  }
}
