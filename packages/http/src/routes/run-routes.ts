import type { MessageContent, Runnable } from "@troupe/core";
import type { RunKind } from "@troupe/core/runs";
import { findRunnable, readMessage, readWorkflowInput } from "@troupe/core/transport";
import type { ServedWorkflow } from "@troupe/core/transport";
import { answerKeptRun, answerKeptStream } from "../answer/answer-kept.ts";
import type { KeptCall } from "../answer/answer-kept.ts";
import { answerRun, answerStream, answerWorkflow, answerWorkflowStream } from "../answer/answer-run.ts";
import { HttpRun } from "../answer/http-run.ts";
import { sendFailure } from "../errors/send-failure.ts";
import { requestRecordOf } from "../exchange/request-record.ts";
import { chooseService, isPlain } from "../request/choose-service.ts";
import { readRunRequest } from "../request/read-run-request.ts";
import type { InputRule } from "../request/read-run-request.ts";
import type { RouterSettings } from "../settings/router-options.ts";
import type { RouteHandler, Route } from "./mount-route.ts";

type Answer<Subject, Input> = (run: HttpRun<Subject, Input>) => Promise<void>;

/** One kind of subject: where its runs are found, and how they are read and answered. */
type Service<Subject, Input> = {
  path: string;
  kind: RunKind;
  registry: ReadonlyMap<string, Subject>;
  input: InputRule<Input>;
  run: Answer<Subject, Input>;
  stream: Answer<Subject, Input>;
};

/**
 * Makes the routes that run an agent, team or workflow: `/run` answers with the whole output, `/stream` with events.
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
  ];
}

function serviceRoutes<Subject, Input>(settings: RouterSettings, service: Service<Subject, Input>): Route[] {
  const { path, kind, registry, input } = service;
  const toHandle = (answer: Answer<Subject, Input>, answerKept: (call: KeptCall) => Promise<void>): RouteHandler => {
    return async (exchange) => {
      const name = String(exchange.request.params["name"]);
      const subject = findRunnable(registry, name, kind);
      requestRecordOf(exchange.response).name = name;
      const { request } = exchange;
      const target = isPlain(request, settings) ? undefined : chooseService(request, { kind, name }, settings);
      const runRequest = await readRunRequest(exchange, subject, { settings, input });
      try {
        if (target === undefined) await answer(new HttpRun(exchange, runRequest, settings));
        else await answerKept({ exchange, runRequest, target, settings });
      } catch (error) {
        sendFailure(error, exchange, runRequest.opts);
      }
    };
  };
  return [
    { path: `${path}/:name/run`, post: toHandle(service.run, answerKeptRun) },
    { path: `${path}/:name/stream`, post: toHandle(service.stream, answerKeptStream) },
  ];
}
