import { TroupeError } from "@troupe/core";
import type { Request } from "express";
import { parseBody } from "./parse-body.ts";
import { checkNesting } from "./check-nesting.ts";
import { readBytes } from "./read-bytes.ts";

/** An object that a client sent: nothing is known of it yet. */
export type Body = Readonly<Record<string, unknown>>;

/**
 * Reads the JSON object that a request carries, or gives nothing when it carries nothing. What the host has parsed already
 * is taken as it is. Compressed bodies are not taken: decoding is where a small request becomes a large one.
 */
export async function readBody(request: Request, maxBytes: number): Promise<Body | undefined> {
  if (!hasBody(request)) return undefined;
  checkType(request.headers["content-type"]);
  const parsed: unknown = request.body ?? (await readJson(request, maxBytes));
  if (parsed === undefined) return undefined;
  if (typeof parsed !== "object" || parsed === null || Array.isArray(parsed)) {
    throw new TroupeError("invalid_request", 'The body must be a JSON object, like {"input": "Hello"}.');
  }
  checkNesting(parsed);
  return parsed as Body;
}

async function readJson(request: Request, maxBytes: number): Promise<unknown> {
  const encoding = request.headers["content-encoding"] ?? "identity";
  if (encoding.toLowerCase() !== "identity") {
    throw new TroupeError("unsupported_media_type", "The body must be sent uncompressed, without a Content-Encoding.");
  }
  const bytes = await readBytes(request, maxBytes);
  return bytes.length === 0 ? undefined : parseBody(bytes);
}

function hasBody({ headers }: Request): boolean {
  return headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0;
}

function checkType(header: string | undefined): void {
  const [type = "", ...parameters] = (header ?? "")
    .toLowerCase()
    .split(";")
    .map((part) => part.trim());
  const charset = parameters.find((parameter) => parameter.startsWith("charset="))?.slice("charset=".length);
  const isUtf8 = charset === undefined || ["utf-8", '"utf-8"', "utf8"].includes(charset);
  if (type === "application/json" && isUtf8) return;
  throw new TroupeError(
    "unsupported_media_type",
    "The body must be JSON in UTF-8: send Content-Type: application/json.",
  );
}
