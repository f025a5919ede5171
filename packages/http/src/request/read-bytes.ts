import { TroupeError } from "@troupe/core";
import type { Request } from "express";

/** Reads a request's body whole, and stops as soon as it is longer than it may be. */
export async function readBytes(request: Request, maxBytes: number): Promise<Buffer> {
  if (Number(request.headers["content-length"] ?? 0) > maxBytes) throw tooLong(maxBytes);
  // Somebody before us has read it, or the client has left: nothing would ever be heard of it.
  if (request.readableEnded || request.destroyed) return Buffer.alloc(0);
  return await new Promise((resolve, reject) => {
    const pieces: Buffer[] = [];
    let length = 0;
    const take = (piece: Buffer | string): void => {
      // Text, when the host has called setEncoding.
      const bytes = typeof piece === "string" ? Buffer.from(piece) : piece;
      length += bytes.length;
      if (length > maxBytes) fail(tooLong(maxBytes));
      else pieces.push(bytes);
    };
    const finish = (): void => {
      forget();
      resolve(pieces.length === 1 && pieces[0] !== undefined ? pieces[0] : Buffer.concat(pieces, length));
    };
    const fail = (error: TroupeError): void => {
      forget();
      request.pause();
      reject(error);
    };
    const breakOff = (): void => fail(brokenOff());
    const forget = (): void => {
      request.off("data", take).off("end", finish).off("error", breakOff).off("close", breakOff);
    };
    request.on("data", take).on("end", finish).on("error", breakOff).on("close", breakOff);
  });
}

function tooLong(maxBytes: number): TroupeError {
  return new TroupeError("payload_too_large", `The body must have at most ${maxBytes} bytes.`);
}

function brokenOff(): TroupeError {
  return new TroupeError("cancelled", "The body broke off: the client left before its end.");
}
