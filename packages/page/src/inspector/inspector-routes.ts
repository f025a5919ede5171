import { TroupeError } from "@troupe/core";
import type { RunCaller, RunService, RunView } from "@troupe/core/runs";
import { encodeSse, SseWriter, toPublicError } from "@troupe/core/transport";
import type { Exchange, Route, Service } from "@troupe/core/transport";
import { readInspectorCaller } from "./access.ts";
import type { AuthorizeInspector } from "./access.ts";
import { declaredStepsOf } from "./declared-steps.ts";
import { EventCollector } from "./inspected-events.ts";
import type {
  InspectedModelCall,
  InspectedQuestion,
  InspectedRun,
  InspectedRunDetails,
  InspectedRunPage,
} from "./inspected-run.ts";
import { RunFinder, tokensOf } from "./find-runs.ts";
import type { RunQuery } from "./find-runs.ts";
import { ModelCalls } from "./model-calls.ts";
import { sendCallAgain } from "./run-again.ts";
import type { OfferedModels } from "./run-again.ts";
import { toShownJson } from "./shown-json.ts";
import { readError } from "./step-facts.ts";

/** The page's option `inspector`. */
export type InspectorOptions = {
  /** The run service whose runs the inspector shows. @default the runs of the service that the page belongs to */
  readonly runs?: RunService | undefined;
  /**
   * Returns true if the sender of a request may see the runs of all users. If it returns false, users see only their
   * own runs, by their principal. @default only programs on this machine are answered: they see all runs, or with a
   * principal only the runs of its user
   */
  readonly authorize?: AuthorizeInspector | undefined;
  /**
   * `true` shows model calls as they were sent: the system prompt, the messages, the tools and the settings. The newest
   * calls of this process are kept in memory, at most 16 million characters. They are shown to callers for whom
   * `authorize` returns true; without `authorize`, to programs on this machine. @default false
   */
  readonly modelCalls?: boolean | undefined;
  /**
   * The models with which those who see model calls may make one again, by the names that they choose from. The call is
   * made with the caller's key of the vendor, else with the key of the service. Its usage is in the events `model.result`
   * and `run.complete` of the run's agent, team or workflow, with the caller as the user. No tool is called.
   * @default none
   */
  readonly models?: OfferedModels | undefined;
};

/** A request to the inspector, and the caller whose runs it may see. */
type Visit = {
  readonly exchange: Exchange;
  readonly caller: RunCaller;
  readonly runs: RunService;
  readonly finder: RunFinder;
  readonly heartbeatMs: number;
  /** The kept model calls, if the sender of the request may see them. */
  readonly modelCalls: ModelCalls | undefined;
  /** The models with which a model call may be made again. */
  readonly models: OfferedModels;
  readonly service: Service;
};

type Answer = (visit: Visit) => Promise<void>;

/**
 * Makes the read-only routes of the inspector, below a path of the page. Throws `invalid_config` if there are no runs
 * to show.
 */
export function inspectorRoutes(
  path: string,
  { inspector, service }: { inspector: InspectorOptions; service: Service },
): Route[] {
  const { authorize, runs = service.runs, models = {} } = inspector;
  if (runs === undefined) throw noRuns();
  const { heartbeatMs } = service.settings;
  const kept = inspector.modelCalls === true ? new ModelCalls(runs) : undefined;
  const finder = new RunFinder(runs);
  const toHandler = (answer: Answer) => async (exchange: Exchange) => {
    exchange.setHeader("X-Content-Type-Options", "nosniff").setHeader("Cross-Origin-Resource-Policy", "same-origin");
    const caller = await readInspectorCaller(exchange, authorize);
    const modelCalls = caller === "host" || authorize === undefined ? kept : undefined;
    await answer({ exchange, caller, runs, finder, heartbeatMs, modelCalls, models, service });
  };
  const again = Object.keys(models).length > 0 ? { post: toHandler(repeatModelCall) } : {};
  const calls = { path: `${path}/runs/:runId/model-call`, get: toHandler(sendModelCall), ...again };
  return [
    { path: `${path}/runs`, get: toHandler(sendRuns) },
    { path: `${path}/runs/:runId`, get: toHandler(sendRun) },
    { path: `${path}/runs/:runId/events`, get: toHandler(sendEvents) },
    ...(kept === undefined ? [] : [calls]),
  ];
}

