import { TroupeError } from "@troupe/core";
import { SourceGuard } from "@troupe/core/transport";
import type { RequestSourceOptions, SourcedRequest } from "@troupe/core/transport";
import type { Socket } from "socket.io";
import { allowsOrigin } from "./cors-origins.ts";
import type { SocketMiddleware } from "./gateway-options.ts";

/**
 * Makes the check of each client before anything else: browsers apply no CORS to WebSockets. It refuses, as `forbidden`, a host
 * that is not in `allowedHosts`, and a page of another site that neither `allowedOrigins` nor the Socket.IO server's own option
 * `cors` allows. Namespaces that are joined later on one connection are checked too.
 */
export function guardSource(options: RequestSourceOptions): SocketMiddleware {
  const guard = new SourceGuard(options);
  return async (socket, next) => {
    const request = sourceOf(socket);
    guard.checkHost(request);
    try {
      guard.checkPage(request);
    } catch (refusal) {
      // A socket that closes meanwhile is forgotten by the caller.
      if (!(TroupeError.is(refusal) && (await allowsOrigin(corsOf(socket), socket.request)))) throw refusal;
    }
    next();
  };
}

/**
 * Returns the first request of a connection as far as its source is concerned. Where it cannot have one, any page may have sent
 * it: JSONP comes from the script elements of pages, which send no `Origin`, and WebTransport has no request.
 */
function sourceOf(socket: Socket): SourcedRequest {
  const request = socket.request as Socket["request"] | null;
  const { headers, query } = socket.handshake;
  const isHidden = request === null || query["j"] !== undefined;
  const isUnknown = isHidden && headers.origin === undefined && headers["sec-fetch-site"] === undefined;
  return { url: request?.url, headers: isUnknown ? { ...headers, origin: "null" } : headers };
}

/** Returns the option `cors` of the server that has taken a connection. */
function corsOf({ conn }: Socket): unknown {
  const { server } = conn as unknown as { readonly server?: { readonly opts?: { readonly cors?: unknown } } };
  return server?.opts?.cors;
}
