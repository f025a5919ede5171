import type { ServerResponse } from "node:http";
import { setImmediate as nextIteration, setTimeout as sleep } from "node:timers/promises";
import type { VendorReply } from "./dialect.ts";

/** A place in an answer: before its head, or after a number of bytes of its body. */
type Moment = "before-headers" | { afterBytes: number };

/** A fault of the connection: `cut` closes it, `reset` resets it, `hang` keeps it open and sends nothing more. */
export type Fault = { kind: "cut" | "reset" | "hang"; at: Moment };

/** Timing, pieces and fault of an answer. */
export type Delivery = {
  /** Milliseconds before the answer. */
  delayMs?: number;
  /** Size of the pieces of the body in bytes. */
  pieceBytes?: number;
  /** Offsets in bytes at which the body is cut. */
  splitAt?: readonly number[];
  /** Milliseconds between two pieces. */
  pieceDelayMs?: number;
  /** Milliseconds between the last piece and the end of the answer. */
  endDelayMs?: number;
  fault?: Fault;
};

/** Outcome of sending an answer: all of it was sent, its fault was applied, or the client left first. */
export type Delivered = "sent" | "broken" | "abandoned";

/** A delivery, and a function that is called when the head of the answer was sent. */
type ToldDelivery = Delivery & { onBegin?: (() => void) | undefined };

/** Sends an answer. A disconnected client ends every wait. */
export async function deliver(
  response: ServerResponse,
  reply: VendorReply,
  delivery: ToldDelivery,
): Promise<Delivered> {
  const gone = new AbortController();
  response.once("close", () => gone.abort());
  try {
    await pause(delivery.delayMs, gone.signal);
    if (delivery.fault?.at !== "before-headers") await sendBody(response, reply, { ...delivery, signal: gone.signal });
    await pause(delivery.endDelayMs, gone.signal);
  } catch {
    return "abandoned";
  }
  if (delivery.fault === undefined) response.end();
  else applyFault(response, delivery.fault);
  return delivery.fault === undefined ? "sent" : "broken";
}

async function sendBody(
  response: ServerResponse,
  reply: VendorReply,
  { signal, onBegin, ...delivery }: ToldDelivery & { signal: AbortSignal },
): Promise<void> {
  response.writeHead(reply.status, reply.headers);
  response.flushHeaders();
  onBegin?.();
  for (const [index, piece] of cutInPieces(reply.frames, { ...delivery, lastByte: lastByteOf(delivery) }).entries()) {
    if (index > 0) await pause(delivery.pieceDelayMs, signal);
    await write(response, piece);
    // One iteration of the event loop, so that the client's socket reads each piece by itself.
    await nextIteration(undefined, { signal });
  }
}

function lastByteOf({ fault }: Delivery): number {
  return fault === undefined || fault.at === "before-headers" ? Infinity : fault.at.afterBytes;
}

async function pause(ms: number | undefined, signal: AbortSignal): Promise<void> {
  if (ms !== undefined) await sleep(ms, undefined, { signal });
}

/** Waits until the bytes are written, so that a slow reader causes backpressure. */
async function write(response: ServerResponse, piece: Uint8Array): Promise<void> {
  await new Promise<void>((resolve) => {
    const finish = (): void => {
      response.off("close", finish);
      resolve();
    };
    response.once("close", finish);
    response.write(piece, finish);
  });
}

function applyFault(response: ServerResponse, { kind }: Fault): void {
  if (kind === "cut") response.socket?.destroySoon();
  if (kind === "reset") response.socket?.resetAndDestroy();
}

/** The indexes at which a body is cut: given offsets, or pieces of one size, and after the last byte to send. */
type Cuts = { splitAt?: readonly number[]; pieceBytes?: number; lastByte: number };

/** Cuts a body into the pieces in which it is sent: by default one per frame. */
export function cutInPieces(frames: readonly (string | Uint8Array)[], cuts: Cuts): Uint8Array[] {
  const framed = frames.map((frame) => (typeof frame === "string" ? Buffer.from(frame) : frame));
  const body = Buffer.concat(framed);
  const end = Math.min(cuts.lastByte, body.length);
  const edges = [0, ...edgesOf(framed, cuts), end].filter((edge) => edge >= 0 && edge <= end);
  const sorted = [...new Set(edges)].toSorted((one, other) => one - other);
  return sorted.slice(1).map((edge, index) => body.subarray(sorted[index], edge));
}

function edgesOf(framed: readonly Uint8Array[], { splitAt, pieceBytes }: Cuts): readonly number[] {
  if (splitAt !== undefined) return splitAt;
  if (pieceBytes === undefined) return sums(framed.map((frame) => frame.length));
  const total = framed.reduce((length, frame) => length + frame.length, 0);
  return Array.from({ length: Math.ceil(total / pieceBytes) }, (_, index) => index * pieceBytes);
}

function sums(lengths: readonly number[]): number[] {
  let sum = 0;
  return lengths.map((length) => (sum += length));
}
