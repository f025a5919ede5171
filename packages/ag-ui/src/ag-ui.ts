import { TroupeError } from "@troupe/core";
import { findRunnable, readIdempotencyKey, readMessage, readWorkflowInput } from "@troupe/core/transport";
import type { Exchange, FoundRun, Protocol, Route, RunTerms, Service } from "@troupe/core/transport";
import { answersIn, readRequest } from "./read-request.ts";
import type { AgUiRequest } from "./read-request.ts";
import { sendRun } from "./send-run.ts";

type Kind = "agent" | "team" | "workflow";

/** A request for a run, with the runnable that it names and the service. */
type Call = { readonly exchange: Exchange; readonly service: Service; readonly kind: Kind; readonly name: string };

const defaultBodyBytes = 1_048_576;

/**
 * Makes the protocol that serves agents, teams and workflows over AG-UI, at `/agui/agents/:name`, `/agui/teams/:name` and
 * `/agui/workflows/:name`. A thread is a session.
 */
export function agUi(): Protocol {
  return {
    name: "ag-ui",
    routes: (service: Service): Route[] =>
      (["agent", "team", "workflow"] as const).map((kind) => ({
        path: `/agui/${kind}s/:name`,
        post: async (exchange) => {
          const name = String(exchange.params["name"]);
          exchange.record.name = name;
          await answer({ exchange, service, kind, name });
        },
      })),
  };
}

async function answer(call: Call): Promise<void> {
  const { exchange, service, kind, name } = call;
  const subject: unknown = findRunnable<unknown>(service[`${kind}s`], name, kind);
  const maxBytes = service.settings.maxBodyBytes ?? defaultBodyBytes;
  const request = readRequest(await exchange.readJsonObject({ maxBytes }));
  const waiting = await findWaiting(call, request);
  if (waiting !== undefined) return await continueRun(call, request, waiting);
  const { threadId: sessionId, input } = request;
  const readInput = kind === "workflow" ? (given: unknown) => readWorkflowInput(given) : readMessage;
  const readFields = () => ({ input: kind === "workflow" ? input : (input ?? undefined), sessionId });
  const read = await service.readRun(exchange, subject as object, { readInput, readFields });
  service.closeIfDraining(exchange);
  const key = readIdempotencyKey(exchange);
  const run = await service.servedRuns.beginStored(read, { ...termsOf(call), ...(key !== undefined && { key }) });
  const own = { ...read.opts, runId: run.runId };
  await sendRun(exchange, run, { request, heartbeatMs: service.settings.heartbeatMs, own });
}

function termsOf({ kind, name, service }: Call): RunTerms {
  const { servedRuns, settings } = service;
  // AG-UI has no request to cancel a run: a client only closes its connection.
  const endsWithClient = !servedRuns.isDurable(kind, name) && settings.onDisconnect === "cancel";
  return { kind, name, isStored: true, endsWithClient };
}

/**
 * Returns the waiting run of the thread; undefined if there is none. If there is none but the request has answers,
 * throws `conflict`.
 */
async function findWaiting(call: Call, request: AgUiRequest): Promise<FoundRun | undefined> {
  const { exchange, service, kind, name } = call;
  const found = await service.servedRuns.findOfSession(request.threadId, exchange.principal ?? {});
  const isIts = found?.run.kind === kind && found.run.name === name;
  if (!isIts || found === undefined || found.view.status !== "waiting") {
    if (request.resume.length === 0) return undefined;
    throw new TroupeError("conflict", "The thread has no run that waits for an answer.");
  }
  return found;
}

/** Answers the questions of a waiting run, and sends the events that follow. */
async function continueRun(call: Call, request: AgUiRequest, { run, view }: FoundRun): Promise<void> {
  const { exchange, service } = call;
  const waits = view.waits ?? [];
  const answers = answersIn(request, waits);
  const open = waits.filter(({ id }) => !answers.has(id));
  if (open.length > 0) {
    const ids = open.map(({ id }) => JSON.stringify(id)).join(", ");
    throw new TroupeError("conflict", `The run of this thread waits for answers. Resume ${ids} too.`);
  }
  for (const [waitId, given] of answers) await run.service.answer(run.runId, waitId, given, run.caller);
  const own = { runId: run.runId };
  const behind = view.attempts;
  await sendRun(exchange, run, { request, heartbeatMs: service.settings.heartbeatMs, own, behind });
}
