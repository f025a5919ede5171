import type { Writable } from "node:stream";
import { TroupeError } from "../errors/troupe-error.ts";
import { encodeSseComment } from "./encode-sse.ts";
import { positiveInteger } from "./positive-integer.ts";

/** At whose pace, and for how long, frames are written. */
export interface SseWriterOptions {
  /** Ends the writing: writers that wait get `cancelled` at once, and no frame is taken any more. */
  signal?: AbortSignal;
  /** How often a comment is sent, unless the reader is behind. @default 15_000 */
  heartbeatMs?: number;
  /** How long a reader may take nothing before it counts as gone and its connection is destroyed. @default 30_000 */
  stallMs?: number;
}

/** Written without waiting for the end of the tick: what a tick gathers stays small against what a connection buffers. */
const batchLength = 16_384;

/** Only writers that do not wait when told to can gather this much for one reader. It is then dropped. */
const mostWaitingLength = 1_048_576;

const heartbeat = encodeSseComment("heartbeat");

/** Each of these means that nothing more goes out. */
const ends = ["finish", "close", "error"] as const;

interface Waiter {
  resolve: () => void;
  reject: (error: TroupeError) => void;
}

/**
 * Writes frames to one reader at the reader's pace. Frames of one tick leave in one write. Whether the reader is gone is
 * asked of the stream itself before each frame, so nobody waits for a `close` that has long fired.
 */
export class SseWriter {
  readonly #writable: Writable;
  readonly #signal: AbortSignal | undefined;
  readonly #stallMs: number;
  readonly #heartbeat: NodeJS.Timeout;
  readonly #over = Promise.withResolvers<void>();
  #stall: NodeJS.Timeout | undefined;
  #waiters: Waiter[] = [];
  #frames = "";
  #isFlushDue = false;
  #isFull = false;
  #isClosing = false;
  #isOver = false;

  constructor(writable: Writable, { signal, heartbeatMs = 15_000, stallMs = 30_000 }: SseWriterOptions = {}) {
    this.#writable = writable;
    this.#signal = signal;
    this.#stallMs = positiveInteger("stallMs", stallMs);
    this.#heartbeat = setInterval(this.#beat, positiveInteger("heartbeatMs", heartbeatMs)).unref();
    writable.on("drain", this.#resume);
    signal?.addEventListener("abort", this.#refuseWaiters);
    // By hand: what `finished` of node:stream holds for each stream is more than all the rest here.
    for (const event of ends) writable.on(event, this.#release);
    if (writable.destroyed || writable.writableFinished) process.nextTick(this.#release);
    if (writable.writableNeedDrain) this.#waitForDrain();
  }

  /** True when no more frames are taken: after `close`, once the reader has left, or after an abort. */
  get closed(): boolean {
    return this.#isClosing || this.#isOver || this.#writable.destroyed || this.#signal?.aborted === true;
  }

  /**
   * Takes a frame. Gives nothing when there is room for more, else a promise of room: await it before the next frame.
   * Throws or rejects with `cancelled` when nobody reads any more.
   */
  write(frame: string): Promise<void> | undefined {
    if (this.#frames.length > mostWaitingLength) this.#writable.destroy();
    if (this.closed) throw this.#cancelled();

    this.#frames += frame;
    if (this.#frames.length >= batchLength) this.#flush();
    else this.#flushSoon();
    return this.#isFull ? this.#room() : undefined;
  }

  /** Sends what was taken, ends the stream, and resolves when all is sent or the reader has left. Always call it in the end. */
  close(): Promise<void> {
    if (this.#isClosing) return this.#over.promise;
    this.#isClosing = true;
    if (this.#isOver || this.#writable.destroyed) return this.#over.promise;

    if (this.#frames !== "") this.#writable.write(this.#frames);
    this.#writable.end();
    this.#limitStall();
    for (const { resolve } of this.#waiters.splice(0)) resolve();
    return this.#over.promise;
  }

  #flushSoon(): void {
    if (this.#isFlushDue || this.#isFull) return;
    this.#isFlushDue = true;
    // Runs when the promises of this tick have run: what one read from a vendor brings leaves as one write.
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

  // Not while the reader is behind: heartbeats would only pile up before what it waits for.
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
    // A writer that does not wait must not take the process down when its reader leaves.
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
    this.#over.resolve();
  };

  readonly #refuseWaiters = (): void => {
    for (const { reject } of this.#waiters.splice(0)) reject(this.#cancelled());
  };

  #cancelled(): TroupeError {
    return new TroupeError(
      "cancelled",
      "Nobody reads the stream any more: its reader has left, or it was closed or aborted.",
      {
        cause: this.#signal?.reason,
      },
    );
  }
}
