import { pipeline } from "node:stream/promises";
import type { TurnPart } from "@troupe/core";
import type { Response } from "express";

const typePattern = /^[\w.+-]+\/[\w.+-]+$/;

/**
 * Sends the bytes of a part as they are read from the storage, as fast as the client takes them. It is sent as a
 * download: a browser must not show on this origin what a client uploaded or a model made.
 */
export async function sendPart(response: Response, part: TurnPart): Promise<void> {
  const { mimeType, filename, bytes } = part;
  const pieces = part.pieces[Symbol.asyncIterator]();
  // Before the head: what cannot be read is an error with a status.
  const first = await pieces.next();
  response.writeHead(200, {
    "Content-Type": typePattern.test(mimeType) ? mimeType : "application/octet-stream",
    "Content-Length": bytes,
    "Content-Disposition": dispositionOf(filename),
    "X-Content-Type-Options": "nosniff",
    "Content-Security-Policy": "sandbox; default-src 'none'",
    "Cache-Control": "no-store",
  });
  try {
    if (response.req.method === "HEAD") response.end();
    else
      await pipeline(async function* () {
        for (let step = first; step.done !== true; step = await pieces.next()) yield step.value;
      }, response);
  } catch (error) {
    if (response.destroyed && !response.errored) return;
    throw error;
  } finally {
    await pieces.return?.();
  }
}

/** The name in UTF-8, encoded as RFC 8187 has it. */
function dispositionOf(filename: string | undefined): string {
  if (filename === undefined) return "attachment";
  const encoded = encodeURIComponent(filename.toWellFormed()).replaceAll(/['()*]/g, (sign) => {
    return `%${sign.charCodeAt(0).toString(16).toUpperCase()}`;
  });
  return `attachment; filename*=UTF-8''${encoded}`;
}
