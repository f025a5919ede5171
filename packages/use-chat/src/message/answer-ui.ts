import { setTimeout as sleep } from "node:timers/promises";
import type { TokenUsage, TroupeError } from "@troupe/core";
import type { RunEvent, RunView } from "@troupe/core/runs";
import { toTroupeError } from "@troupe/core/kit";
import { EventStream, toStoredError } from "@troupe/core/transport";
import type { Exchange, FailedRun, ServedStoredRun } from "@troupe/core/transport";
import type { UiChunk } from "./ui-chunk.ts";
import { UiMessage } from "./ui-message.ts";

/** The header that marks a stream of UI messages for the AI SDK. */
export const uiStreamHeader = ["X-Vercel-AI-UI-Message-Stream", "v1"] as const;

/** Milliseconds between two checks of a run that may be about to wait: the first interval and the longest. */
const looks = { firstMs: 5, lastMs: 1000 };

/**
 * The questions that a request of `useChat` has answered. Its response contains the part of the message after these
 * questions.
 */
export type Continued = {
  readonly waitIds: readonly string[];
  /**
   * The number of the run's attempts before the answers. While the run still waits in such an attempt, it has not
   * continued yet.
   */
  readonly attempts: number;
};

/** Options of sending a run as a UI message. */
export type UiAnswerOptions = {
  readonly heartbeatMs: number;
  /** True to send the head of the stream at once, without waiting for an event. */
  readonly early: boolean;
  /** The run that the request began. Its failure is answered with an error status if nothing was sent before. */
  readonly own?: FailedRun | undefined;
  readonly continued?: Continued | undefined;
  /** The major version of the AI SDK on the page: see `ChatStreamOptions`. @default 7 */
  readonly sdk?: 6 | 7 | undefined;
};

/**
 * Sends a run as one message of the AI SDK's UI message stream. The stream ends when the run is over or waits for an
 * answer, or the client disconnects. Rejects with a failure of the request's own run if nothing was sent before.
 */
export async function answerUi(exchange: Exchange, run: ServedStoredRun, options: UiAnswerOptions): Promise<void> {
  // The connection is watched only until the message is sent: a run that waits then continues without this client.
  const stopWatching = exchange.onLeave(() => run.disconnect());
  try {
    run.follow();
    await new UiAnswer(exchange, run, options).send();
  } finally {
    stopWatching();
    run.end();
  }
}

class UiAnswer {
  readonly #exchange: Exchange;
  readonly #run: ServedStoredRun;
  readonly #options: UiAnswerOptions;
  readonly #events: EventStream;
  readonly #message: UiMessage;
  /** The chunks of the run's last event that are not sent yet. */
  #chunks: UiChunk[] = [];
  /** True while the answer skips events that the client has already received. */
  #isSilent: boolean;
  #hasStarted = false;
  #attempt = 0;
  #lastId: string | undefined;
  /** The pending read of the run's next event. */
  #next: Promise<RunEvent | undefined> | undefined;

  constructor(exchange: Exchange, run: ServedStoredRun, options: UiAnswerOptions) {
    this.#exchange = exchange;
    this.#run = run;
    this.#options = options;
    this.#isSilent = options.continued !== undefined;
    exchange.setHeader(...uiStreamHeader);
    this.#events = new EventStream(exchange, { heartbeatMs: options.heartbeatMs, signal: run.signal });
    const emit = (chunk: UiChunk): void => void this.#chunks.push(chunk);
    // A client that has not received a step need not undo it.
    this.#message = new UiMessage(run.runId, emit, () => options.sdk !== 6 || this.#isSilent);
  }

  async send(): Promise<void> {
    if (this.#options.early) this.#events.sendHead();
    try {
      const end = await this.#sendEvents();
      if (end === undefined) return this.#events.close();
      if (end !== "paused") this.#finish(end);
      await this.#flush();
    } catch (thrown) {
      await this.#fail(toTroupeError(thrown));
    }
    this.#events.close("[DONE]");
  }

  /**
   * Sends events until the run ends or waits for an answer. Returns the end event, `"paused"`, or undefined if the
   * client has disconnected.
   */
  async #sendEvents(): Promise<Extract<RunEvent, { type: "end" }> | "paused" | undefined> {
    for (;;) {
      const event = await this.#nextOrPause();
      if (event === undefined) return undefined;
      if (event === "paused") {
        await this.#sendStored();
        return event;
      }
      if (event.type === "end") return event;
      await this.#take(event);
    }
  }

