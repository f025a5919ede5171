import type { Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { TurnPart } from "@troupe/core";
import type { Exchange } from "@troupe/core/transport";

const typePattern = /^[\w.+-]+\/[\w.+-]+$/;

/**
 * Sends the bytes of a part of a turn as they are read from the storage, no faster than the client takes them. They are
 * sent as a download, because a browser must not show content of clients or models on this origin.
 */
export async function sendPart(
  exchange: Pick<Exchange, "method" | "send" | "openStream">,
  part: TurnPart,
): Promise<void> {
  const { mimeType, filename, bytes } = part;
  const pieces = part.pieces[Symbol.asyncIterator]();
  // The first piece is read before the head is sent, so that an unreadable part can be answered with an error status.
  const first = await pieces.next();
  const headers = {
    "Content-Type": typePattern.test(mimeType) ? mimeType : "application/octet-stream",
    "Content-Length": bytes,
    "Content-Disposition": dispositionOf(filename),
    "X-Content-Type-Options": "nosniff",
    "Content-Security-Policy": "sandbox; default-src 'none'",
    "Cache-Control": "no-store",
  };
  let stream: Writable | undefined;
  try {
    if (exchange.method === "HEAD") return exchange.send(200, headers);
    stream = exchange.openStream(200, headers);
    await pipeline(async function* () {
      for (let step = first; step.done !== true; step = await pieces.next()) yield step.value;
    }, stream);
  } catch (error) {
    if (stream?.destroyed === true && !stream.errored) return;
    throw error;
  } finally {
    await pieces.return?.();
  }
}

/** Returns the `Content-Disposition` header, with the file name in UTF-8, encoded by RFC 8187. */
function dispositionOf(filename: string | undefined): string {
  if (filename === undefined) return "attachment";
  const encoded = encodeURIComponent(filename.toWellFormed()).replaceAll(/['()*]/g, (sign) => {
    return `%${sign.charCodeAt(0).toString(16).toUpperCase()}`;
  });
  return `attachment; filename*=UTF-8''${encoded}`;
}
