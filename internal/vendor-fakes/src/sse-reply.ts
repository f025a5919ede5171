import type { VendorReply } from "./dialect.ts";

/** A reply of server-sent events, one frame each. `endFrames` of them only say that the answer is over. */
export function sseReply(frames: string[], endFrames: number): VendorReply {
  return { status: 200, headers: { "content-type": "text/event-stream; charset=utf-8" }, frames, endFrames };
}

/** One event without a name. */
export function dataFrame(data: unknown): string {
  return `data: ${JSON.stringify(data)}\n\n`;
}

/** One event whose name stands in its data too. */
export function namedFrame(data: { type: string; [field: string]: unknown }): string {
  return `event: ${data.type}\n${dataFrame(data)}`;
}
