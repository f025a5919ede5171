import type { Runnable } from "@troupe/core";
import { arrayOf, functionOption, optional } from "@troupe/core/kit";
import { createRouter, createService } from "@troupe/core/service";
import type { NodeHandler, ServiceOptions } from "@troupe/core/service";
import { checkShortFormOptions, readRunnables } from "@troupe/core/transport";
import type { Registry, Service } from "@troupe/core/transport";
import type { RequestHandler } from "express";
import { createProtocol } from "./a2a.ts";
import { readA2AOptions, shortFormNames } from "./server/a2a-options.ts";
import type { A2AOptions } from "./server/a2a-options.ts";

/** Options of {@link createA2AServer}: the options of a service and of A2A, and the host's middleware. */
export type A2AServerOptions = Omit<ServiceOptions, "agents"> &
  A2AOptions & {
    /** The served agents, teams and other runnables, by name. A message that names no agent goes to the first. */
    agents: Registry<Runnable>;
    /** Handlers that run before the endpoint. They do not apply to cards, which are public. */
    middleware?: readonly RequestHandler[] | undefined;
  };

/** A request handler for Node, with the service that it serves. */
export type A2AServer = NodeHandler & {
  /** The service, for closing it, or for serving it over further protocols. */
  readonly service: Service;
};

const middlewareOption = optional(arrayOf("request handlers", functionOption<RequestHandler>()), []);

/**
 * Makes the handler that serves agents, teams and other runnables to A2A clients, in the versions 0.2, 0.3 and 1.0.
 * Express mounts it with `app.use`. It is short for `createRouter` over a service with these options. Throws
 * `invalid_config` for a wrong option.
 */
export function createA2AServer(options: A2AServerOptions): A2AServer {
  const owner = "createA2AServer";
  checkShortFormOptions(options, shortFormNames, owner);
  const { basePath = "/", provider, cardMode, version, baseUrl, mayAnswerByMessage, ...others } = options;
  const { securitySchemes, security, extendedCard, pushNotifications, middleware, ...shared } = others;
  const named = { basePath, provider, cardMode, version, baseUrl, mayAnswerByMessage };
  const settings = readA2AOptions({ ...named, securitySchemes, security, extendedCard, pushNotifications }, owner);
  const handlers = middlewareOption(middleware, "middleware", { owner });
  const { registries, names } = sortByKind(shared, owner);
  const service = createService({ ...shared, ...registries }, owner);
  const protocol = createProtocol(settings, { owner, names });
  return Object.assign(createRouter(service, [protocol], { middleware: handlers }), { service });
}

/**
 * Returns the agents and teams of a service, and their names in the order of the options. An entry that is a team in
 * the host's run service counts as a team, so that its runs are stored as runs of that team.
 */
function sortByKind({ agents, teams, runs }: Pick<A2AServerOptions, "agents" | "teams" | "runs">, owner: string) {
  const given = [...readRunnables(agents, "agents", { owner })];
  const ofTeams = [...readRunnables(teams, "teams", { owner })];
  const isTeam = ([name, runnable]: [string, Runnable]): boolean =>
    typeof runs?.find === "function" && runs.find("team", name) === runnable;
  return {
    registries: {
      agents: new Map(given.filter((entry) => !isTeam(entry))),
      teams: new Map([...given.filter(isTeam), ...ofTeams]),
    },
    names: [...given, ...ofTeams].map(([name]) => name),
  };
}
