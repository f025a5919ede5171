import { isUtf8 } from "node:buffer";
import type { IncomingHttpHeaders } from "node:http";
import type { Readable } from "node:stream";
import { TroupeError } from "../../base/errors/troupe-error.ts";
import { readClientObject } from "../request/run-fields.ts";

/** The part of an exchange (an HTTP request and its answer) that contains the request's body. */
type SentBody = {
  readonly headers: IncomingHttpHeaders;
  readonly hasBody: boolean;
  readonly body: Readable;
  readonly parsedBody: unknown;
};

/** The rule for a body: its maximum size, its media types, and optionally a function that reads larger bodies. */
export type BodyRule = {
  readonly maxBytes: number;
  /** The accepted media types. @default "application/json" */
  readonly types?: readonly string[] | "any" | undefined;
  /** Reads a body that may be longer than `maxBytes`. @default longer bodies are rejected */
  readonly readLarge?: (() => Promise<Buffer>) | undefined;
};

const jsonTypes = ["application/json"];

/**
 * Reads the JSON object of a request, or returns undefined if it has no body. Uses the value that the host has
 * already parsed, if any. Throws if the body is not a JSON object, too large, too deeply nested, or compressed: a
 * small compressed body can expand to a huge size.
 */
export async function readJsonObject(
  exchange: SentBody,
  rule: BodyRule,
): Promise<Readonly<Record<string, unknown>> | undefined> {
  if (!exchange.hasBody) return undefined;
  checkType(exchange, rule);
  const parsed = exchange.parsedBody ?? (await readJson(exchange, rule));
  if (parsed === undefined) return undefined;
  return readClientObject(parsed);
}

/**
 * Reads the bytes of a body. A body that the host has parsed is converted to JSON again, without checking its size.
 * Throws if the body is too large, compressed, or of another type.
 */
export async function readBytes(exchange: SentBody, rule: BodyRule): Promise<Buffer> {
  const { headers, body, parsedBody } = exchange;
  checkType(exchange, rule);
  if (parsedBody === undefined) return await takeBytes(body, Number(headers["content-length"]), rule.maxBytes);
  if (Buffer.isBuffer(parsedBody)) return parsedBody;
  return Buffer.from(typeof parsedBody === "string" ? parsedBody : (JSON.stringify(parsedBody) ?? ""));
}

function checkType({ headers, parsedBody }: SentBody, { types = jsonTypes }: BodyRule): void {
  const header = headers["content-type"];
  // Fast path: almost every client sends the media type as exactly `application/json`.
  if (types !== "any" && !(header === "application/json" && types === jsonTypes)) checkMediaType(header ?? "", types);
  // A body that the host has parsed is already decompressed.
  if (parsedBody === undefined && (headers["content-encoding"] ?? "identity").toLowerCase() !== "identity") {
    throw unsupported("The body must be sent uncompressed, without a Content-Encoding.");
  }
}

function checkMediaType(header: string, types: readonly string[]): void {
  const [type = "", ...parameters] = header
    .toLowerCase()
    .split(";")
    .map((part) => part.trim());
  const charset = parameters.find((parameter) => parameter.startsWith("charset="))?.slice("charset=".length);
  const hasUtf8 = charset === undefined || ["utf-8", '"utf-8"', "utf8"].includes(charset);
  if (types.includes(type) && hasUtf8) return;
  throw unsupported("The body must be JSON in UTF-8. Send Content-Type: application/json.");
}

async function readJson({ headers, body }: SentBody, { maxBytes, readLarge }: BodyRule): Promise<unknown> {
  // A body without a content length may turn out to be large.
  const length = Number(headers["content-length"]);
  const isSmall = length <= maxBytes;
  const bytes = readLarge === undefined || isSmall ? await takeBytes(body, length, maxBytes) : await readLarge();
  return bytes.length === 0 ? undefined : parseBody(bytes);
}

/** Reads the bytes of a body, and stops as soon as they exceed the limit. */
async function takeBytes(body: Readable, announced: number, maxBytes: number): Promise<Buffer> {
  if (announced > maxBytes) throw tooLong(maxBytes);
  // No further event would arrive: the host has already read the body, or the client has disconnected.
  if (body.readableEnded || body.destroyed) return Buffer.alloc(0);
  return await new Promise((resolve, reject) => {
    const pieces: Buffer[] = [];
    let length = 0;
    const take = (piece: Buffer | string): void => {
      // The piece is a string if the host has called `setEncoding`.
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
      body.pause();
      reject(error);
    };
    const breakOff = (): void => {
      fail(new TroupeError("cancelled", "The client disconnected before the end of the body."));
    };
    const stopListening = (): void => {
      body.off("data", take).off("end", finish).off("error", breakOff).off("close", breakOff);
    };
    body.on("data", take).on("end", finish).on("error", breakOff).on("close", breakOff);
  });
}

function parseBody(bytes: Buffer): unknown {
  if (!isUtf8(bytes)) throw invalid("The body is not valid UTF-8.");
  const text = bytes.toString("utf8");
  const json = text.startsWith("\u{feff}") ? text.slice(1) : text;
  try {
    return JSON.parse(json);
  } catch (error) {
    // V8's error is not set as the cause, because its message may quote the body, which may contain a key.
    throw invalid(`The body is not valid JSON: ${placeOf(error as SyntaxError, json.length)}.`);
  }
}

/** Returns the line and column of a JSON error if V8's message contains them. Other messages of V8 quote the body. */
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
