import { isUtf8 } from "node:buffer";
import { TroupeError } from "@troupe/core";
import { readSentObject } from "@troupe/core/transport";
import type { Request } from "express";

/** A JSON object that a client sent. Its fields are not checked yet. */
export type Body = Readonly<Record<string, unknown>>;

/** A limit for the size of a JSON body, and the function that reads the bytes of a larger one, where that is allowed. */
export type BodyLimit = { readonly maxBytes: number; readonly readLarge?: (() => Promise<Buffer>) | undefined };

/**
 * Reads the JSON object of a request, or returns undefined if it has none. A body that the host has parsed is not
 * parsed again. Throws if the body is not a JSON object, over the limit, nested too deep, or compressed: decoding turns
 * a small request into a large one.
 */
export async function readBody(request: Request, limit: BodyLimit): Promise<Body | undefined> {
  if (!hasBody(request)) return undefined;
  checkType(request.headers["content-type"]);
  const parsed: unknown = request.body ?? (await readJson(request, limit));
  if (parsed === undefined) return undefined;
  return readSentObject(parsed);
}

function hasBody({ headers }: Request): boolean {
  return headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0;
}

function checkType(header: string | undefined): void {
  // What nearly every client sends.
  if (header === "application/json") return;
  const [type = "", ...parameters] = (header ?? "")
    .toLowerCase()
    .split(";")
    .map((part) => part.trim());
  const charset = parameters.find((parameter) => parameter.startsWith("charset="))?.slice("charset=".length);
  const hasUtf8 = charset === undefined || ["utf-8", '"utf-8"', "utf8"].includes(charset);
  if (type === "application/json" && hasUtf8) return;
  throw unsupported("The body must be JSON in UTF-8. Send Content-Type: application/json.");
}

async function readJson(request: Request, { maxBytes, readLarge }: BodyLimit): Promise<unknown> {
  const encoding = request.headers["content-encoding"] ?? "identity";
  if (encoding.toLowerCase() !== "identity") {
    throw unsupported("The body must be sent uncompressed, without a Content-Encoding.");
  }
  // Without a length it may become large.
  const isSmall = Number(request.headers["content-length"]) <= maxBytes;
  const bytes = readLarge === undefined || isSmall ? await readBytes(request, maxBytes) : await readLarge();
  return bytes.length === 0 ? undefined : parseBody(bytes);
}

/** Reads the bytes of a body, and stops as soon as there are more than allowed. */
async function readBytes(request: Request, maxBytes: number): Promise<Buffer> {
  if (Number(request.headers["content-length"] ?? 0) > maxBytes) throw tooLong(maxBytes);
  // The host has read it already, or the client has disconnected: no event would ever come.
  if (request.readableEnded || request.destroyed) return Buffer.alloc(0);
  return await new Promise((resolve, reject) => {
    const pieces: Buffer[] = [];
    let length = 0;
    const take = (piece: Buffer | string): void => {
      // A string if the host has called setEncoding.
      const bytes = typeof piece === "string" ? Buffer.from(piece) : piece;
      length += bytes.length;
      if (length > maxBytes) fail(tooLong(maxBytes));
      else pieces.push(bytes);
    };
    const finish = (): void => {
      stopListening();
      resolve(pieces.length === 1 && pieces[0] !== undefined ? pieces[0] : Buffer.concat(pieces, length));
    };
    const fail = (error: TroupeError): void => {
      stopListening();
      request.pause();
      reject(error);
    };
    const breakOff = (): void => {
      fail(new TroupeError("cancelled", "The client disconnected before the end of the body."));
    };
    const stopListening = (): void => {
      request.off("data", take).off("end", finish).off("error", breakOff).off("close", breakOff);
    };
    request.on("data", take).on("end", finish).on("error", breakOff).on("close", breakOff);
  });
}

function parseBody(bytes: Buffer): unknown {
  if (!isUtf8(bytes)) throw invalid("The body is not valid UTF-8.");
  const text = bytes.toString("utf8");
  const json = text.startsWith("\u{feff}") ? text.slice(1) : text;
  try {
    return JSON.parse(json);
  } catch (error) {
    // Not as the cause: V8's message may quote the body, which may hold a key.
    throw invalid(`The body is not valid JSON: ${placeOf(error as SyntaxError, json.length)}.`);
  }
}

/** Returns the line and column at which JSON breaks, where V8's message has them. Its other messages quote the body. */
function placeOf({ message }: SyntaxError, length: number): string {
  const [, position, line, column] = /at position (\d+) \(line (\d+) column (\d+)\)$/.exec(message) ?? [];
  if (message === "Unexpected end of JSON input" || Number(position) === length) return "it ends too early";
  return line === undefined ? "it has an unexpected token" : `it breaks at line ${line}, column ${column}`;
}

function invalid(message: string): TroupeError {
  return new TroupeError("invalid_request", message);
}

function unsupported(message: string): TroupeError {
  return new TroupeError("unsupported_media_type", message);
}

function tooLong(maxBytes: number): TroupeError {
  return new TroupeError(
    "payload_too_large",
    `The body must have at most ${maxBytes} bytes. The option maxBodyBytes of the service sets this limit.`,
  );
}
