import { TroupeError } from "@troupe/core";
import type { Exchange } from "@troupe/core/transport";
import type { ByteSemaphore, HoldingExchange } from "./byte-semaphore.ts";
import { MemoryBudget, SpooledFile } from "./uploaded-file.ts";
import { TextMeter } from "./text-meter.ts";

/**
 * The part of an exchange (an HTTP request and its answer) that has a large body and determines how long its bytes are
 * held.
 */
export type LargeExchange = HoldingExchange & Pick<Exchange, "headers" | "body" | "isBodyComplete">;

/** Limits of a JSON body that may contain files, and the memory that such bodies share. */
export type LargeBodyRules = {
  /** Largest size of the whole body in bytes. */
  readonly maxBytes: number;
  /** Largest size in bytes of the body without the data of its content parts. */
  readonly maxTextBytes: number;
  readonly memory: ByteSemaphore;
};

/**
 * Reads the bytes of a JSON body whose content parts may have large data. A body of more than `maxTextBytes` stays in a
 * temporary file until enough memory is free for it. Throws `payload_too_large` as soon as the text of the body, or the
 * whole body, is too large.
 */
export async function readLargeBody(exchange: LargeExchange, rules: LargeBodyRules): Promise<Buffer> {
  if (Number(exchange.headers["content-length"] ?? 0) > rules.maxBytes) throw tooLong(rules);
  const file = new SpooledFile({ mimeType: "application/json" }, new MemoryBudget(rules.maxTextBytes));
  try {
    await spool(exchange, file, rules);
    if (file.size > rules.maxTextBytes) await rules.memory.acquire(file.size, exchange);
    if (exchange.isClosed) throw disconnected();
    return await file.read();
  } finally {
    await file.discard();
  }
}

async function spool(exchange: LargeExchange, file: SpooledFile, rules: LargeBodyRules): Promise<void> {
  const text = new TextMeter();
  try {
    // The body is not destroyed if a limit ends the loop, because the answer is sent on the same connection.
    for await (const piece of exchange.body.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer | string>) {
      // The piece is a string if the host has called `setEncoding`.
      const bytes = typeof piece === "string" ? Buffer.from(piece) : piece;
      text.add(bytes);
      if (text.textBytes > rules.maxTextBytes) throw tooMuchText(rules);
      if (file.size + bytes.byteLength > rules.maxBytes) throw tooLong(rules);
      await file.append(bytes);
    }
  } catch (error) {
    throw exchange.body.destroyed && !exchange.isBodyComplete ? disconnected() : error;
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
