import { hash } from "node:crypto";
import { TroupeError } from "@troupe/core";
import type { Json, RunWait } from "@troupe/core";
import type { ServedWorkflow } from "@troupe/core/service";
import { findRunnable, readIdempotencyKey } from "@troupe/core/transport";
import type {
  Exchange,
  FoundRun,
  Protocol,
  Route,
  ProtocolRunOptions,
  Service,
  ServedStoredRun,
} from "@troupe/core/transport";
import { agUiPaths } from "./ag-ui-paths.ts";
import { agUiSchemas } from "./ag-ui-schemas.ts";
import { answersIn, readRequest } from "./read-request.ts";
import type { AgUiRequest } from "./read-request.ts";
import { messageInput, nothingWaits, workflowInput } from "./run-input.ts";
import { sendRun } from "./send-run.ts";
import type { SendOptions } from "./send-run.ts";

type Kind = "agent" | "team" | "workflow";

/** A request for a run, with the runnable that it names and the service. */
type Call = { readonly exchange: Exchange; readonly service: Service; readonly kind: Kind; readonly name: string };

const defaultBodyBytes = 1_048_576;

/** The path of the request's `tools` in errors about the options of a run. */
const toolsField = "additions.clientTools";

/**
 * Makes the protocol that serves agents, teams and workflows over AG-UI, at `/agui/agents/:name`, `/agui/teams/:name`
 * and `/agui/workflows/:name`. A thread is a session.
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
    describe: (service) => ({ paths: agUiPaths(service), schemas: agUiSchemas }),
  };
}

async function answer(call: Call): Promise<void> {
  const { exchange, service, kind, name } = call;
  const subject: unknown = findRunnable<unknown>(service[`${kind}s`], name, kind);
  const maxBytes = service.settings.maxBodyBytes ?? defaultBodyBytes;
  const request = readRequest(await exchange.readJsonObject({ maxBytes }));
  service.closeIfDraining(exchange);
  const found = await findOfThread(call, request);
  const waits = found?.view.status === "waiting" ? (found.view.waits ?? []) : undefined;
  const answers = answersIn(request, waits ?? []);
  const isAnswer = answers.size > 0 || request.resume.length > 0;
  if (!isAnswer) return await beginRun({ ...call, subject }, request, waits);
  if (found === undefined || waits === undefined) return await followAnswered(call, request, found);
  checkAnswered(waits, answers);
  const others = request.resume.filter(({ interruptId }) => !waits.some(({ id }) => id === interruptId));
  const before = answersIn(request, await readAsked(found, others));
  await continueRun(call, request, { found, answers: new Map([...before, ...answers]) });
}

type BegunCall = Call & { readonly subject: unknown };

/**
 * Begins a run, or finds it again by the id that the client has given it. `waits` are the questions of the thread's
 * waiting run: while it has questions, no other run can begin.
 */
async function beginRun(call: BegunCall, request: AgUiRequest, waits: readonly RunWait[] | undefined): Promise<void> {
  const { exchange, service, kind, subject } = call;
  const workflow = kind === "workflow" ? (subject as ServedWorkflow) : undefined;
  const input = workflow === undefined ? inputOf(request, waits) : workflowInput(workflow, request);
  const readFields = () => ({ input, sessionId: request.threadId });
  const read = await service.readRun(exchange, subject as object, { readInput: (given: unknown) => given, readFields });
  const clientTools = toolsOf(call, request);
  const opts = { ...read.opts, ...(clientTools.length > 0 && { additions: { clientTools } }) };
  const key = readIdempotencyKey(exchange) ?? keyOf(call, request);
  const terms = { ...termsOf(call), key, mustExist: waits !== undefined };
  let run: ServedStoredRun;
  try {
    run = await service.servedRuns.beginStored({ ...read, opts }, terms);
  } catch (error) {
    if (waits !== undefined && TroupeError.is(error) && error.code === "gone") checkAnswered(waits, new Map());
    throw inWordsOfClient(error);
  }
  const own = { ...read.opts, runId: run.runId };
  const { heartbeatMs } = service.settings;
  await sendRun(exchange, run, { request, heartbeatMs, own, workflow, state: workflow && stateOf(workflow, input) });
}

/**
 * Returns the input of an agent's or a team's run. Throws `conflict` if the request has no message and leaves questions
 * of the run open.
 */
function inputOf(request: AgUiRequest, waits: readonly RunWait[] = []): unknown {
  if (request.said === undefined) checkAnswered(waits, new Map());
  return messageInput(request);
}

/** Returns the state with which a workflow begins. */
function stateOf({ initialState }: ServedWorkflow, input: unknown): object {
  return { ...initialState, ...(typeof input === "object" && input) };
}

/**
 * Returns the key by which a repeated request finds its run. The client chooses the ids of its runs, so they are unique
 * only within a thread.
 */
