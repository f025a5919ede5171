import type { MessageContent, Runnable } from "@troupe/core";
import { findRunnable } from "@troupe/core/adapter";
import { answerRun, answerStream, answerWorkflow, answerWorkflowStream } from "../answer/answer-run.ts";
import { ClientRun } from "../answer/client-run.ts";
import { sendFailure } from "../errors/send-failure.ts";
import { readPrincipal } from "../exchange/principal.ts";
import { requestRecordOf } from "../exchange/request-record.ts";
import { sendJson } from "../exchange/send-json.ts";
import { readRunRequest, readMessage, readWorkflowInput } from "../request/read-run-request.ts";
import type { InputRule } from "../request/read-run-request.ts";
import type { RouterSettings, ServedWorkflow } from "../settings/router-options.ts";
import type { RouteHandler, Route } from "./mount-route.ts";

type Answer<Subject, Input> = (run: ClientRun<Subject, Input>) => Promise<void>;

/** One kind of subject: where its runs are found, and how they are read and answered. */
type Service<Subject, Input> = {
  path: string;
  kind: string;
  registry: ReadonlyMap<string, Subject>;
  input: InputRule<Input>;
  run: Answer<Subject, Input>;
  stream: Answer<Subject, Input>;
};

/**
 * Makes the routes that run an agent, team or workflow (`/run` answers with the whole output, `/stream` with events),
 * and the route that cancels an active run by its id.
 */
export function runRoutes(settings: RouterSettings): Route[] {
  const { agents, teams, workflows } = settings;
  const answers = { input: { read: readMessage, takesFiles: true }, run: answerRun, stream: answerStream };
  return [
    ...serviceRoutes<Runnable, MessageContent>(settings, {
      path: "/agents",
      kind: "agent",
      registry: agents,
      ...answers,
    }),
    ...serviceRoutes<Runnable, MessageContent>(settings, { path: "/teams", kind: "team", registry: teams, ...answers }),
    ...serviceRoutes<ServedWorkflow, object | string | undefined>(settings, {
      path: "/workflows",
      kind: "workflow",
      registry: workflows,
      input: { read: readWorkflowInput, takesFiles: false },
      run: answerWorkflow,
      stream: answerWorkflowStream,
    }),
    cancelRoute(settings),
  ];
}

function serviceRoutes<Subject, Input>(settings: RouterSettings, service: Service<Subject, Input>): Route[] {
  const toHandle = (answer: Answer<Subject, Input>): RouteHandler => {
    return async (exchange) => {
      const name = String(exchange.request.params["name"]);
      const subject = findRunnable(service.registry, name, service.kind);
      requestRecordOf(exchange.response).name = name;
      const runRequest = await readRunRequest(exchange, subject, { settings, input: service.input });
      try {
        await answer(new ClientRun(exchange, runRequest, settings));
      } catch (error) {
        sendFailure(error, exchange, runRequest.opts);
      }
    };
  };
  return [
    { path: `${service.path}/:name/run`, post: toHandle(service.run) },
    { path: `${service.path}/:name/stream`, post: toHandle(service.stream) },
  ];
}

/** Cancels a run for its owner or, if it has none, for everyone who knows its id. */
function cancelRoute({ activeRuns }: RouterSettings): Route {
  return {
    path: "/runs/:runId/cancel",
    post: ({ request, response }) => {
      const runId = String(request.params["runId"]);
      activeRuns.cancel(runId, readPrincipal(request) ?? {});
      sendJson(response, 200, { runId, status: "cancelled" });
    },
  };
}
