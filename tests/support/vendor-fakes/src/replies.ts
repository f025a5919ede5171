import type { VendorFailure, VendorReply } from "./dialect.ts";

/** Returns a reply of one JSON document. */
export function jsonReply(body: unknown, status = 200, headers: Record<string, string> = {}): VendorReply {
  return { status, headers: { "content-type": "application/json", ...headers }, frames: [JSON.stringify(body)] };
}

/** Returns the `retry-after` header of a failure, if it has one. */
export function retryAfterOf({ retryAfterSeconds }: VendorFailure): Record<string, string> {
  return retryAfterSeconds === undefined ? {} : { "retry-after": String(retryAfterSeconds) };
}

/** Returns a reply of server-sent events, one per frame. The last `endFrames` of them only end the answer. */
export function sseReply(frames: string[], endFrames: number): VendorReply {
  return { status: 200, headers: { "content-type": "text/event-stream; charset=utf-8" }, frames, endFrames };
}

/** Returns an event without a name. */
export function dataFrame(data: unknown): string {
  return `data: ${JSON.stringify(data)}\n\n`;
}

/** Returns an event whose name is the `type` of its data. */
export function namedFrame(data: { type: string; [field: string]: unknown }): string {
  return `event: ${data.type}\n${dataFrame(data)}`;
}
