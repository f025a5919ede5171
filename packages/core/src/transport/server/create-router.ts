import type { IncomingMessage, ServerResponse } from "node:http";
import { NodeExchange } from "../exchange/node-exchange.ts";
import type { Protocol } from "../service/protocol.ts";
import type { Service } from "../service/service.ts";
import { ServedRoutes } from "../service/served-routes.ts";
import { runHandlers } from "./run-handlers.ts";
import type { NodeMiddleware } from "./run-handlers.ts";

/** A handler for Node's requests, which Express, Connect and other servers can mount below a path. */
export type NodeHandler = (request: IncomingMessage, response: ServerResponse, next: (error?: unknown) => void) => void;

/** Options of `createRouter`. */
export type ServiceRouterOptions = {
  /** Handlers in the form of Express that run before the routes, except before public routes. @default none */
  readonly middleware?: readonly NodeMiddleware[] | undefined;
};

/**
 * Makes the handler that serves a service over these protocols on Express, Connect, Fastify's raw requests and plain
 * Node: mount it with `app.use`. It answers its own errors, even if the host has no error handler. Requests for other
 * paths are passed on to the host. Throws `invalid_config` for protocols that answer the same method and path.
 */
export function createRouter(
  service: Service,
  protocols: readonly Protocol[],
  { middleware = [] }: ServiceRouterOptions = {},
): NodeHandler {
  const answer = createNodeHandler(service, protocols, middleware);
  openService(service);
  return answer;
}

/** Makes the handler of `createRouter`, but does not make the service perform its runs. */
export function createNodeHandler(
  service: Service,
  protocols: readonly Protocol[],
  middleware: readonly NodeMiddleware[],
): NodeHandler {
  const routes = new ServedRoutes(service, protocols);
  return (request, response, next) => {
    // The exchange is created before the middleware runs, so that the middleware's answers have the request's id, and
    // refused requests never reach the middleware.
    const exchange = new NodeExchange(request, response, service.logger);
    const admitted = routes.admit(exchange);
    if (admitted === undefined) return;
    const { found } = admitted;
    const goOn = (): void => {
      // Requests for other paths are passed on to the host, which may have pages beside the router.
      if (found === undefined) return next();
      exchange.forgetNext();
      routes.answer(exchange, found);
    };
    // Health probes send no credentials and must not be rate-limited.
    if (middleware.length === 0 || found?.route.isPublic === true) goOn();
    else runHandlers(middleware, { exchange, request, response, leave: next }, goOn);
  };
}

/** Makes a service start its work. A failure is logged, because no caller waits for it. */
export function openService(service: Service): void {
  service.open().catch((error: unknown) => {
    service.logger.error("The durable runs of the service cannot be performed in this process.", { error });
  });
}