function noRuns(): TroupeError {
  const message = "The inspector has no runs to show. Make the service durable, or give inspector: { runs }.";
  return new TroupeError("invalid_config", message);
}

async function sendRuns({ exchange, caller, finder }: Visit): Promise<void> {
  const page = await finder.find(caller, readRunQuery(exchange));
  const body: InspectedRunPage = {
    runs: page.runs.map(({ run, question }) => ({
      ...toInspectedRun(run, caller),
      ...(question !== undefined && { question }),
      ...(tokensOf(run) !== undefined && { tokens: tokensOf(run) ?? 0 }),
      ...(run.waits?.length && { openWaits: run.waits.map(toInspectedQuestion) }),
    })),
    ...(page.next !== undefined && { next: page.next }),
    sees: caller === "host" ? "all" : "own",
  };
  exchange.sendJson(200, body);
}

function readRunQuery(exchange: Exchange): RunQuery {
  const { limit, since, minTokens, minMs, ...texts } = readQuery(exchange, [
    "status",
    "limit",
    "after",
    "name",
    "session",
    "text",
    "since",
    "minTokens",
    "minMs",
    "tag",
    "user",
    "tenant",
  ]);
  const numbers = {
    since: readNumber("since", since),
    minTokens: readNumber("minTokens", minTokens),
    minMs: readNumber("minMs", minMs),
  };
  return { ...texts, ...numbers, limit: limit && Number(limit) } as RunQuery;
}

function readNumber(name: string, text: string | undefined): number | undefined {
  if (text === undefined || text === "") return undefined;
  const number = Number(text);
  if (Number.isNaN(number)) throw new TroupeError("invalid_request", `${name} must be a number.`);
  return number;
}

async function sendRun({ exchange, caller, runs, modelCalls, models }: Visit): Promise<void> {
  readQuery(exchange, []);
  const run = await runs.get(runIdOf(exchange), caller);
  const input = await runs.readInput(run.runId, caller).catch(ifRemoved);
  const steps = declaredStepsOf(runs.find(run.kind, run.name));
  const offered = modelCalls === undefined ? [] : Object.keys(models);
  const deliveries = await runs.webhooks.deliveries(run.runId, caller);
  const body: InspectedRunDetails = {
    run: toInspectedRun(run, caller),
    ...(input !== undefined && { input: toShownJson(input) }),
    ...(steps.length > 0 && { steps }),
    ...(deliveries.length > 0 && { deliveries }),
    ...(modelCalls !== undefined && { hasModelCalls: true as const }),
    ...(offered.length > 0 && { models: offered }),
  };
  exchange.sendJson(200, body);
}

/** Sends the model call that a step of a run has made, if this process still has it. */
async function sendModelCall(visit: Visit): Promise<void> {
  visit.exchange.sendJson(200, (await findModelCall(visit)).call);
}

/** Makes the model call of a step again, with a model that the host offers. */
async function repeatModelCall(visit: Visit): Promise<void> {
  const { exchange, runs, models, service } = visit;
  const { run, call } = await findModelCall(visit);
  await sendCallAgain(exchange, { run, call, runnable: runs.find(run.kind, run.name), models, service });
}

type FoundModelCall = { readonly run: RunView; readonly call: InspectedModelCall };

async function findModelCall({ exchange, caller, runs, modelCalls }: Visit): Promise<FoundModelCall> {
  const { step = "" } = readQuery(exchange, ["step"]);
  if (modelCalls === undefined) throw new TroupeError("forbidden", "You may not see the prompts of this service.");
  const run = await runs.get(runIdOf(exchange), caller);
  const call = modelCalls.find(run.runId, step);
  if (call === undefined) throw new TroupeError("not_found", "This process does not have the model call any more.");
  return { run, call: JSON.parse(call) as InspectedModelCall };
}

/**
 * Sends the events of a run, both stored and new events, until its end: all events, or the events after `Last-Event-ID`
 * or the query's `after`.
 */
