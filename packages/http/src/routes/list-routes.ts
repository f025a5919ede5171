import type { Runnable } from "@troupe/core";
import type { ServedWorkflow } from "@troupe/core/service";
import type { Route } from "@troupe/core/transport";
import type { HttpParts } from "../settings/http-options.ts";

/**
 * An entry in the answers to `GET /agents`, `/teams` and `/workflows`: the name and properties of a registered
 * runnable.
 */
export type ListEntry = {
  name: string;
  kind: Runnable["kind"];
  description?: string;
  /**
   * The accepted forms of a run's `input`: a string, an array of content parts, or an object that is merged into the
   * state.
   */
  input: ("text" | "parts" | "object")[];
  /** The JSON Schema of an input object, if a workflow declares one. */
  inputSchema?: Readonly<Record<string, unknown>>;
};

/** Makes the routes `GET /agents`, `/teams` and `/workflows`, which list the registered runnables by name. */
export function listRoutes({ service: { agents, teams, workflows } }: HttpParts): Route[] {
  return [
    listRoute("agents", [...agents].map(toListEntry)),
    listRoute("teams", [...teams].map(toListEntry)),
    listRoute("workflows", [...workflows].map(toWorkflowEntry)),
  ];
}

function listRoute(name: string, listed: readonly ListEntry[]): Route {
  return { path: `/${name}`, get: (exchange) => exchange.sendJson(200, { [name]: listed }) };
}

function toListEntry([name, { kind, description }]: [string, Runnable]): ListEntry {
  return { name, kind, ...(description !== undefined && { description }), input: ["text", "parts"] };
}

function toWorkflowEntry([name, { description, inputSchema }]: [string, ServedWorkflow]): ListEntry {
  return {
    name,
    kind: "workflow",
    ...(description !== undefined && { description }),
    input: ["object", "text"],
    ...(inputSchema !== undefined && { inputSchema }),
  };
}
