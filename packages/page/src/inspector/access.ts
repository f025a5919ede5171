import type { IncomingMessage } from "node:http";
import { TroupeError } from "@troupe/core";
import type { RunCaller } from "@troupe/core/runs";
import type { ServiceRequest } from "@troupe/core/service";
import { isFromOtherSite, readRequestHost } from "@troupe/core/transport";
import type { Exchange } from "@troupe/core/transport";

/** Returns true if the sender of a request may see the runs of all users. Any value except `true` counts as false. */
export type AuthorizeInspector = (request: ServiceRequest) => boolean | Promise<boolean>;

/** The part of an exchange (an HTTP request and its answer) that shows who sent the request. */
export type VisitedExchange = Pick<Exchange, "url" | "headers" | "principal" | "native" | "toRequest">;

/**
 * Returns the caller whose runs a request may see: `"host"` for all runs, or the signed-in user. Throws `forbidden`
 * or `unauthorized` for all others.
 *
 * Without `authorize`, only programs on this machine are answered, because the service is then expected to run on the
 * developer's own machine. They see the runs of the signed-in user, or all runs if no user is signed in. Pages of other
 * sites are always refused, even if they reach this address under a host name of their own.
 */
export async function readInspectorCaller(
  exchange: VisitedExchange,
  authorize: AuthorizeInspector | undefined,
): Promise<RunCaller> {
  const { url, headers, principal, native } = exchange;
  const host = readRequestHost(url, headers.host);
  if (isFromOtherSite(headers, host)) throw forbidden("A page of another site sent this request.");
  if (authorize === undefined) {
    if (!isLocal(native as Partial<LocalRequest>, host?.hostname)) throw forbidden(closedMessage);
    return principal ?? "host";
  }
  // In a host written in JavaScript, `authorize` may return any value.
  const answer: unknown = await authorize(exchange.toRequest());
  if (answer === true) return "host";
  if (principal === undefined) throw new TroupeError("unauthorized", "Sign in to see your runs.");
  return principal;
}

const closedMessage =
  "The inspector answers programs on the same machine alone, without a proxy between. Give the page's option inspector an authorize(request) to open it.";

/** Headers that proxies set, beside the headers that begin with `x-forwarded`. */
const proxyHeaders = [
  "forwarded",
  "via",
  "x-real-ip",
  "x-client-ip",
  "x-cluster-client-ip",
  "x-original-host",
  "x-original-forwarded-for",
  "x-envoy-external-address",
  "true-client-ip",
  "cf-connecting-ip",
  "cf-ray",
  "fly-client-ip",
  "fastly-client-ip",
  "x-appengine-user-ip",
  "x-azure-clientip",
];

/** The loopback addresses 127.0.0.0/8 and ::1, as Node writes them. */
const loopback = /^(?:::ffff:)?127(?:\.\d{1,3}){3}$|^::1$/;
const loopbackName = /^(?:(?:[\w-]+\.)*localhost|127(?:\.\d{1,3}){3}|\[::1\])$/i;

/**
 * The parts of a request of Node, or of Express, that show if it comes from this machine. Other requests have no
 * socket.
 */
type LocalRequest = Pick<IncomingMessage, "socket" | "httpVersion"> & {
  readonly headers: IncomingMessage["headers"];
  readonly app: { get(name: string): unknown };
};

/**
 * Returns true if a request comes from this machine: from a loopback address, to a host name that no other machine can
 * have, and not through a proxy. Proxies reveal themselves by headers, by HTTP/1.0, or because the host trusts a proxy.
 */
function isLocal(request: Partial<LocalRequest>, hostname: string | undefined): boolean {
  const { socket, headers = {}, httpVersion, app } = request;
  const addresses = [socket?.remoteAddress, socket?.localAddress];
  if (!addresses.every((address) => loopback.test(address ?? ""))) return false;
  if (!loopbackName.test(hostname ?? "") || httpVersion === "1.0" || trustsProxy(app)) return false;
  const names = Object.keys(headers);
  return !names.some((name) => name.startsWith("x-forwarded") || proxyHeaders.includes(name));
}

function trustsProxy(app: LocalRequest["app"] | undefined): boolean {
  const trusted = app?.get("trust proxy");
  return trusted !== undefined && trusted !== false && trusted !== 0;
}

function forbidden(message: string): TroupeError {
  return new TroupeError("forbidden", message);
}
