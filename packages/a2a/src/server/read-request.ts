import { TroupeError } from "@troupe/core";
import type { Request } from "express";
import { A2AError } from "../wire/a2a-error.ts";

/** Returns the query of a request. */
export function queryOf({ url }: Request): URLSearchParams {
  const start = url.indexOf("?");
  return new URLSearchParams(start === -1 ? "" : url.slice(start));
}

/** Returns the version that a client asks for: by the header, else by the query. */
export function versionOf(request: Request): string | undefined {
  const sent = request.headers["a2a-version"];
  if (sent !== undefined) return String(sent);
  return request.url.includes("?") ? (queryOf(request).get("A2A-Version") ?? undefined) : undefined;
}

const types: ReadonlySet<string> = new Set(["application/json", "application/a2a+json"]);

/** Throws `content-type-not-supported` for a body that is not JSON in UTF-8, or is compressed: that may hide a large one. */
function checkType({ headers }: Request): void {
  const [type = "", ...parameters] = (headers["content-type"] ?? "")
    .split(";")
    .map((part) => part.trim().toLowerCase());
  const charset = parameters.find((parameter) => parameter.startsWith("charset="))?.slice("charset=".length);
  const hasUtf8 = charset === undefined || ["utf-8", '"utf-8"', "utf8"].includes(charset);
  const isPlain = (headers["content-encoding"] ?? "identity").toLowerCase() === "identity";
  if (types.has(type) && hasUtf8 && isPlain) return;
  throw new A2AError(
    "content-type-not-supported",
    "The body must be JSON in UTF-8, uncompressed. Send Content-Type: application/json.",
  );
}

/**
 * Reads the body of a request, and stops as soon as it is longer than allowed. What the host has parsed is written as JSON
 * again.
 */
export async function readBody(request: Request, maxBytes: number): Promise<string | Buffer> {
  checkType(request);
  const { body: parsed } = request as { body?: unknown };
  if (parsed !== undefined) return Buffer.isBuffer(parsed) || typeof parsed === "string" ? parsed : toText(parsed);
  if (Number(request.headers["content-length"] ?? 0) > maxBytes) throw tooLong(maxBytes);
  if (request.readableEnded || request.destroyed) return "";
  return await new Promise((resolve, reject) => {
    const pieces: Buffer[] = [];
    let length = 0;
    const settle = (error?: Error): void => {
      request.off("data", take).off("end", finish).off("error", leave).off("close", leave);
      if (error === undefined) return resolve(Buffer.concat(pieces, length));
      request.pause();
      reject(error);
    };
    const take = (piece: Buffer | string): void => {
      const bytes = Buffer.from(piece as string);
      length += bytes.length;
      if (length > maxBytes) settle(tooLong(maxBytes));
      else pieces.push(bytes);
    };
    const finish = (): void => settle();
    const leave = (): void => settle(new TroupeError("cancelled", "The client left before the end of the body."));
    request.on("data", take).on("end", finish).on("error", leave).on("close", leave);
  });
}

function toText(parsed: unknown): string {
  return JSON.stringify(parsed) ?? "";
}

function tooLong(maxBytes: number): TroupeError {
  return new TroupeError(
    "payload_too_large",
    `The body must have at most ${maxBytes} bytes. The option maxBodyBytes of the server sets this limit.`,
  );
}
