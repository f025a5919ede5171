import type { IncomingHttpHeaders } from "node:http";
import type { Exchange } from "../exchange/exchange.ts";

/**
 * A route's function that answers a request. If it throws or rejects, the error is sent as the answer; an answer that
 * has begun is cut off.
 */
export type RouteHandler = (exchange: Exchange) => void | Promise<void>;

/** The part of a request by which a route decides whether it serves it. */
type RoutedRequest = { readonly method: string; readonly headers: IncomingHttpHeaders };

/**
 * A path of a protocol with its handlers by HTTP method. A segment such as `:name` is a parameter, and a last segment
 * `*` stands for all that follows.
 */
export type Route = {
  readonly path: string;
  readonly get?: RouteHandler | undefined;
  readonly post?: RouteHandler | undefined;
  readonly patch?: RouteHandler | undefined;
  readonly delete?: RouteHandler | undefined;
  /** Answers every method. For a path whose protocol has rules of its own for methods. */
  readonly all?: RouteHandler | undefined;
  /** True for a path that is answered without authentication, such as a probe of the service's health. @default false */
  readonly isPublic?: boolean | undefined;
  /**
   * Returns false for parameters, or for a request, that the protocol does not serve. The request then goes on as if the
   * route did not exist. @default all requests are served
   */
  readonly serves?: ((params: Readonly<Record<string, string>>, request: RoutedRequest) => boolean) | undefined;
  /** Answers with an error in the form of the protocol. Never throws. @default as JSON, with the status of its code */
  readonly fail?: ((thrown: unknown, exchange: Exchange) => void) | undefined;
};

/** The methods of HTTP for which a route may have a handler. */
export const methods = ["get", "post", "patch", "delete"] as const;
