import { TroupeError } from "@troupe/core";
import type { HostAndOriginRequest, HostAndOriginGuard } from "@troupe/core/transport";
import type { Socket } from "socket.io";
import { allowsOrigin } from "./cors-origins.ts";
import type { SocketMiddleware } from "./gateway-options.ts";

/**
 * Makes the check that each client passes first, because browsers do not apply CORS to WebSockets. Refuses as
 * `forbidden` a host that is not in `allowedHosts`, and a page of another site unless `allowedOrigins` or the Socket.IO
 * server's option `cors` allows it. Namespaces that a connection joins later are checked too.
 */
export function guardSource(guard: HostAndOriginGuard): SocketMiddleware {
  return async (socket, next) => {
    const request = sourceOf(socket);
    guard.checkHost(request);
    try {
      guard.checkPage(request);
    } catch (refusal) {
      // If the socket closes during this wait, `guardConnection` ignores the decision.
      if (!(TroupeError.is(refusal) && (await allowsOrigin(corsOf(socket), socket.request)))) throw refusal;
    }
    next();
  };
}

/**
 * Returns the first request of a connection, as far as it shows where the connection comes from. If the request is not
 * reliable, any page may have sent it: JSONP requests have no `Origin`, and WebTransport has no request.
 */
function sourceOf(socket: Socket): HostAndOriginRequest {
  const request = socket.request as Socket["request"] | null;
  const { headers, query } = socket.handshake;
  const isHidden = request === null || query["j"] !== undefined;
  const isUnknown = isHidden && headers.origin === undefined && headers["sec-fetch-site"] === undefined;
  return { url: request?.url, headers: isUnknown ? { ...headers, origin: "null" } : headers };
}

/** Returns the `cors` option of the server that accepted a connection. */
function corsOf({ conn }: Socket): unknown {
  const { server } = conn as unknown as { readonly server?: { readonly opts?: { readonly cors?: unknown } } };
  return server?.opts?.cors;
}
