import { readRequestHost } from "@troupe/core/transport";
import type { ServiceRequest } from "@troupe/core/service";
import type { Request } from "express";

/** The loopback addresses 127.0.0.0/8 and ::1, as Node writes them. */
const loopback = /^(?:::ffff:)?127(?:\.\d{1,3}){3}$|^::1$/;

/** Host names in a URL that lead to this machine only from this machine itself. */
const ownHost = /^(?:localhost|127(?:\.\d{1,3}){3}|0\.0\.0\.0|\[::1?\])$/i;

/**
 * Headers that proxies add. Every `x-` header counts, even one in which the demo's own clients send a user or a key.
 */
const proxyHeader = /^(?:x-|via$|forwarded$|true-client-ip$|cf-|fly-|fastly-)/;

/**
 * Returns true if a request comes from a browser or program on this machine, which may see the runs of all users of the
 * demo. A request through a local proxy looks the same if the proxy adds no header that shows it, and forwards a
 * loopback host name.
 */
export function isFromThisMachine({ native }: Pick<ServiceRequest, "native">): boolean {
  const { socket, headers, httpVersion, originalUrl } = native as Request;
  if (!loopback.test(socket.remoteAddress ?? "") || !loopback.test(socket.localAddress ?? "")) return false;
  if (!ownHost.test(readRequestHost(originalUrl, headers.host)?.hostname ?? "")) return false;
  // Old proxies use HTTP/1.0; browsers and curl do not.
  return httpVersion !== "1.0" && !Object.keys(headers).some((name) => proxyHeader.test(name));
}
