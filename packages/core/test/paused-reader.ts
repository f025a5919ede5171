import { Writable } from "node:stream";
import { expect } from "vitest";
import { SseWriter } from "../src/provider/wire/sse-writer.ts";
import type { SseWriterOptions } from "../src/provider/wire/sse-writer.ts";

/** A reader that takes nothing until it is told to. */
export class PausedReader extends Writable {
  readonly writes: string[] = [];
  #taken = (): void => {};

  constructor(highWaterMark = 1) {
    super({ highWaterMark, decodeStrings: false });
  }

  override _write(frames: string, _: BufferEncoding, taken: () => void): void {
    this.writes.push(frames);
    this.#taken = taken;
  }

  /** Takes what was written last. */
  async take(): Promise<void> {
    this.#taken();
    await turn();
  }
}

/** Lets all that is due happen: promises, ticks and events. */
export const turn = () => new Promise((resolve) => setImmediate(resolve));

/** A writer whose reader is behind: the first frame is on its way, and there is no room. */
export async function fullWriter(options: SseWriterOptions = {}) {
  const reader = new PausedReader();
  const writer = new SseWriter(reader, options);
  await writer.write("first ");
  await turn();
  return { reader, writer };
}

/** The error of a frame that has no reader any more. */
export const cancelled: unknown = expect.objectContaining({
  code: "cancelled",
  message: "The stream has no reader any more: the reader disconnected, or the stream was closed or aborted.",
});
