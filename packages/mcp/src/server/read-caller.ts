import { TroupeError } from "@troupe/core";
import { keyHeaders } from "@troupe/core";
import {
  createOriginCheck,
  isOriginOf,
  readKeyHeaders,
  readPrincipal,
  readRemoteAddress,
  readRequestHost,
  SourceGuard,
} from "@troupe/core/transport";
import type { HostName, RequestSourceOptions } from "@troupe/core/transport";
import type { McpRequest } from "./answer-request.ts";
import type { Caller } from "./call-tool.ts";
import type { McpServerSettings } from "./mcp-server-options.ts";

/**
 * Makes the check of each request before its body is read. It throws `forbidden` for a host that is not in `allowedHosts`,
 * and for a page that is neither of an origin in `allowedOrigins` nor of the service itself.
 */
export function createSourceGuard({
  allowedHosts,
  allowedOrigins,
}: RequestSourceOptions): (request: McpRequest) => void {
  const guard = new SourceGuard({ allowedHosts });
  const isAllowedOrigin = createOriginCheck(allowedOrigins);
  return (request) => {
    guard.checkHost(request);
    const { originalUrl, url = "", headers } = request;
    const { origin } = headers;
    if (origin === undefined || isAllowedOrigin(origin)) return;
    const host = readRequestHost(originalUrl ?? url, headers.host);
    // A name of an attacker's may point to this machine: a page of that name has it as its origin and as its host.
    if (isOriginOf(origin, host) && (allowedHosts !== undefined || isLoopback(host))) return;
    throw new TroupeError(
      "forbidden",
      "A page of another site sent this request. The option allowedOrigins lists the origins that may send it, and allowedHosts the hosts of the service.",
    );
  };
}

function isLoopback(host: HostName | undefined): boolean {
  const name = host?.hostname ?? "";
  return name === "localhost" || name.endsWith(".localhost") || name === "[::1]" || /^127(\.\d+){3}$/.test(name);
}

/** Reads the user and the keys of a request. Throws `invalid_request` for a key that is malformed or sent twice. */
export function readCaller(
  request: McpRequest,
  { genericApiKeyHeader, trustAddresses }: Pick<McpServerSettings, "genericApiKeyHeader" | "trustAddresses">,
): Omit<Caller, "signal" | "answered"> {
  const { headersDistinct, headers } = request;
  const secrets = keyHeaders.flatMap((name) => headersDistinct[name] ?? []);
  const opts = {
    ...readKeyHeaders(headersDistinct, { genericApiKeyHeader }),
    ...readPrincipal(request.principal, "request.principal"),
  };
  const session = headersDistinct["mcp-session-id"]?.[0];
  return {
    request,
    opts,
    secrets: [...secrets, headers.authorization],
    address: readRemoteAddress(request, trustAddresses),
    ...(session !== undefined && { session }),
  };
}
