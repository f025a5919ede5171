import type { Writable } from "node:stream";
import { optional, satisfying, timeoutMilliseconds } from "../../base/errors/option-checks.ts";
import { readOptions } from "../../base/errors/read-options.ts";
import type { OptionTable } from "../../base/errors/read-options.ts";
import { TroupeError } from "../../base/errors/troupe-error.ts";
import { readProperty } from "../../base/util/read-property.ts";
import { encodeSseComment } from "./encode-sse.ts";

/** Options of an `SseWriter`. */
export interface SseWriterOptions {
  /** Ends the writing: waiting writers get `cancelled` at once, and no more frames are taken. */
  signal?: AbortSignal;
  /** Milliseconds between two comments that keep the connection alive, unless the reader is behind. @default 15_000 */
  heartbeatMs?: number;
  /** Milliseconds without progress after which a reader counts as gone and its connection is destroyed. @default 30_000 */
  stallMs?: number;
}

const optionTable = {
  signal: optional(
    satisfying<AbortSignal>("an AbortSignal", (value) => typeof readProperty(value, "aborted") === "boolean"),
  ),
  heartbeatMs: optional(timeoutMilliseconds, 15_000),
  stallMs: optional(timeoutMilliseconds, 30_000),
} satisfies OptionTable<SseWriterOptions>;

/** Characters that are written at once, without waiting for the end of the tick. */
const batchLength = 16_384;

/** Characters after which a reader is dropped. Only writers that ignore backpressure gather so much. */
const mostWaitingLength = 1_048_576;

const heartbeat = encodeSseComment("heartbeat");

/** Events after which the stream sends nothing more. */
const ends = ["finish", "close", "error"] as const;

interface Waiter {
  resolve: () => void;
  reject: (error: TroupeError) => void;
}

/**
 * Writer of frames to one reader, with backpressure and heartbeats. Frames of one tick are sent in one write. It asks the
 * stream before each frame if the reader is gone, so that no writer waits for a `close` that has been emitted before. Our
 * own because a stream of many small events needs this batching, and an end of readers that stall.
 */
export class SseWriter {
  readonly #writable: Writable;
  readonly #signal: AbortSignal | undefined;
  readonly #stallMs: number;
  readonly #heartbeat: NodeJS.Timeout;
  /** Settles the promise of `close`, once that was called. */
  #closing: PromiseWithResolvers<void> | undefined;
  #stall: NodeJS.Timeout | undefined;
  #waiters: Waiter[] = [];
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
    // Not `finished` of node:stream, which keeps more memory per stream than all the rest here.
    for (const event of ends) writable.on(event, this.#release);
    if (writable.destroyed || writable.writableFinished) process.nextTick(this.#release);
    if (writable.writableNeedDrain) this.#waitForDrain();
  }

  /** True when no more frames are taken: after `close`, after the reader disconnected, or after an abort. */
  get closed(): boolean {
    return this.#closing !== undefined || this.#isOver || this.#writable.destroyed || this.#signal?.aborted === true;
  }

  /**
   * Takes a frame. Returns a promise when there is no room for more: await it before the next frame. Throws or rejects
   * with `cancelled` when the stream has no reader any more.
   */
  write(frame: string): Promise<void> | undefined {
    if (this.#frames.length > mostWaitingLength) this.#writable.destroy();
    if (this.closed) throw this.#cancelled();

    this.#frames += frame;
    if (this.#frames.length >= batchLength) this.#flush();
    else this.#flushSoon();
    return this.#isFull ? this.#room() : undefined;
  }

  /** Sends the remaining frames and ends the stream. Resolves when all is sent or the reader is gone. Always call it at the end. */
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
    // After the promises of this tick: the chunks of one read from a vendor become one write.
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

  // Not while the reader is behind, where heartbeats would pile up before the frames.
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
