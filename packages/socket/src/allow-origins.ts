import type { IncomingMessage } from "node:http";
import {
  createHostCheck,
  createOriginCheck,
  isFromOtherSite,
  readOptions,
  readRequestHost,
  requestSourceOptions,
} from "@troupe/core/adapter";

/** The option `allowRequest` of a Socket.IO server: decides about the first request of each connection. */
export type AllowRequest = (
  request: IncomingMessage,
  decide: (refusal: string | null | undefined, isAllowed: boolean) => void,
) => void;

/**
 * Makes the option `allowRequest` of a Socket.IO server, which refuses connections from pages of other sites: browsers apply
 * no CORS to WebSockets. Pages of the service itself, pages of the listed origins and programs other than browsers may connect.
 * With `allowedHosts`, requests must also name one of these hosts, so that no page reaches the service under a name of its own.
 */
export function allowOrigins(
  origins: readonly string[] = [],
  options: { allowedHosts?: readonly string[] | undefined } = {},
): AllowRequest {
  const { allowedOrigins, allowedHosts } = readOptions(
    requestSourceOptions,
    { ...options, allowedOrigins: origins },
    { owner: "allowOrigins" },
  );
  const isAllowedOrigin = createOriginCheck(allowedOrigins);
  const isAllowedHost = allowedHosts && createHostCheck(allowedHosts);
  return (request, decide) => {
    const { url = "", headers } = request;
    const host = readRequestHost(url, headers.host);
    if (isAllowedHost?.(host) === false) return decide("The host of the request is not one of this service.", false);
    if (!isFromOtherSite(headers, host) || isAllowedOrigin(headers.origin ?? "")) return decide(null, true);
    return decide("Pages of this origin may not connect.", false);
  };
}
