import type { Principal, ServiceRequest } from "@troupe/core/service";
import { readPrincipal, toServiceRequest } from "@troupe/core/transport";
import type { Service } from "@troupe/core/transport";
import type { Socket } from "socket.io";
import type { SocketMiddleware } from "./gateway-options.ts";

type SocketData = { principal?: unknown };

/**
 * Returns the signed-in user of a socket, which `authenticate` or the host's middleware has set at
 * `socket.data.principal`. Throws `internal` for a malformed principal.
 */
export function principalOf(socket: Socket): Principal | undefined {
  const { principal } = (socket.data ?? {}) as SocketData;
  return readPrincipal(principal, "socket.data.principal");
}

/** Makes the request that the host's functions receive for a socket: the request of its handshake. */
export function requestOf(socket: Socket): ServiceRequest {
  const { headers, url, address: remoteAddress } = socket.handshake as Partial<Socket["handshake"]>;
  // A WebTransport connection has no request.
  const [path = "/"] = url?.split("?", 1) ?? [];
  const principal = principalOf(socket);
  return toServiceRequest({
    protocol: "socket",
    method: "CONNECT",
    path,
    headers: headers ?? {},
    remoteAddress,
    native: socket,
    principal,
  });
}

/**
 * Asks the service's `authenticate` for the user of a socket, and sets the user at `socket.data.principal`. Rejects
 * with its error, and with `internal` for a malformed principal.
 */
export async function signIn(socket: Socket, service: Service): Promise<void> {
  const { address: remoteAddress } = socket.handshake;
  const answer = await service.authenticate({ remoteAddress, toRequest: () => requestOf(socket) });
  const principal = readPrincipal(answer, "authenticate(request)");
  socket.data = Object.assign((socket.data ?? {}) as SocketData, { principal });
}

/**
 * Clears the user of a recovered socket. Socket.IO restores the data of a broken connection, but only the host decides
 * who is signed in now.
 */
export function forgetRecovered(socket: Socket): void {
  if (socket.recovered) delete (socket.data as SocketData).principal;
}

/** Returns a middleware that clears the user of a recovered socket before it calls the given middleware. */
export function authenticateAnew(middleware: SocketMiddleware): SocketMiddleware {
  return (socket, next) => {
    forgetRecovered(socket);
    return middleware(socket, next);
  };
}
