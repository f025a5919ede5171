import { TroupeError } from "@troupe/core";
import {
  createOriginCheck,
  isOriginOfHost,
  apiKeysInHeaders,
  readKeyHeaders,
  readRequestHost,
} from "@troupe/core/transport";
import type { Exchange, ParsedHost, Service } from "@troupe/core/transport";
import type { Caller } from "./call-tool.ts";

/**
 * Makes the check that each request passes before its body is read. It is stricter than the check of the service.
 * Throws `forbidden` for a page whose origin is neither in `allowedOrigins` nor the service's own host. The service's
 * host only counts if it is in `allowedHosts` or is localhost.
 */
export function createSourceGuard({
  allowedHosts,
  allowedOrigins,
}: Pick<Service["settings"], "allowedHosts" | "allowedOrigins">): (
  exchange: Pick<Exchange, "url" | "headers">,
) => void {
  const isAllowedOrigin = createOriginCheck(allowedOrigins);
  return ({ url, headers }) => {
    const { origin } = headers;
    if (origin === undefined || isAllowedOrigin(origin)) return;
    const host = readRequestHost(url, headers.host);
    // Prevents DNS rebinding: an attacker's host name may resolve to this machine, and the attacker's page then has
    // that name as both its origin and its host. The service itself has checked that the host is in `allowedHosts`.
    if (isOriginOfHost(origin, host) && (allowedHosts !== undefined || isLoopback(host))) return;
    throw new TroupeError(
      "forbidden",
      "A page of another site sent this request. The option allowedOrigins lists the origins that may send it, and allowedHosts the hosts of the service.",
    );
  };
}

function isLoopback(host: ParsedHost | undefined): boolean {
  const name = host?.hostname ?? "";
  return name === "localhost" || name.endsWith(".localhost") || name === "[::1]" || /^127(\.\d+){3}$/.test(name);
}

/**
 * Reads the caller of an HTTP request: its user, keys, session id and address. Throws `invalid_request` for a key that
 * is malformed or sent twice.
 */
export function readCaller(
  exchange: Exchange,
  service: Pick<Service, "settings" | "addressOf">,
): Omit<Caller, "signal" | "answered"> {
  const { headers, principal, record } = exchange;
  const { genericApiKeyHeader } = service.settings;
  const session = headers["mcp-session-id"];
  return {
    source: exchange,
    record,
    opts: { ...readKeyHeaders(headers, { genericApiKeyHeader }), ...principal },
    secrets: [...apiKeysInHeaders(headers), headers.authorization],
    address: service.addressOf(exchange),
    ...(typeof session === "string" && { session }),
  };
}