async function sendEvents({ exchange, caller, runs, heartbeatMs }: Visit): Promise<void> {
  const { after: given } = readQuery(exchange, ["after"]);
  const sent = exchange.headers["last-event-id"];
  const after = typeof sent === "string" && sent !== "" ? sent : given;
  const run = await runs.get(runIdOf(exchange), caller);
  const events = runs.events(run.runId, caller, after);
  if (exchange.method === "HEAD") return exchange.send(200, eventHeaders);
  const stream = exchange.openStream(200, eventHeaders);
  exchange.flushHead();
  const writer = new SseWriter(stream, { heartbeatMs });
  const stopListening = exchange.onClose(() => void events.return?.());
  try {
    await copyEvents(events, new EventCollector(run.kind, caller === "host"), writer);
  } catch (error) {
    const data = JSON.stringify({ error: toPublicError(error) });
    if (!writer.closed) void writer.write(encodeSse({ event: "error", data }));
  } finally {
    stopListening();
    await events.return?.();
    await writer.close();
  }
}

const eventHeaders = {
  "Content-Type": "text/event-stream; charset=utf-8",
  "Cache-Control": "no-store",
  "X-Accel-Buffering": "no",
};

/** Writes the events of one turn of the event loop together, because text arrives in many small chunks. */
async function copyEvents(
  events: ReturnType<RunService["events"]>,
  collector: EventCollector,
  writer: SseWriter,
): Promise<void> {
  let isDue = false;
  const full: Promise<void>[] = [];
  const flush = (): void => {
    isDue = false;
    for (const { id, event } of collector.take()) {
      if (writer.closed) return;
      const room = writer.write(encodeSse({ id, data: JSON.stringify(event) }));
      if (room !== undefined) full.push(room);
    }
  };
  for await (const event of events) {
    if (writer.closed) return;
    collector.add(event);
    if (!isDue) setImmediate(flush);
    isDue = true;
    if (collector.isFull) flush();
    await Promise.all(full.splice(0));
  }
  flush();
}

function toInspectedQuestion({ id, kind, about }: NonNullable<RunView["waits"]>[number]): InspectedQuestion {
  const shown = toShownJson(about);
  const isCut = JSON.stringify(shown) !== JSON.stringify(about);
  return { waitId: id, kind, about: shown, ...(isCut && { isCut }) };
}

function toInspectedRun(run: RunView, caller: RunCaller): InspectedRun {
  const { runId, kind, name, sessionId, status, createdAt, startedAt, endedAt, expiresAt, attempts, node, tags } = run;
  const error = readError(run.error, { isHost: caller === "host" });
  return {
    runId,
    kind,
    name,
    sessionId,
    status,
    createdAt,
    ...(startedAt !== undefined && { startedAt }),
    ...(endedAt !== undefined && { endedAt }),
    ...(expiresAt !== undefined && { expiresAt }),
    attempts,
    ...(node !== undefined && { node }),
    ...(error !== undefined && { error }),
    ...(caller === "host" && tags !== undefined && { tags }),
  };
}

/**
 * Returns undefined for a missing input of a run: an input that is stored beside the record is removed together with
 * the log of its run. Rethrows any other error.
 */
function ifRemoved(error: unknown): undefined {
  if (TroupeError.is(error) && error.code === "storage_corrupt") return undefined;
  throw error;
}

function readQuery<Name extends string>({ search }: Exchange, names: readonly Name[]): { [Key in Name]?: string } {
  const read: { [Key in Name]?: string } = {};
  for (const [name, value] of new URLSearchParams(search)) {
    const known = names.find((each) => each === name);
    if (known === undefined || read[known] !== undefined) throw unknownQuery(name, names);
    read[known] = value;
  }
  return read;
}

function unknownQuery(name: string, names: readonly string[]): TroupeError {
  const sentence = `Unknown or repeated query parameter ${JSON.stringify(name.slice(0, 64))}. Expected ${names.join(", ") || "none"}.`;
  return new TroupeError("invalid_request", sentence);
}

function runIdOf({ params }: Exchange): string {
  return params["runId"] ?? "";
}
