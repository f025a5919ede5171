import { readRequestHost } from "@troupe/core/transport";
import type { Request } from "express";

/** The loopback addresses 127.0.0.0/8 and ::1, as Node writes them. */
const loopback = /^(?:::ffff:)?127(?:\.\d{1,3}){3}$|^::1$/;

/** Hosts in a URL that lead to this machine from nowhere but itself. */
const ownHost = /^(?:localhost|127(?:\.\d{1,3}){3}|0\.0\.0\.0|\[::1?\])$/i;

/** Headers by which proxies tell of themselves. Those of the demo's own clients that begin with `x-` name a user or a key. */
const proxyHeader = /^(?:x-|via$|forwarded$|true-client-ip$|cf-|fly-|fastly-)/;

/**
 * Tells if the sender of a request is a browser or a program on this machine itself, which may look into the runs of all users
 * of the demo. A proxy on this machine that tells nothing of itself and passes on a loopback name looks the same.
 */
export function isFromThisMachine({ socket, headers, httpVersion, originalUrl }: Request): boolean {
  if (!loopback.test(socket.remoteAddress ?? "") || !loopback.test(socket.localAddress ?? "")) return false;
  if (!ownHost.test(readRequestHost(originalUrl, headers.host)?.hostname ?? "")) return false;
  // Old proxies speak HTTP/1.0, browsers and curl do not.
  return httpVersion !== "1.0" && !Object.keys(headers).some((name) => proxyHeader.test(name));
}
