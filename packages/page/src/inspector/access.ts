import { TroupeError } from "@troupe/core";
import type { RunCaller } from "@troupe/core/runs";
import { isFromOtherSite, readPrincipal, readRequestHost } from "@troupe/core/transport";
import type { Request } from "express";

/** Decides whether the sender of a request may see the runs of everybody. Anything but `true` is a no. */
export type AuthorizeInspector = (request: Request) => boolean | Promise<boolean>;

/**
 * Returns the caller whose runs a request may see: `"host"` for all runs, or the user whom the host's authentication has set
 * at `request.principal`. Throws `forbidden` or `unauthorized` for anybody else.
 *
 * Without `authorize` only programs on this machine are answered, and all runs are theirs: for a service on the developer's
 * own machine. A page of another site is never answered, nor one that reaches this address by a name of its own.
 */
export async function readInspectorCaller(
  request: Request,
  authorize: AuthorizeInspector | undefined,
): Promise<RunCaller> {
  const host = readRequestHost(request.originalUrl, request.headers.host);
  if (isFromOtherSite(request.headers, host)) throw forbidden("A page of another site sent this request.");
  const principal = readPrincipal((request as { principal?: unknown }).principal, "request.principal");
  if (authorize === undefined) {
    if (!isLocal(request, host?.hostname)) throw forbidden(closedMessage);
    return principal ?? "host";
  }
  // A host in JavaScript may return anything.
  const answer: unknown = await authorize(request);
  if (answer === true) return "host";
  if (principal === undefined) throw new TroupeError("unauthorized", "Sign in to see your runs.");
  return principal;
}

const closedMessage =
  "The inspector answers programs on the same machine alone, without a proxy between. Give the page's option inspector an authorize(request) to open it.";

/** Headers of proxies, beside those that begin with `x-forwarded`. */
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
 * Tells if a request comes from this machine itself: by the address of its connection, to a name that no other machine can
 * have, and by no proxy. Proxies tell of themselves in headers, by HTTP/1.0, or because the host trusts one.
 */
function isLocal({ socket, headers, httpVersion, app }: Request, hostname: string | undefined): boolean {
  if (!loopback.test(socket.remoteAddress ?? "") || !loopback.test(socket.localAddress ?? "")) return false;
  if (hostname === undefined || !loopbackName.test(hostname)) return false;
  if (httpVersion === "1.0" || trustsProxy(app)) return false;
  const names = Object.keys(headers);
  return !names.some((name) => name.startsWith("x-forwarded") || proxyHeaders.includes(name));
}

function trustsProxy(app: Request["app"] | undefined): boolean {
  const trusted: unknown = app?.get("trust proxy");
  return trusted !== undefined && trusted !== false && trusted !== 0;
}

function forbidden(message: string): TroupeError {
  return new TroupeError("forbidden", message);
}
