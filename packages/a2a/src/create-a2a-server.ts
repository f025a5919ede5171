import { logWarnings } from "@troupe/core/adapter";
import { Router } from "express";
import type { RequestHandler } from "express";
import { A2AEndpoint } from "./server/a2a-endpoint.ts";
import { readA2AServerOptions } from "./server/a2a-server-options.ts";
import type { A2AServerOptions } from "./server/a2a-server-options.ts";
import { CardRoutes } from "./server/card-routes.ts";

/**
 * Makes the Express router that serves agents, teams and other runnables to clients of the A2A protocol, in the versions 0.2,
 * 0.3 and 1.0. A wrong option throws `invalid_config`.
 */
export function createA2AServer(options: A2AServerOptions): Router {
  const settings = readA2AServerOptions(options);
  const { basePath, middleware, runs, logger, shutdown } = settings;
  const router = Router();
  const agentPath = `${basePath === "/" ? "" : basePath}/agents/:agent`;
  const cards = new CardRoutes(settings);
  for (const path of ["", agentPath]) {
    router.get(`${path}/.well-known/agent.json`, cards.sendShared);
    router.get(`${path}/.well-known/agent-card.json`, cards.send);
  }
  router.get([basePath, agentPath], cards.sendAtEndpoint);
  const endpoint = new A2AEndpoint(settings);
  const serve: RequestHandler = ({ params: { agent } }, _response, next) => {
    // The rest of the host's app may have more below this path.
    if (agent === undefined || runs.agents.has(String(agent))) next();
    else next("route");
  };
  const answer: RequestHandler = (request, response) => {
    const { agent } = request.params;
    void endpoint.serve(request, response, agent === undefined ? undefined : String(agent));
  };
  router.post([basePath, agentPath], serve, ...middleware, answer);
  shutdown?.add(runs.served);
  logWarnings(runs.agents.values(), logger);
  return router;
}
