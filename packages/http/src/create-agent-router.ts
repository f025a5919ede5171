import { TroupeError } from "@troupe/core";
import { Router } from "express";
import type { RequestHandler } from "express";
import { awaitHalfClosed } from "./answer/half-close.ts";
import { docsRoutes } from "./docs/docs-routes.ts";
import { createFailureHandler } from "./errors/create-failure-handler.ts";
import { readSettings } from "./read-settings.ts";
import { requestIdOf } from "./request/request-id.ts";
import type { RouterOptions, RouterSettings } from "./router-options.ts";
import { cancelRoute } from "./routes/cancel-route.ts";
import { healthRoutes } from "./routes/health-routes.ts";
import { listRoutes } from "./routes/list-routes.ts";
import { mountRoute } from "./routes/mount-route.ts";
import type { Route } from "./routes/route.ts";
import { runRoutes } from "./routes/run-routes.ts";
import { sessionRoutes } from "./routes/session-routes.ts";

/** Paths below which everything is the router's. */
const ownPaths = ["/agents", "/teams", "/workflows", "/runs", "/sessions"];

/**
 * Makes a router that serves agents, teams and workflows by their names. It answers what it can, with errors of its own
 * making: also in a host that handles none, no stack is ever shown.
 */
export function createAgentRouter(options: RouterOptions = {}): Router {
  const settings = readSettings(options);
  const router = Router();
  router.use(nameRequest, awaitHalfClosed, ...settings.middleware);
  for (const route of routesOf(settings)) mountRoute(router, settings, route);
  router.use(ownPaths, refusePath);
  router.use(createFailureHandler(settings.logger));
  options.shutdown?.add(settings.runs);
  return router;
}

/** Runs first: whatever stands in front of them is looked at for every request. */
function routesOf(settings: RouterSettings): Route[] {
  return [
    ...runRoutes(settings),
    cancelRoute(settings),
    ...listRoutes(settings),
    ...sessionRoutes(settings),
    ...healthRoutes(settings),
    ...docsRoutes(settings),
  ];
}

/** Before the middleware, so that also its answers have the id. */
const nameRequest: RequestHandler = (request, response, next) => {
  requestIdOf(request, response);
  next();
};

/**
 * What begins like one of our paths and is none is answered here. Any other path goes on to the host: a router that is
 * mounted at `/` shares it with the host's own pages, and must not swallow those that stand behind it.
 */
const refusePath: RequestHandler = () => {
  throw new TroupeError("not_found", "There is nothing at this path.");
};
