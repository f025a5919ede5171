import type { IncomingMessage, ServerResponse } from "node:http";
import type { Exchange } from "../exchange/exchange.ts";

/** A handler of the host in the form of Express, whose types of request and response are more specific than Node's. */
export type NodeMiddleware = (request: never, response: never, next: (error?: unknown) => void) => unknown;

/**
 * A request that passes through the host's handlers. `leave` passes it on to the handlers that the host has mounted
 * after the router.
 */
export type HandledRequest = {
  readonly exchange: Exchange;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly leave: () => void;
};

/**
 * Runs the host's handlers one after the other, as Express does, and then `done`. The first error is answered,
 * whether a handler throws it, rejects with it or passes it to `next`; `next("router")` leaves the router.
 */
export function runHandlers(handlers: readonly NodeMiddleware[], handled: HandledRequest, done: () => void): void {
  const { exchange, request, response, leave } = handled;
  const fail = (error: unknown): void => exchange.fail(error);
  const run = (index: number): void => {
    const handler = handlers[index];
    const next = (error?: unknown): void => {
      if (error === "router") leave();
      // As in Express, a falsy value is not an error: `next(isWrong && error)`.
      else if (!error || error === "route") run(index + 1);
      else fail(error);
    };
    try {
      if (handler === undefined) done();
      else void Promise.resolve(handler(request as never, response as never, next)).catch(fail);
    } catch (error) {
      fail(error);
    }
  };
  run(0);
}
