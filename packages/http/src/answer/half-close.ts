import type { Socket } from "node:net";
import type { Request, RequestHandler, Response } from "express";
import type { Exchange } from "../exchange.ts";

/** What Node's own server asks when a client ends its sending side. */
type HalfOpenServer = { httpAllowHalfOpen?: boolean };

const key = Symbol("half close");

/**
 * Lets a client end its sending side behind its request and still have its answer, and tells when it does. Node's server
 * takes that for leaving unless told otherwise; here it is told so for this connection alone, since the host's other routes
 * may count on it.
 */
class HalfClose {
  readonly #socket: Socket;
  #onEnd: (() => void) | undefined;

  constructor(socket: Socket, response: Response) {
    this.#socket = socket;
    socket.prependListener("end", this.#listen);
    response.on("close", this.#forget);
  }

  /** From now on this is called when the client ends its sending side. */
  tell(onEnd: () => void): void {
    this.#onEnd = onEnd;
  }

  readonly #listen = (): void => {
    allowOnce(this.#socket);
    this.#onEnd?.();
  };

  readonly #forget = (): void => void this.#socket.off("end", this.#listen);
}

/** What watches for the half close of a response's client; nothing where it may not be one. */
export function halfCloseOf({ request, response }: Pick<Exchange, "request" | "response">): HalfClose | undefined {
  const bearer = response as { [key]?: HalfClose | undefined };
  if (bearer[key] !== undefined || !mayHalfClose(request)) return bearer[key];
  return (bearer[key] = new HalfClose(request.socket, response));
}

/**
 * Whether the end of a client's sending side may be no more than that. To find out, something must be sent before the
 * answer, and HTTP/1.0 knows nothing of the kind: there it is taken for leaving.
 */
function mayHalfClose({ httpVersion, socket }: Pick<Request, "httpVersion" | "socket">): boolean {
  if (httpVersion === "1.0" || socket.readableEnded) return false;
  // Whoever sends many requests in one go has other worries than half a close, and Node warns of so many listeners.
  return socket.listenerCount("end") < socket.getMaxListeners() - 1;
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
  if (request.path.endsWith("/run") || request.path.endsWith("/stream")) halfCloseOf({ request, response });
  next();
};
