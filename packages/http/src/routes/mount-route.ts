import type { RequestHandler, Router } from "express";
import { sendFailure } from "../errors/send-failure.ts";
import type { Exchange } from "../exchange/exchange.ts";
import { requestIdOf } from "../exchange/request-id.ts";
import { requestRecordOf } from "../exchange/request-record.ts";
import type { RouterSettings } from "../settings/router-options.ts";

/**
 * A route's function that answers a request for one HTTP method. If it throws or rejects, the error is sent as the
 * answer; an answer that has begun is cut off.
 */
export type RouteHandler = (exchange: Exchange) => void | Promise<void>;

/** A path of the router, as an Express pattern, with its handlers by HTTP method. */
export type Route = {
  readonly path: string;
  readonly get?: RouteHandler;
  readonly post?: RouteHandler;
  readonly patch?: RouteHandler;
  readonly delete?: RouteHandler;
};

const methods = ["get", "post", "patch", "delete"] as const;

/**
 * Adds a route to the Express router. Methods without a handler get status 405, and OPTIONS gets 204, with the allowed
 * methods in the header `Allow`.
 */
export function mountRoute(router: Router, { logger }: RouterSettings, route: Route): void {
  const mounted = router.route(route.path);
  const toHandler = (handle: RouteHandler): RequestHandler => {
    return (request, response) => {
      requestRecordOf(response).route = request.baseUrl + route.path;
      serve({ request, response, requestId: requestIdOf(request, response), logger }, handle);
    };
  };
  for (const method of methods) {
    const handle = route[method];
    if (handle !== undefined) mounted[method](toHandler(handle));
  }
  mounted.all(toHandler(refuseMethod(allowedBy(route))));
}

/** Gives Express no promise to wait for: it would keep its way to this route for as long as a stream lasts. */
function serve(exchange: Exchange, handle: RouteHandler): void {
  const fail = (error: unknown): void => sendFailure(error, exchange);
  try {
    handle(exchange)?.catch(fail);
  } catch (error) {
    fail(error);
  }
}

function allowedBy(route: Route): string {
  const names = methods.flatMap((method) => (route[method] === undefined ? [] : [method.toUpperCase()]));
  return [...names, ...(route.get === undefined ? [] : ["HEAD"]), "OPTIONS"].join(", ");
}

function refuseMethod(allowed: string): RouteHandler {
  return ({ request, response }) => {
    response.setHeader("Allow", allowed);
    if (request.method === "OPTIONS") response.writeHead(204).end();
    else throw wrongMethod(`${request.method} is not allowed on this path. Expected ${allowed}.`);
  };
}

/** No error code stands for the status 405: the error is made as those of Express are. */
function wrongMethod(message: string): Error {
  return Object.assign(new Error(message), { status: 405, expose: true });
}
