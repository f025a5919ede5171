import { TroupeError } from "@troupe/core";
import type { Logger } from "@troupe/core";
import { toTroupeError } from "@troupe/core/kit";
import { toPublicError } from "@troupe/core/transport";
import type { Socket } from "socket.io";
import type { SocketMiddleware } from "./gateway-options.ts";

type Next = (error?: Error) => void;

/**
 * Wraps a middleware of the host so that each connection is accepted or refused exactly once. If the middleware throws
 * or rejects, the client is refused without the reason, which is logged under the option's name. Once the connection
 * has closed, the middleware's decision is ignored.
 */
export function guardConnection(
  middleware: SocketMiddleware,
  { name, logger }: { name: string; logger: Logger },
): (socket: Socket, next: Next) => void {
  return (socket, next) => {
    let isDecided = false;
    const decide: Next = (error) => {
      if (isDecided) return;
      isDecided = true;
      socket.conn.off("close", onClose);
      next(error && toRefusal(error));
    };
    const onClose = (): void => decide(new Error("The connection was closed."));
    const fail = (thrown: unknown): void => {
      if (!TroupeError.is(thrown)) logger.error(`${name} failed.`, { error: thrown });
      decide(toTroupeError(thrown));
    };
    socket.conn.on("close", onClose);
    try {
      void Promise.resolve(middleware(socket, decide)).catch(fail);
    } catch (thrown) {
      fail(thrown);
    }
  };
}

/**
 * Returns the error that Socket.IO sends to a refused client, with message and `data`. The host's argument of `next` is
 * meant for the client.
 */
function toRefusal(error: Error): Error {
  if (!TroupeError.is(error)) return error;
  const { message, ...fields } = toPublicError(error);
  return Object.assign(new Error(message), { data: fields });
}
