import { TroupeError } from "@troupe/core";
import type { Protocol, Route, Service } from "@troupe/core/transport";
import { docsRoutes } from "./docs/docs-routes.ts";
import { healthRoutes } from "./routes/health-routes.ts";
import { listRoutes } from "./routes/list-routes.ts";
import { runRoutes } from "./routes/run-routes.ts";
import { scheduleRoutes } from "./routes/schedule-routes.ts";
import { sessionRoutes } from "./routes/session-routes.ts";
import { storedRunRoutes } from "./routes/stored-run-routes.ts";
import { partsOf, readHttpOptions } from "./settings/http-options.ts";
import type { HttpOptions } from "./settings/http-options.ts";

/**
 * Makes the protocol that runs agents, teams and workflows over HTTP with JSON and server-sent events, with sessions,
 * health and, if `swagger` is given, docs. Throws `invalid_config` for a wrong option.
 */
export function http(options: HttpOptions = {}): Protocol {
  const settings = readHttpOptions(options, "http");
  return {
    name: "http",
    routes(service: Service, beside: readonly Protocol[]): Route[] {
      const parts = partsOf(service, settings, beside);
      const makers = [healthRoutes, runRoutes, storedRunRoutes, scheduleRoutes, listRoutes, sessionRoutes, docsRoutes];
      return [...makers.flatMap((make) => make(parts)), ...ownPaths];
    },
  };
}

/**
 * Catch-all routes below the service's own paths. An unknown path there is answered with `not_found` instead of going
 * on to the host's handlers.
 */
const ownPaths = ["agents", "teams", "workflows", "runs", "sessions"].map((name): Route => {
  return { path: `/${name}/*`, all: refuse };
});

function refuse(): never {
  throw new TroupeError("not_found", "Nothing was found at this path.");
}
