import { getOwn } from "../util/get-own.ts";
import { readProperty } from "../util/read-property.ts";
import { causesOf } from "./causes-of.ts";

/** Error codes of lost connections and timeouts, each with the system code that is returned instead. */
const aliases: Readonly<Record<string, string>> = {
  EPIPE: "ECONNRESET",
  UND_ERR_SOCKET: "ECONNRESET",
  UND_ERR_PRX_CONN: "ECONNRESET",
  UND_ERR_CONNECT_TIMEOUT: "ETIMEDOUT",
  UND_ERR_HEADERS_TIMEOUT: "ETIMEDOUT",
  UND_ERR_BODY_TIMEOUT: "ETIMEDOUT",
};

/**
 * Returns the first code of a system or network failure in an error's chain of causes, such as `ECONNRESET`, or
 * `undefined`. The codes of closed sockets and of undici's timeouts are returned as `ECONNRESET` and `ETIMEDOUT`.
 */
export function findErrorCode(error: unknown): string | undefined {
  for (const cause of causesOf(error)) {
    const code = systemCode(readProperty(cause, "networkCode")) ?? systemCode(readProperty(cause, "code"));
    if (code !== undefined) return getOwn(aliases, code) ?? code;
  }
  return undefined;
}

function systemCode(code: unknown): string | undefined {
  // The pattern of system codes excludes the number of a DOMException and the code of a vendor. It also excludes Node's
  // `ERR_…` codes, which are errors in the program.
  return typeof code === "string" && /^(?:E(?!RR_)[A-Z\d_]+|UND_ERR_[A-Z_]+)$/.test(code) ? code : undefined;
}
