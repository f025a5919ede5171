import type { IncomingHttpHeaders } from "node:http";
import type { Exchange } from "../exchange/exchange.ts";

/**
 * A function that answers a request. If it throws or rejects, the error is sent as the answer; if the answer has
 * already begun, the connection is closed.
 */
export type RouteHandler = (exchange: Exchange) => void | Promise<void>;

/** The part of a request by which a route decides if it serves the request. */
type RoutedRequest = { readonly method: string; readonly headers: IncomingHttpHeaders };

/**
 * A path of a protocol, with its handlers by HTTP method. A segment such as `:name` is a parameter, and a trailing
 * `*` matches the rest of the path.
 */
export type Route = {
  readonly path: string;
  readonly get?: RouteHandler | undefined;
  readonly post?: RouteHandler | undefined;
  readonly patch?: RouteHandler | undefined;
  readonly delete?: RouteHandler | undefined;
  /** Answers every method, for a protocol that distinguishes methods itself. */
  readonly all?: RouteHandler | undefined;
  /**
   * True for a path that is answered without authentication, such as a probe of the service's health. @default false
   */
  readonly isPublic?: boolean | undefined;
  /**
   * Returns false if the protocol does not serve these parameters or this request. The request is then routed as if
   * the route did not exist. @default all requests are served
   */
  readonly serves?: ((params: Readonly<Record<string, string>>, request: RoutedRequest) => boolean) | undefined;
  /**
   * Answers with an error in the form of the protocol. Never throws. @default JSON, with the HTTP status of the
   * error's code
   */
  readonly fail?: ((thrown: unknown, exchange: Exchange) => void) | undefined;
};

/** The HTTP methods for which a route may have a separate handler. */
export const methods = ["get", "post", "patch", "delete"] as const;
