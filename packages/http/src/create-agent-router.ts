import { TroupeError } from "@troupe/core";
import { logWarnings } from "@troupe/core/transport";
import type { EndingRuns } from "@troupe/core/transport";
import { Router } from "express";
import type { RequestHandler } from "express";
import { docsRoutes } from "./docs/docs-routes.ts";
import { createFailureHandler } from "./errors/error-handler.ts";
import { requestIdOf } from "./exchange/request-id.ts";
import { healthRoutes } from "./routes/health-routes.ts";
import { listRoutes } from "./routes/list-routes.ts";
import { keptRunRoutes } from "./routes/kept-run-routes.ts";
import { mountRoute } from "./routes/mount-route.ts";
import type { Route } from "./routes/mount-route.ts";
import { runRoutes } from "./routes/run-routes.ts";
import { uiRoutes } from "./routes/ui-routes.ts";
import { sessionRoutes } from "./routes/session-routes.ts";
import { readSettings } from "./settings/read-settings.ts";
import { createRequestGuard } from "./settings/request-guard.ts";
import type { RouterOptions, RouterSettings } from "./settings/router-options.ts";

/** Paths that belong to the router, with everything below them. */
const ownPaths = ["/agents", "/teams", "/workflows", "/runs", "/sessions"];

/**
 * Makes the Express router that serves the registered agents, teams and workflows over HTTP, with sessions, health and,
 * if `swagger` is given, docs. It answers its own errors as JSON without a stack, even if the host has no error
 * handler. A wrong option throws `invalid_config`.
 */
export function createAgentRouter(options: RouterOptions = {}): Router {
  const settings = readSettings(options);
  const router = Router();
  router.use(receiverOf(settings));
  // Whatever probes the service has neither credentials nor a rate to limit.
  router.use(probesOf(settings));
  if (settings.middleware.length > 0) router.use(...settings.middleware);
  for (const route of routesOf(settings)) mountRoute(router, settings, route);
  router.use(ownPaths, refusePath);
  router.use(createFailureHandler(settings.logger));
  settings.shutdown?.add(endingRunsOf(settings));
  logWarningsOf(settings);
  return router;
}

/** The runs of the router for its shutdown, which also waits for what follows them: the titles of their sessions. */
function endingRunsOf({ servedRuns, sessions }: RouterSettings): EndingRuns {
  return {
    get size() {
      return servedRuns.size;
    },
    drain: async () => {
      await servedRuns.drain();
      await sessions.flush();
    },
    endAll: () => {
      servedRuns.endAll();
      void sessions.flush(0);
    },
  };
}

/** Logs what its runnables warn of, until the service has ended. */
function logWarningsOf({ agents, teams, workflows, logger, shutdown }: RouterSettings): void {
  const unsubscribe = logWarnings([...agents.values(), ...teams.values(), ...workflows.values()], logger);
  void shutdown?.finished.then(unsubscribe);
}

/** Serves the probes. A longer path passes by at once: each route would be tried for every request. */
function probesOf(settings: RouterSettings): RequestHandler {
  const probes = Router();
  const routes = healthRoutes(settings);
  for (const route of routes) mountRoute(probes, settings, route);
  // With a slash at the end, which Express allows.
  const longest = Math.max(...routes.map(({ path }) => path.length)) + 1;
  return (request, response, next) => {
    if (request.path.length > longest) next();
    else probes(request, response, next);
  };
}

/** Runs first: each route before them would be tried for every request. */
function routesOf(settings: RouterSettings): Route[] {
  return [runRoutes, uiRoutes, keptRunRoutes, listRoutes, sessionRoutes, docsRoutes].flatMap((make) => make(settings));
}

/** Stands before the middleware: its answers have the id of the request too, and what the guard refuses never gets there. */
function receiverOf(settings: RouterSettings): RequestHandler {
  const guard = createRequestGuard(settings);
  return (request, response, next) => {
    requestIdOf(request, response);
    guard(request);
    next();
  };
}

/** Answers other paths below the router's own. All others go on to the host, which may have pages beside the router. */
const refusePath: RequestHandler = () => {
  throw new TroupeError("not_found", "Nothing was found at this path.");
};
