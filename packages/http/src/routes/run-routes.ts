import type { MessageContent, Runnable } from "@troupe/core";
import { findRunnable } from "@troupe/core/adapter";
import { answerRun, answerWorkflow } from "../answer/answer-run.ts";
import { answerStream, answerWorkflowStream } from "../answer/answer-stream.ts";
import type { Exchange, RunCall } from "../exchange.ts";
import { recordOf } from "../request-record.ts";
import { readCall, readMessage, readState } from "../request/read-call.ts";
import type { InputReader } from "../request/read-call.ts";
import type { RouterSettings } from "../router-options.ts";
import type { ServedWorkflow } from "../served-workflow.ts";
import type { Handle, Route } from "./route.ts";

type Answer<Subject, Input> = (exchange: Exchange, call: RunCall<Subject, Input>) => Promise<void>;

/** What one kind of thing is called, and how its runs are read and answered. */
type Service<Subject, Input> = {
  path: string;
  kind: string;
  registry: ReadonlyMap<string, Subject>;
  input: InputReader<Input>;
  run: Answer<Subject, Input>;
  stream: Answer<Subject, Input>;
};

/** The runs of all that is registered: whole, or as a stream. */
export function runRoutes({ agents, teams, workflows }: RouterSettings): Route[] {
  const whatSpeaks = { input: { read: readMessage, takesFiles: true }, run: answerRun, stream: answerStream };
  return [
    ...serviceRoutes<Runnable, MessageContent>({ path: "/agents", kind: "agent", registry: agents, ...whatSpeaks }),
    ...serviceRoutes<Runnable, MessageContent>({ path: "/teams", kind: "team", registry: teams, ...whatSpeaks }),
    ...serviceRoutes<ServedWorkflow, object | undefined>({
      path: "/workflows",
      kind: "workflow",
      registry: workflows,
      input: { read: readState, takesFiles: false },
      run: answerWorkflow,
      stream: answerWorkflowStream,
    }),
  ];
}

function serviceRoutes<Subject, Input>(service: Service<Subject, Input>): Route[] {
  return [
    { path: `${service.path}/:name/run`, post: toHandle(service, service.run) },
    { path: `${service.path}/:name/stream`, post: toHandle(service, service.stream) },
  ];
}

function toHandle<Subject, Input>(
  { registry, kind, input }: Service<Subject, Input>,
  answer: Answer<Subject, Input>,
): Handle {
  return async (exchange) => {
    const name = String(exchange.request.params["name"]);
    const subject = findRunnable(registry, name, kind);
    recordOf(exchange.response).name = name;
    const call = await readCall(exchange, { subject, name }, input);
    exchange.opts = call.opts;
    return answer(exchange, call);
  };
}
