import type { Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import type { Direction, FaultSwitch } from "./proxy-faults.ts";
import type { FlowFaults } from "./proxy-faults.ts";

/** Bytes and writes that were passed on in one direction. */
export type FlowCount = { bytes: number; writes: number };

/** Reason for the end of a flow: its sender ended, or a fault cut or reset it. */
export type FlowEnd = "ended" | "cut" | "reset";

type FlowParts = {
  source: Socket;
  sink: Socket;
  direction: Direction;
  faults: FaultSwitch;
  /** Aborted when the connection is over. */
  signal: AbortSignal;
  onEnd: (end: FlowEnd) => void;
};

/**
 * Passes on one direction of a connection with the current faults. The source is paused while data is in flight, so
 * that backpressure of the reader reaches the writer.
 */
export class Flow {
  readonly count: FlowCount = { bytes: 0, writes: 0 };
  readonly #parts: FlowParts;

  constructor(parts: FlowParts) {
    this.#parts = parts;
    const { source } = parts;
    source.on("data", (piece: Buffer) => {
      source.pause();
      this.#guard(async () => {
        await this.#carry(piece);
        source.resume();
      });
    });
    source.once("end", () => this.#guard(async () => await this.#finish()));
  }

  /** Ignores the rejection of a wait that ended with the connection. */
  #guard(work: () => Promise<void>): void {
    work().catch((error: unknown) => {
      if (!this.#parts.signal.aborted) throw error;
    });
  }

  async #carry(piece: Buffer): Promise<void> {
    const { direction, faults, signal } = this.#parts;
    const { latencyMs = 0 } = faults.of(direction);
    if (latencyMs > 0) await sleep(latencyMs, undefined, { signal });
    let rest = piece;
    do {
      const now = await faults.lifted(direction, ["blackHole"], signal);
      const slice = rest.subarray(0, Math.min(now.sliceBytes ?? rest.length, this.#room(now)));
      if (slice.length > 0) await this.#write(slice, now);
      const end = this.#faultAfter(now);
      if (end !== undefined) return this.#parts.onEnd(end);
      rest = rest.subarray(slice.length);
    } while (rest.length > 0);
  }

  async #finish(): Promise<void> {
    await this.#parts.faults.lifted(this.#parts.direction, ["blackHole", "halfOpen"], this.#parts.signal);
    this.#parts.onEnd("ended");
  }

  /** Resolves when the bytes are written. Throws if the connection ends first. */
  async #write(slice: Buffer, { bytesPerSecond }: FlowFaults): Promise<void> {
    const { sink, signal } = this.#parts;
    await new Promise<void>((resolve) => sink.write(slice, () => resolve()));
    signal.throwIfAborted();
    this.count.bytes += slice.length;
    this.count.writes += 1;
    if (bytesPerSecond !== undefined) await sleep((slice.length / bytesPerSecond) * 1000, undefined, { signal });
  }

  #room({ cutAfterBytes = Infinity, resetAfterBytes = Infinity }: FlowFaults): number {
    return Math.max(0, Math.min(cutAfterBytes, resetAfterBytes) - this.count.bytes);
  }

  #faultAfter(faults: FlowFaults): FlowEnd | undefined {
    if (this.#room(faults) > 0) return undefined;
    return this.count.bytes >= (faults.resetAfterBytes ?? Infinity) ? "reset" : "cut";
  }
}
