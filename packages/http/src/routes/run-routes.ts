import type { RunKind } from "@troupe/core/runs";
import { findRunnable, readMessage, readWorkflowInput } from "@troupe/core/transport";
import type { Route, RouteHandler } from "@troupe/core/transport";
import { answerRun } from "../answer/answer-run.ts";
import { answerStream } from "../answer/answer-stream.ts";
import type { RunCall } from "../answer/begin-run.ts";
import { readRunRequest, readTerms } from "../request/read-run-request.ts";
import type { InputRule } from "../request/read-run-request.ts";
import type { HttpParts } from "../settings/http-options.ts";

/** The agents, teams or workflows of a service, and the rule for reading their input. */
type Collection = {
  readonly path: string;
  readonly kind: RunKind;
  readonly registry: ReadonlyMap<string, unknown>;
  readonly input: InputRule<unknown>;
};

/**
 * Makes the routes that run an agent, team or workflow: `/run` answers with the whole output, `/stream` with events.
 */
export function runRoutes(parts: HttpParts): Route[] {
  const { agents, teams, workflows } = parts.service;
  const input = { read: readMessage, takesFiles: true };
  const ofWorkflows = { read: readWorkflowInput, takesFiles: false };
  return [
    ...routesOf({ path: "/agents", kind: "agent", registry: agents, input }, parts),
    ...routesOf({ path: "/teams", kind: "team", registry: teams, input }, parts),
    ...routesOf({ path: "/workflows", kind: "workflow", registry: workflows, input: ofWorkflows }, parts),
  ];
}

function routesOf({ path, kind, registry, input }: Collection, parts: HttpParts): Route[] {
  const { service } = parts;
  const toHandler = (answer: (call: RunCall) => Promise<void>): RouteHandler => {
    return async (exchange) => {
      const name = String(exchange.params["name"]);
      const subject = findRunnable(registry, name, kind);
      exchange.record.name = name;
      const read = readTerms(exchange, { kind, name }, parts);
      const requested = await readRunRequest(exchange, subject, { parts, input });
      try {
        await answer({ exchange, service, requested, ...read });
      } catch (error) {
        exchange.fail(error, requested.opts);
      }
    };
  };
  return [
    { path: `${path}/:name/run`, post: toHandler(answerRun) },
    { path: `${path}/:name/stream`, post: toHandler(answerStream) },
  ];
}
