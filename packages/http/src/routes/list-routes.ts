import type { Runnable } from "@troupe/core";
import type { ServedWorkflow } from "@troupe/core/transport";
import { sendJson } from "../exchange/send-json.ts";
import type { RouterSettings } from "../settings/router-options.ts";
import type { Route } from "./mount-route.ts";

/**
 * An entry of the answers to `GET /agents`, `/teams` and `/workflows`: the name and properties of a registered agent,
 * team or workflow.
 */
export type ListEntry = {
  name: string;
  kind: Runnable["kind"];
  description?: string;
  /** The forms of a run's `input`: a string, an array of content parts, or an object that is merged over a state. */
  input: ("text" | "parts" | "object")[];
};

/** Makes the routes `GET /agents`, `/teams` and `/workflows`, which list all registered ones by name. */
export function listRoutes({ agents, teams, workflows }: RouterSettings): Route[] {
  return [
    listRoute("agents", [...agents].map(toListEntry)),
    listRoute("teams", [...teams].map(toListEntry)),
    listRoute("workflows", [...workflows].map(toWorkflowEntry)),
  ];
}

function listRoute(name: string, listed: readonly ListEntry[]): Route {
  return { path: `/${name}`, get: ({ response }) => sendJson(response, 200, { [name]: listed }) };
}

function toListEntry([name, { kind, description }]: [string, Runnable]): ListEntry {
  return { name, kind, ...(description !== undefined && { description }), input: ["text", "parts"] };
}

function toWorkflowEntry([name, { description }]: [string, ServedWorkflow]): ListEntry {
  return { name, kind: "workflow", ...(description !== undefined && { description }), input: ["object", "text"] };
}
