import type { Runnable } from "@troupe/core";
import type { RouterSettings } from "../router-options.ts";
import { sendJson } from "../send-json.ts";
import type { ServedWorkflow } from "../served-workflow.ts";
import type { Route } from "./route.ts";

/** What a client may know of what it can run. */
export type Listed = {
  name: string;
  kind: Runnable["kind"];
  description?: string;
  /** What the field `input` of a run may be: a text, a list of content parts, or an object that is merged over a state. */
  input: ("text" | "parts" | "object")[];
};

/** What is registered, by kind. It is settled with the router, and so are these answers. */
export function listRoutes({ agents, teams, workflows }: RouterSettings): Route[] {
  return [
    listRoute("agents", [...agents].map(toListed)),
    listRoute("teams", [...teams].map(toListed)),
    listRoute("workflows", [...workflows].map(toListedWorkflow)),
  ];
}

function listRoute(name: string, listed: readonly Listed[]): Route {
  return { path: `/${name}`, get: ({ response }) => sendJson(response, 200, { [name]: listed }) };
}

function toListed([name, { kind, description }]: [string, Runnable]): Listed {
  return { name, kind, ...(description !== undefined && { description }), input: ["text", "parts"] };
}

function toListedWorkflow([name, { description }]: [string, ServedWorkflow]): Listed {
  return { name, kind: "workflow", ...(description !== undefined && { description }), input: ["object"] };
}
