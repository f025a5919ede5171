import { logWarnings } from "@troupe/core/transport";
import { Router } from "express";
import type { Request, RequestHandler } from "express";
import { RestBinding } from "./rest/rest-binding.ts";
import { RestPaths } from "./rest/rest-routes.ts";
import { A2AEndpoint } from "./server/a2a-endpoint.ts";
import { readA2AServerOptions } from "./server/a2a-server-options.ts";
import type { A2AServerOptions } from "./server/a2a-server-options.ts";
import { CardRoutes } from "./server/card-routes.ts";
import { rpcBinding } from "./server/rpc-binding.ts";

/**
 * Makes the Express router that serves agents, teams and other runnables to clients of the A2A protocol, in the versions 0.2,
 * 0.3 and 1.0. A wrong option throws `invalid_config`.
 */
export function createA2AServer(options: A2AServerOptions): Router {
  const settings = readA2AServerOptions(options);
  const { basePath, middleware, runs, push, logger, shutdown } = settings;
  const router = Router();
  const agentPath = `${basePath === "/" ? "" : basePath}/agents/:agent`;
  const cards = new CardRoutes(settings);
  for (const path of ["", agentPath]) {
    router.get(`${path}/.well-known/agent.json`, cards.sendShared);
    router.get(`${path}/.well-known/agent-card.json`, cards.send);
  }
  router.get([basePath, agentPath], cards.sendAtEndpoint);
  const serve = (endpoint: A2AEndpoint, agentOf: (request: Request) => string | undefined): RequestHandler[] => [
    (request, _response, next) => {
      const agent = agentOf(request);
      // The rest of the host's app may have more below this path.
      const isServed = (agent === undefined || runs.agents.has(agent)) && request.method !== "OPTIONS";
      if (isServed) next();
      else next("route");
    },
    ...middleware,
    (request, response) => void endpoint.serve(request, response, agentOf(request)),
  ];
  const agentIn = ({ params: { agent } }: Request) => (agent === undefined ? undefined : String(agent));
  router.post([basePath, agentPath], serve(new A2AEndpoint(settings, rpcBinding), agentIn));
  const rest = new RestPaths(basePath);
  router.all(
    rest.all,
    serve(new A2AEndpoint(settings, new RestBinding(rest)), ({ path }) => rest.read(path).agent),
  );
  shutdown?.add(runs.served);
  if (push !== undefined) {
    router.get("/.well-known/jwks.json", cards.sendKeys(push.signer.keySet));
    shutdown?.add(push);
  }
  logWarnings(runs.agents.values(), logger);
  return router;
}