  /** Sends the events that were stored before the run began to wait. Then pauses the message. */
  async #sendStored(): Promise<void> {
    const { service, runId, caller } = this.#run;
    for await (const event of service.storedEvents(runId, caller, this.#lastId)) {
      if (event.type !== "end") await this.#take(event);
    }
    this.#message.pause();
  }

  async #take(event: RunEvent): Promise<void> {
    this.#lastId = event.id;
    if (event.type === "attempt") this.#begin(event.attempt);
    this.#message.take(event);
    await this.#flush();
  }

  /**
   * Begins an attempt of the run. The first attempt after the answered questions is new to the client; all chunks
   * before it are dropped.
   */
  #begin(attempt: number): void {
    this.#attempt = attempt;
    const { continued } = this.#options;
    if (!this.#isSilent || continued?.waitIds.every((id) => this.#message.has(id)) !== true) return;
    // The client's answer has already ended the message's open step.
    this.#message.leaveStep();
    this.#chunks = [];
    this.#isSilent = false;
  }

  /**
   * Sends the pending chunks, no faster than their reader takes them. Drops chunks that the client has already
   * received.
   */
  async #flush(): Promise<void> {
    const chunks = this.#isSilent ? [] : this.#chunks;
    this.#chunks = [];
    if (chunks.length > 0) this.#start();
    for (const chunk of chunks) {
      const drained = this.#events.send(chunk, null);
      if (drained !== undefined) await drained;
    }
  }

  #start(): void {
    if (this.#hasStarted) return;
    this.#hasStarted = true;
    void this.#events.send({ type: "start", messageId: this.#run.runId }, null);
  }

  #finish({ output, error }: Extract<RunEvent, { type: "end" }>): void {
    this.#isSilent = false;
    if (error !== undefined) throw toStoredError(error, this.#run.runId, output);
    const { usage } = (output ?? {}) as { usage?: TokenUsage };
    if (usage !== undefined) this.#exchange.recordUsage(usage);
    this.#message.finish(usage);
  }

  async #fail(error: TroupeError): Promise<void> {
    const { own } = this.#options;
    if (!this.#events.isHeadSent && own !== undefined) {
      this.#events.abandon();
      this.#exchange.removeHeader(uiStreamHeader[0]);
      throw error;
    }
    if (own !== undefined) this.#exchange.logFailure(error, own);
    this.#isSilent = false;
    this.#message.fail(error);
    await this.#flush();
  }

  /**
   * Returns the run's next event, or undefined if the client has disconnected. Returns `"paused"` if the run waits for
   * an answer and no event can come before it.
   */
  async #nextOrPause(): Promise<RunEvent | "paused" | undefined> {
    const next = (this.#next ??= this.#run.next());
    if (!this.#message.mayWait) return await this.#read(next);
    const given = new AbortController();
    try {
      return await Promise.race([this.#read(next), this.#untilPaused(given.signal)]);
    } finally {
      given.abort();
    }
  }

  async #read(next: Promise<RunEvent | undefined>): Promise<RunEvent | undefined> {
    try {
      return await next;
    } finally {
      if (this.#next === next) this.#next = undefined;
    }
  }

  /** Resolves when the run waits for an answer. Never resolves after the signal aborts. */
  async #untilPaused(signal: AbortSignal): Promise<"paused"> {
    const least = this.#options.continued?.attempts ?? 0;
    for (let ms = looks.firstMs; !signal.aborted; ms = Math.min(2 * ms, looks.lastMs)) {
      await sleep(ms, undefined, { ref: false, signal }).catch(() => undefined);
      if (signal.aborted) break;
      const view = await this.#run.view();
      if (isAsking(view) && view.attempts <= this.#attempt && view.attempts > least) return "paused";
    }
    return await new Promise(() => undefined);
  }
}

/**
 * Returns true if a run waits for an answer. After a sleep or an event it goes on by itself, and so does its message.
 */
function isAsking({ status, waits = [] }: RunView): boolean {
  const goesOn = waits.length > 0 && waits.every(({ kind }) => kind === "sleep" || kind === "event");
  return status === "waiting" && !goesOn;
}
