import type { Request, RequestHandler, Response, Router } from "express";
import { sendFailure } from "../errors/send-failure.ts";
import type { Exchange } from "../exchange.ts";
import { recordOf } from "../request-record.ts";
import { requestIdOf } from "../request/request-id.ts";
import type { RouterSettings } from "../router-options.ts";
import type { Handle, Route } from "./route.ts";

const methods = ["get", "post", "delete"] as const;

/** Puts a route into the router. Any other method is told which ones there are. */
export function mountRoute(router: Router, settings: RouterSettings, route: Route): void {
  const mounted = router.route(route.path);
  const toHandler = (handle: Handle): RequestHandler => {
    return (request, response) => serve(toExchange(request, response, settings), route.path, handle);
  };
  for (const method of methods) {
    const handle = route[method];
    if (handle !== undefined) mounted[method](toHandler(handle));
  }
  mounted.all(toHandler(refuseMethod(allowedBy(route))));
}

function toExchange(request: Request, response: Response, settings: RouterSettings): Exchange {
  return { request, response, requestId: requestIdOf(request, response), settings };
}

/**
 * Answers, and gives Express no promise to wait for: it would keep the whole way to this route for as long as a stream
 * lasts, and there is nothing left for it to do.
 */
function serve(exchange: Exchange, path: string, handle: Handle): void {
  recordOf(exchange.response).route = exchange.request.baseUrl + path;
  const fail = (error: unknown): void => failWith(exchange, error);
  try {
    handle(exchange)?.catch(fail);
  } catch (error) {
    fail(error);
  }
}

function failWith({ request, response, requestId, settings, opts }: Exchange, error: unknown): void {
  const { logger } = settings;
  try {
    sendFailure(error, response, { request, requestId, logger, opts });
  } catch (failure) {
    // What a host has put in the place of a method of the response may throw.
    logger.error("A failure could not be sent.", { requestId, error: failure });
    response.destroy();
  }
}

function allowedBy(route: Route): string {
  const names = methods.flatMap((method) => (route[method] === undefined ? [] : [method.toUpperCase()]));
  return [...names, ...(route.get === undefined ? [] : ["HEAD"]), "OPTIONS"].join(", ");
}

function refuseMethod(allowed: string): Handle {
  return ({ request, response }) => {
    response.setHeader("Allow", allowed);
    if (request.method === "OPTIONS") response.writeHead(204).end();
    else throw wrongMethod(`This path takes ${allowed}, and not ${request.method}.`);
  };
}

/** No code of ours stands for the status 405, so this is said as the errors of Express are. */
function wrongMethod(message: string): Error {
  return Object.assign(new Error(message), { status: 405, expose: true });
}
