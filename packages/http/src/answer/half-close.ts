import type { Socket } from "node:net";
import type { Request, RequestHandler } from "express";
import type { Exchange } from "../exchange.ts";

/** What Node's own server asks when a client ends its sending side. */
type HalfOpenServer = { httpAllowHalfOpen?: boolean };

/**
 * Whether the end of a client's sending side may be no more than that. To find out, something must be sent before the
 * answer, and HTTP/1.0 knows nothing of the kind: there it is taken for leaving.
 */
function mayHalfClose({ httpVersion }: Pick<Request, "httpVersion">): boolean {
  return httpVersion !== "1.0";
}

/**
 * Lets a client end its sending side behind its request and still have its answer, and tells when it does. Node's server
 * takes that for leaving unless told otherwise; here it is told so for this connection alone, since the host's other routes
 * may count on it.
 */
export function keepHalfOpen(
  { request, response }: Pick<Exchange, "request" | "response">,
  onEnd: () => void = () => {},
): void {
  const { socket } = request;
  if (!mayHalfClose(request)) return;
  // Whoever sends many requests in one go has other worries than half a close, and Node warns of so many listeners.
  if (socket.readableEnded || socket.listenerCount("end") >= socket.getMaxListeners() - 1) return;
  const listen = () => {
    allowOnce(socket);
    onEnd();
  };
  socket.prependListener("end", listen);
  response.once("close", () => socket.off("end", listen));
}

/** Node asks in a listener of its own that is called right after. */
function allowOnce(socket: Socket): void {
  const { server } = socket as Socket & { server?: HalfOpenServer };
  if (server === undefined || server.httpAllowHalfOpen === true) return;
  server.httpAllowHalfOpen = true;
  process.nextTick(() => {
    server.httpAllowHalfOpen = false;
  });
}

/** The same from the first moment of a request for a run: its client may be done before its middleware is. */
export const awaitHalfClosed: RequestHandler = (request, response, next) => {
  if (request.path.endsWith("/run") || request.path.endsWith("/stream")) keepHalfOpen({ request, response });
  next();
};
