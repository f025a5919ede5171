import { getOwn } from "../util/get-own.ts";
import { readProperty } from "../util/read-property.ts";
import { causesOf } from "./causes-of.ts";

/** Other names of the two failures that count as transient. */
const aliases: Readonly<Record<string, string>> = {
  EPIPE: "ECONNRESET",
  UND_ERR_SOCKET: "ECONNRESET",
  UND_ERR_CONNECT_TIMEOUT: "ETIMEDOUT",
  UND_ERR_HEADERS_TIMEOUT: "ETIMEDOUT",
  UND_ERR_BODY_TIMEOUT: "ETIMEDOUT",
};

/**
 * The code of the system or network failure behind an error, like `ECONNRESET`. `fetch` and vendor libraries hide it some
 * causes deep. The codes of closed sockets and of undici's timeouts are given as `ECONNRESET` and `ETIMEDOUT`.
 */
export function findErrorCode(error: unknown): string | undefined {
  for (const cause of causesOf(error)) {
    const code = systemCode(readProperty(cause, "networkCode")) ?? systemCode(readProperty(cause, "code"));
    if (code !== undefined) return getOwn(aliases, code) ?? code;
  }
  return undefined;
}

function systemCode(code: unknown): string | undefined {
  // A DOMException has a number here, a vendor's error a word of its own, and Node's `ERR_…` are mistakes in the program.
  return typeof code === "string" && /^(?:E(?!RR_)[A-Z\d_]+|UND_ERR_[A-Z_]+)$/.test(code) ? code : undefined;
}
