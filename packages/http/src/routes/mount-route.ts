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
    return async (request, response) => await serve(toExchange(request, response, settings), route.path, handle);
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

async function serve(exchange: Exchange, path: string, handle: Handle): Promise<void> {
  const { request, response, requestId, settings } = exchange;
  recordOf(response).route = request.baseUrl + path;
  try {
    await handle(exchange);
  } catch (error) {
    sendFailure(error, response, { request, requestId, logger: settings.logger });
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
