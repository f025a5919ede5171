import { TroupeError } from "@troupe/core";
import type { Logger } from "@troupe/core";
import { toTroupeError } from "@troupe/core/kit";
import { toPublicError } from "@troupe/core/transport";
import type { Socket } from "socket.io";
import type { SocketMiddleware } from "./gateway-options.ts";

type Next = (error?: Error) => void;

/**
 * Wraps a middleware that runs code of the host, so that whatever it does, a connection is let in or refused once: if it throws
 * or rejects, the client is refused without the reason, which the log has under the name of the option; and a connection that
 * closes while it decides is forgotten.
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

/** Returns the error that Socket.IO sends: its message and `data`. What the host hands to `next` is meant for the client. */
function toRefusal(error: Error): Error {
  if (!TroupeError.is(error)) return error;
  const { message, ...fields } = toPublicError(error);
  return Object.assign(new Error(message), { data: fields });
}
