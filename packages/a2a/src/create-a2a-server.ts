import { logWarnings } from "@troupe/core/adapter";
import { Router } from "express";
import type { Request, Response } from "express";
import { A2AEndpoint } from "./server/a2a-endpoint.ts";
import { readA2AServerOptions } from "./server/a2a-server-options.ts";
import type { A2AServerOptions } from "./server/a2a-server-options.ts";

/**
 * Makes the Express router that serves agents, teams and other runnables to clients of the A2A protocol, in the versions 0.2,
 * 0.3 and 1.0. A wrong option throws `invalid_config`.
 */
export function createA2AServer(options: A2AServerOptions): Router {
  const settings = readA2AServerOptions(options);
  const router = Router();
  const endpoint = new A2AEndpoint(settings);
  const { basePath, middleware, runs, logger } = settings;
  const agentsPath = `${basePath === "/" ? "" : basePath}/agents/:agent`;
  const serve = (request: Request, response: Response): void => {
    const { agent } = request.params;
    void endpoint.serve(request, response, agent === undefined ? undefined : String(agent));
  };
  router.post([basePath, agentsPath], ...middleware, serve);
  logWarnings([...runs.agents.values()], logger);
  return router;
}
