import type { Writable } from "node:stream";
import { optional, customOption, timeoutOption } from "../../base/errors/option-checks.ts";
import { readOptions } from "../../base/errors/read-options.ts";
import type { OptionTable } from "../../base/errors/read-options.ts";
import { TroupeError } from "../../base/errors/troupe-error.ts";
import { readProperty } from "../../base/util/read-property.ts";
import { encodeSseComment } from "./encode-sse.ts";

/** Options of an `SseWriter`. */
export interface SseWriterOptions {
  /** Ends the writing: waiting writers receive `cancelled` immediately, and no more frames are accepted. */
  signal?: AbortSignal;
  /**
   * Milliseconds between two comments that keep the connection alive, even while frames are written. No comments are
   * sent while the reader is behind. @default 15_000
   */
  heartbeatMs?: number;
  /**
   * Milliseconds without progress after which a reader counts as disconnected and its connection is destroyed. @default
   * 30_000
   */
  stallMs?: number;
}

const optionTable = {
  signal: optional(
    customOption<AbortSignal>("an AbortSignal", (value) => typeof readProperty(value, "aborted") === "boolean"),
  ),
  heartbeatMs: optional(timeoutOption, 15_000),
  stallMs: optional(timeoutOption, 30_000),
} satisfies OptionTable<SseWriterOptions>;

/** Number of characters in the collected frames from which they are written immediately, before the end of the tick. */
const batchLength = 16_384;

/**
 * Number of characters that wait for a slow reader, from which the reader is dropped. Only writers that ignore
 * backpressure reach it.
 */
const mostWaitingLength = 1_048_576;

const heartbeat = encodeSseComment("heartbeat");

/** Events of a `Writable` after which it sends no more data. */
const ends = ["finish", "close", "error"] as const;

interface DrainWaiter {
  resolve: () => void;
  reject: (error: TroupeError) => void;
}

/**
 * Writer of frames to one reader, with backpressure and heartbeats. Frames of one tick are sent in one write. Before
 * each frame it checks if the reader has disconnected, so that no writer waits for a `close` that was already emitted.
 * Troupe has its own writer, because a stream of many small events needs batching, and stalled readers must be dropped.
 */
export class SseWriter {
  readonly #writable: Writable;
  readonly #signal: AbortSignal | undefined;
  readonly #stallMs: number;
  readonly #heartbeat: NodeJS.Timeout;
  /** Settles the promise of `close`, after `close` was called. */
  #closing: PromiseWithResolvers<void> | undefined;
  #stall: NodeJS.Timeout | undefined;
  #waiters: DrainWaiter[] = [];
  #frames = "";
  #isFlushDue = false;
  #isFull = false;
  #isOver = false;

  constructor(writable: Writable, options: SseWriterOptions = {}) {
    const { signal, heartbeatMs, stallMs } = readOptions(optionTable, options, { owner: "SseWriter" });
    this.#writable = writable;
    this.#signal = signal;
    this.#stallMs = stallMs;
    this.#heartbeat = setInterval(this.#beat, heartbeatMs).unref();
    writable.on("drain", this.#resume);
    signal?.addEventListener("abort", this.#refuseWaiters);
    // `finished` of node:stream is not used, because it takes more memory per stream than the rest of this class.
    for (const event of ends) writable.on(event, this.#release);
    if (writable.destroyed || writable.writableFinished) process.nextTick(this.#release);
    if (writable.writableNeedDrain) this.#waitForDrain();
  }

  /** True if no more frames are accepted: after `close`, after the reader disconnected, or after an abort. */
  get closed(): boolean {
    return this.#closing !== undefined || this.#isOver || this.#writable.destroyed || this.#signal?.aborted === true;
  }

  /**
   * Adds a frame to the stream. Returns a promise if there is no room for more: await it before the next frame. Throws
   * or rejects with `cancelled` if the stream no longer has a reader.
   */
  write(frame: string): Promise<void> | undefined {
    if (this.#frames.length > mostWaitingLength) this.#writable.destroy();
    if (this.closed) throw this.#cancelled();

    this.#frames += frame;
    if (this.#frames.length >= batchLength) this.#flush();
    else this.#flushSoon();
    return this.#isFull ? this.#room() : undefined;
  }

  /**
   * Sends the remaining frames and ends the stream. Resolves when all frames are sent or the reader has disconnected.
   * Always call it at the end.
   */
  close(): Promise<void> {
    if (this.#isOver) return Promise.resolve();
    if (this.#closing !== undefined) return this.#closing.promise;
    this.#closing = Promise.withResolvers<void>();
    if (this.#writable.destroyed) return this.#closing.promise;

    if (this.#frames !== "") this.#writable.write(this.#frames);
    this.#writable.end();
    this.#limitStall();
    for (const { resolve } of this.#waiters.splice(0)) resolve();
    return this.#closing.promise;
  }

  #flushSoon(): void {
    if (this.#isFlushDue || this.#isFull) return;
    this.#isFlushDue = true;
    // The flush is deferred until after the promises of this tick, so that the chunks of one read from a vendor become
    // one write.
    process.nextTick(this.#flush);
  }

  readonly #flush = (): void => {
    this.#isFlushDue = false;
    if (this.#frames === "" || this.#isFull || this.closed) return;
    const frames = this.#frames;
    this.#frames = "";
    if (!this.#writable.write(frames)) this.#waitForDrain();
  };

  readonly #resume = (): void => {
    this.#isFull = false;
    clearTimeout(this.#stall);
    this.#flush();
    if (this.#isFull) return;
    for (const { resolve } of this.#waiters.splice(0)) resolve();
  };

  // No heartbeat is sent while the reader is behind, because heartbeats would pile up in front of the frames.
  readonly #beat = (): void => {
    if (this.#isFull || this.closed) return;
    this.#frames += heartbeat;
    this.#flush();
  };

  #waitForDrain(): void {
    this.#isFull = true;
    this.#limitStall();
  }

  #limitStall(): void {
    clearTimeout(this.#stall);
    this.#stall = setTimeout(() => this.#writable.destroy(), this.#stallMs).unref();
  }

  #room(): Promise<void> {
    const room = new Promise<void>((resolve, reject) => this.#waiters.push({ resolve, reject }));
    // A rejection that a writer does not await must not end the process.
    room.catch(() => undefined);
    return room;
  }

  readonly #release = (): void => {
    if (this.#isOver) return;
    this.#isOver = true;
    clearInterval(this.#heartbeat);
    clearTimeout(this.#stall);
    this.#frames = "";
    this.#writable.off("drain", this.#resume);
    for (const event of ends) this.#writable.off(event, this.#release);
    this.#signal?.removeEventListener("abort", this.#refuseWaiters);
    this.#refuseWaiters();
    this.#closing?.resolve();
  };

  readonly #refuseWaiters = (): void => {
    for (const { reject } of this.#waiters.splice(0)) reject(this.#cancelled());
  };

  #cancelled(): TroupeError {
    return new TroupeError(
      "cancelled",
      "The stream has no reader any more: the reader disconnected, or the stream was closed or aborted.",
      {
        cause: this.#signal?.reason,
      },
    );
  }
}