function keyOf({ kind, name }: Call, { threadId, runId }: AgUiRequest): string {
  return `ag-ui:${hash("sha256", JSON.stringify([kind, name, threadId, runId]))}`;
}

/**
 * Returns the front end's tools that the run gets. Only agents have tools of their clients. A front end's tool is the
 * same as an agent's tool of that name without a function.
 */
function toolsOf({ kind, subject }: BegunCall, { tools }: AgUiRequest): AgUiRequest["tools"] {
  if (kind !== "agent") return [];
  const { tools: own } = subject as { readonly tools?: unknown };
  if (!Array.isArray(own)) return tools;
  const declared = (own as readonly OwnTool[]).filter(({ execute }) => execute === undefined);
  return tools.filter(({ name }) => !declared.some((tool) => tool.name === name));
}

/** The fields that identify a tool of an agent as a tool that clients execute. */
type OwnTool = { readonly name?: string; readonly execute?: unknown };

/** Converts an error about the options of a run: it then names the fields of the client's request. */
function inWordsOfClient(thrown: unknown): unknown {
  if (!TroupeError.is(thrown)) return thrown;
  const { code, message, fields } = thrown;
  const { field } = fields;
  if (typeof field !== "string" || !field.startsWith(toolsField)) return thrown;
  const named = { ...fields, field: field.replace(toolsField, "tools") };
  return new TroupeError(code, message.replace(toolsField, "tools"), { fields: named });
}

function termsOf({ kind, name, service }: Call): ProtocolRunOptions {
  const { servedRuns, settings } = service;
  // AG-UI has no request to cancel a run: a client only closes its connection.
  const endsWithClient = !servedRuns.isDurable(kind, name) && settings.onDisconnect === "cancel";
  return { kind, name, isStored: true, endsWithClient };
}

/** Returns the open run of the thread. Undefined if there is none, or if it is a run of another agent. */
async function findOfThread(call: Call, { threadId }: AgUiRequest): Promise<FoundRun | undefined> {
  const { exchange, service, kind, name } = call;
  const found = await service.servedRuns.findOfSession(threadId, exchange.principal ?? {});
  return found?.run.kind === kind && found.run.name === name ? found : undefined;
}

/** Throws `conflict` if a question has no answer. */
function checkAnswered(waits: readonly RunWait[], answers: ReadonlyMap<string, Json>): void {
  const open = waits.filter(({ id }) => !answers.has(id));
  if (open.length === 0) return;
  const ids = open.map(({ id }) => JSON.stringify(id)).join(", ");
  throw new TroupeError("conflict", `The run of this thread waits for answers. Resume ${ids} too.`);
}

type Given = { readonly found: FoundRun; readonly answers: ReadonlyMap<string, Json> };

/** Answers the questions of a waiting run, and sends the events that follow. */
async function continueRun(call: Call, request: AgUiRequest, { found, answers }: Given): Promise<void> {
  const { run, view } = found;
  for (const [waitId, given] of answers) await run.service.answer(run.runId, waitId, given, run.caller);
  await sendContinued(call, request, { run, behind: view.attempts });
}

/**
 * Sends the events after the answers of a repeated request, whose client has not seen the effect of its answers. Throws
 * `conflict` if the thread's run has never asked the questions that the request answers.
 */
async function followAnswered(call: Call, request: AgUiRequest, found: FoundRun | undefined): Promise<void> {
  if (found === undefined) throw nothingWaits();
  const asked = await readAsked(found, request.resume);
  const { run } = found;
  // The service accepts an answer again if it is the same.
  for (const [waitId, given] of answersIn(request, asked))
    await run.service.answer(run.runId, waitId, given, run.caller);
  await sendContinued(call, request, { run, answered: new Set(asked.map(({ id }) => id)) });
}

/** Reads the questions that answers name. Throws `conflict` if the run has never asked one of them. */
async function readAsked({ run }: FoundRun, resume: AgUiRequest["resume"]): Promise<RunWait[]> {
  const asked: RunWait[] = [];
  for (const { interruptId } of resume) {
    const wait = await run.service.getWait(run.runId, interruptId, run.caller);
    if (wait === null) throw nothingWaits(interruptId);
    asked.push(wait);
  }
  return asked;
}

type Continued = Pick<SendOptions, "behind" | "answered"> & { readonly run: ServedStoredRun };

async function sendContinued(call: Call, request: AgUiRequest, { run, ...behind }: Continued): Promise<void> {
  const { exchange, service, kind, name } = call;
  const workflow = kind === "workflow" ? service.workflows.get(name) : undefined;
  const { heartbeatMs } = service.settings;
  await sendRun(exchange, run, { request, heartbeatMs, own: { runId: run.runId }, workflow, ...behind });
}
