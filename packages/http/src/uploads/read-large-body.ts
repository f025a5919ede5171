import { TroupeError } from "@troupe/core";
import type { Request } from "express";
import type { Exchange } from "../exchange/exchange.ts";
import type { ByteSemaphore } from "./byte-semaphore.ts";
import { MemoryBudget, SpooledFile } from "./uploaded-file.ts";
import { TextMeter } from "./text-meter.ts";

/** Limits of a JSON body that may have files in it, and the memory that such bodies share. */
export type LargeBodyRules = {
  /** Bytes of the whole body. */
  readonly maxBytes: number;
  /** Bytes of all but the data of its content parts. */
  readonly maxTextBytes: number;
  readonly memory: ByteSemaphore;
};

/**
 * Reads the bytes of a JSON body whose content parts may have large data. What exceeds `maxTextBytes` waits in a temporary
 * file until memory is free for all of it. Throws `payload_too_large`, as soon as it is certain, for too much text or too
 * much altogether.
 */
export async function readLargeBody(
  { request, response }: Pick<Exchange, "request" | "response">,
  rules: LargeBodyRules,
): Promise<Buffer> {
  if (Number(request.headers["content-length"] ?? 0) > rules.maxBytes) throw tooLong(rules);
  const file = new SpooledFile({ mimeType: "application/json" }, new MemoryBudget(rules.maxTextBytes));
  try {
    await spool(request, file, rules);
    if (file.size > rules.maxTextBytes) await rules.memory.acquire(file.size, response);
    if (response.closed) throw disconnected();
    return await file.read();
  } finally {
    await file.discard();
  }
}

async function spool(request: Request, file: SpooledFile, rules: LargeBodyRules): Promise<void> {
  const text = new TextMeter();
  try {
    // Not destroyed when a limit ends the loop: the answer goes out on the same connection.
    for await (const piece of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer | string>) {
      // A string if the host has called setEncoding.
      const bytes = typeof piece === "string" ? Buffer.from(piece) : piece;
      text.add(bytes);
      if (text.textBytes > rules.maxTextBytes) throw tooMuchText(rules);
      if (file.size + bytes.byteLength > rules.maxBytes) throw tooLong(rules);
      await file.append(bytes);
    }
  } catch (error) {
    throw request.destroyed && !request.complete ? disconnected() : error;
  }
}

function tooMuchText({ maxTextBytes }: LargeBodyRules): TroupeError {
  return new TroupeError(
    "payload_too_large",
    `The body must have at most ${maxTextBytes} bytes beside the data of its content parts. Shorten the text, or send it as a file.`,
  );
}

function tooLong({ maxBytes }: LargeBodyRules): TroupeError {
  return new TroupeError(
    "payload_too_large",
    `The body must have at most ${maxBytes} bytes. Send fewer or smaller files.`,
  );
}

function disconnected(): TroupeError {
  return new TroupeError("cancelled", "The client disconnected before the end of the body.");
}
