import { setTimeout as sleep } from "node:timers/promises";
import type { TokenUsage, TroupeError } from "@troupe/core";
import type { RunEvent } from "@troupe/core/runs";
import { toTroupeError } from "@troupe/core/kit";
import { toRunError } from "@troupe/core/transport";
import type { ClientTail, FollowedRun } from "@troupe/core/transport";
import { followRun } from "../answer/answer-tail.ts";
import { EventStream } from "../answer/event-stream.ts";
import { logFailure } from "../errors/log-failure.ts";
import type { FailedRun } from "../errors/log-failure.ts";
import type { Exchange } from "../exchange/exchange.ts";
import { recordUsage } from "../exchange/request-record.ts";
import type { RouterSettings } from "../settings/router-options.ts";
import type { UiChunk } from "./ui-chunk.ts";
import { UiMessage } from "./ui-message.ts";

/** The header by which the AI SDK says that a stream is one of UI messages. */
export const uiStreamHeader = ["X-Vercel-AI-UI-Message-Stream", "v1"] as const;

/** Milliseconds between the first two looks at a run that may be about to wait, and between the last ones. */
const looks = { firstMs: 5, lastMs: 1000 };

/** An answer that goes on with a message: behind the questions that its request has answered. */
export type Continued = {
  readonly waitIds: readonly string[];
  /** The attempts that the run had before it got the answers. A run that waits in one of them has not gone on yet. */
  readonly attempts: number;
};

/** Options of showing a run as a UI message. */
export type UiAnswerOptions = {
  readonly settings: RouterSettings;
  /** True if the head of the stream is sent without waiting for an event. */
  readonly early: boolean;
  /** The request's own run: its failure is the request's, with a status if nothing was sent. */
  readonly own?: FailedRun | undefined;
  readonly continued?: Continued | undefined;
};

/**
 * Sends a run as one message of the AI SDK's UI message stream, until it is over or waits for an answer. Rejects with a failure
 * that is the answer.
 */
export async function answerUi(exchange: Exchange, run: FollowedRun, options: UiAnswerOptions): Promise<void> {
  // Express keeps its way to this route there: memory that would be held for as long as the stream lasts.
  (exchange.request as { next?: unknown }).next = undefined;
  const tail = followRun(exchange, run, options.settings);
  try {
    await new UiAnswer(exchange, tail, options).send();
  } finally {
    tail.end();
  }
}

class UiAnswer {
  readonly #exchange: Exchange;
  readonly #tail: ClientTail;
  readonly #options: UiAnswerOptions;
  readonly #events: EventStream;
  readonly #message: UiMessage;
  /** The chunks of the last event that was taken. */
  #chunks: UiChunk[] = [];
  /** True until the answer has come to what its client has not seen. */
  #isSilent: boolean;
  #hasStarted = false;
  #attempt = 0;
  #lastId: string | undefined;
  /** The next event, while it is read. */
  #next: Promise<RunEvent | undefined> | undefined;

  constructor(exchange: Exchange, tail: ClientTail, options: UiAnswerOptions) {
    this.#exchange = exchange;
    this.#tail = tail;
    this.#options = options;
    this.#isSilent = options.continued !== undefined;
    exchange.response.setHeader(...uiStreamHeader);
    const { heartbeatMs } = options.settings;
    this.#events = new EventStream(exchange.response, { heartbeatMs, signal: tail.signal });
    this.#message = new UiMessage(tail.run.runId, (chunk) => this.#chunks.push(chunk));
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

  /** Sends events up to the end of the run, which it returns, or to a pause. Returns undefined when the client has left. */
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

  /** Sends what the run has said before it began to wait, and ends the answer. */
  async #sendStored(): Promise<void> {
    const { service, runId, caller } = this.#tail.run;
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

  /** An attempt behind the questions that were answered is the first that the client has not seen. */
  #begin(attempt: number): void {
    this.#attempt = attempt;
    const { continued } = this.#options;
    if (!this.#isSilent || continued?.waitIds.every((id) => this.#message.has(id)) !== true) return;
    // The client has ended the step with its answer.
    this.#message.leaveStep();
    this.#chunks = [];
    this.#isSilent = false;
  }

  /** Sends the chunks that are ready, at the pace of their reader. */
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
    void this.#events.send({ type: "start", messageId: this.#tail.run.runId }, null);
  }

  #finish({ output, error }: Extract<RunEvent, { type: "end" }>): void {
    this.#isSilent = false;
    if (error !== undefined) throw toRunError(error, this.#tail.run.runId, output);
    const { usage } = (output ?? {}) as { usage?: TokenUsage };
    if (usage !== undefined) recordUsage(this.#exchange.response, usage);
    this.#message.finish(usage);
  }

  async #fail(error: TroupeError): Promise<void> {
    const { own } = this.#options;
    if (!this.#events.isHeadSent && own !== undefined) {
      this.#events.abandon();
      this.#exchange.response.removeHeader(uiStreamHeader[0]);
      throw error;
    }
    if (own !== undefined) logFailure(error, this.#exchange, own);
    this.#isSilent = false;
    this.#message.fail(error);
    await this.#flush();
  }

  /** Returns the next event, or `paused` when the run waits for an answer and its reader has nothing to do but wait. */
  async #nextOrPause(): Promise<RunEvent | "paused" | undefined> {
    const next = (this.#next ??= this.#tail.next());
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

  /** Resolves when the run waits for an answer. It never does once the signal is aborted. */
  async #untilPaused(signal: AbortSignal): Promise<"paused"> {
    const { service, runId, caller } = this.#tail.run;
    const least = this.#options.continued?.attempts ?? 0;
    for (let ms = looks.firstMs; !signal.aborted; ms = Math.min(2 * ms, looks.lastMs)) {
      await sleep(ms, undefined, { ref: false, signal }).catch(() => undefined);
      if (signal.aborted) break;
      const { status, attempts } = await service.get(runId, caller);
      if (status === "waiting" && attempts <= this.#attempt && attempts > least) return "paused";
    }
    return await new Promise(() => undefined);
  }
}
