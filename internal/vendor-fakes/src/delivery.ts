import type { ServerResponse } from "node:http";
import { setImmediate as nextTurn, setTimeout as sleep } from "node:timers/promises";
import { cutInPieces } from "./cut-in-pieces.ts";
import type { VendorReply } from "./dialect.ts";

/** Where in an answer something happens: before its head is sent, or once so many bytes of its body are. */
export type Moment = "before-headers" | { afterBytes: number };

/** What goes wrong: `cut` closes the connection properly, `reset` does not, `hang` goes silent and keeps it open. */
export type Fault = { kind: "cut" | "reset" | "hang"; at: Moment };

/** How an answer is sent, and what goes wrong with it. */
export type Delivery = {
  /** How long the vendor takes before it answers. */
  delayMs?: number;
  /** Cuts the body into pieces of so many bytes. */
  pieceBytes?: number;
  /** Cuts the body at these places. */
  splitAt?: readonly number[];
  /** How long it takes between two pieces. */
  pieceDelayMs?: number;
  fault?: Fault;
};

/** What came of sending an answer: all of it went out, its fault struck, or the client went first. */
export type Delivered = "sent" | "struck" | "left";

/** Sends an answer as planned. The client may leave at any time, which ends every wait. */
export async function deliver(response: ServerResponse, reply: VendorReply, delivery: Delivery): Promise<Delivered> {
  const gone = new AbortController();
  response.once("close", () => gone.abort());
  try {
    await pause(delivery.delayMs, gone.signal);
    if (delivery.fault?.at !== "before-headers") await sendBody(response, reply, { ...delivery, signal: gone.signal });
  } catch {
    return "left";
  }
  if (delivery.fault === undefined) response.end();
  else strike(response, delivery.fault);
  return delivery.fault === undefined ? "sent" : "struck";
}

async function sendBody(
  response: ServerResponse,
  reply: VendorReply,
  { signal, ...delivery }: Delivery & { signal: AbortSignal },
): Promise<void> {
  response.writeHead(reply.status, reply.headers);
  response.flushHeaders();
  for (const [index, piece] of cutInPieces(reply.frames, { ...delivery, lastByte: lastByteOf(delivery) }).entries()) {
    if (index > 0) await pause(delivery.pieceDelayMs, signal);
    await write(response, piece);
    // A turn of the event loop, so that the client's socket reads each piece by itself.
    await nextTurn(undefined, { signal });
  }
}

function lastByteOf({ fault }: Delivery): number {
  return fault === undefined || fault.at === "before-headers" ? Infinity : fault.at.afterBytes;
}

async function pause(ms: number | undefined, signal: AbortSignal): Promise<void> {
  if (ms !== undefined) await sleep(ms, undefined, { signal });
}

/** Waits until the bytes have left, so that a slow reader slows the vendor. */
async function write(response: ServerResponse, piece: Uint8Array): Promise<void> {
  await new Promise<void>((resolve) => {
    const goOn = (): void => {
      response.off("close", goOn);
      resolve();
    };
    response.once("close", goOn);
    response.write(piece, goOn);
  });
}

function strike(response: ServerResponse, { kind }: Fault): void {
  if (kind === "cut") response.socket?.destroySoon();
  if (kind === "reset") response.socket?.resetAndDestroy();
}
