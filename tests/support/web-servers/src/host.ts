import type { IncomingMessage, ServerResponse } from "node:http";

/** The listener of a server of Node. */
export type NodeApp = (request: IncomingMessage, response: ServerResponse) => void;

/** A handler in the form of Connect. */
export type NodeHandler = (request: never, response: never, next: (error?: unknown) => void) => unknown;

/** A handler for errors in the form of Connect. */
export type ErrorHandler = (
  ...given: [error: unknown, request: never, response: never, next: (error?: unknown) => void]
) => unknown;

/** Answers a web-standard request, which has come in this request of Node. */
export type WebAnswer = (request: Request, incoming: IncomingMessage) => Promise<Response>;

/** The handler of a service below a path, and further handlers before and after it, for a server to mount. */
export type Mounted<Handler> = {
  readonly handler: Handler;
  /** The path of the handler, "/" for the root. Web-standard handlers know it themselves. */
  readonly at: string;
  readonly before: readonly NodeHandler[];
};

/** The handlers for a server over Node's requests. Each handler may pass a request on to the next one. */
export type Routed = Mounted<NodeHandler> & { readonly behind: readonly (NodeHandler | ErrorHandler)[] };

/** A server over Node's requests, or over web-standard ones, with a service mounted on it. */
export type Host =
  | {
      readonly kind: "node";
      mount(routed: Routed): Promise<NodeApp>;
    }
  | { readonly kind: "web"; mount(mounted: Mounted<WebAnswer>): Promise<NodeApp> };

/** Runs handlers one after the other, and then `done`. An error is passed to it. */
export function runChain(
  handlers: readonly NodeHandler[],
  [request, response]: readonly [IncomingMessage, ServerResponse],
  done: (error?: unknown) => void,
): void {
  const run = (index: number, error?: unknown): void => {
    const handler = handlers[index];
    if (error !== undefined || handler === undefined) return done(error);
    handler(request as never, response as never, (failure) => run(index + 1, failure));
  };
  run(0);
}
