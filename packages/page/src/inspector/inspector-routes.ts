import { TroupeError } from "@troupe/core";
import type { RunCaller, RunListOptions, RunService, RunView } from "@troupe/core/runs";
import { encodeSse, SseWriter, toPublicError } from "@troupe/core/transport";
import type { Exchange, Route, Service } from "@troupe/core/transport";
import { readInspectorCaller } from "./access.ts";
import type { AuthorizeInspector } from "./access.ts";
import { declaredStepsOf } from "./declared-steps.ts";
import { EventCollector } from "./inspected-events.ts";
import type { InspectedRun, InspectedRunDetails, InspectedRunPage } from "./inspected-run.ts";
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
};

/** A request to the inspector, and the caller whose runs it may see. */
type Visit = {
  readonly exchange: Exchange;
  readonly caller: RunCaller;
  readonly runs: RunService;
  readonly heartbeatMs: number;
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
  const { authorize, runs = service.runs } = inspector;
  if (runs === undefined) throw noRuns();
  const { heartbeatMs } = service.settings;
  const toRoute = (below: string, answer: Answer): Route => ({
    path: path + below,
    get: async (exchange) => {
      exchange.setHeader("X-Content-Type-Options", "nosniff").setHeader("Cross-Origin-Resource-Policy", "same-origin");
      const caller = await readInspectorCaller(exchange, authorize);
      await answer({ exchange, caller, runs, heartbeatMs });
    },
  });
  return [toRoute("/runs", sendRuns), toRoute("/runs/:runId", sendRun), toRoute("/runs/:runId/events", sendEvents)];
}

function noRuns(): TroupeError {
  const message = "The inspector has no runs to show. Make the service durable, or give inspector: { runs }.";
  return new TroupeError("invalid_config", message);
}

async function sendRuns({ exchange, caller, runs }: Visit): Promise<void> {
  const { status, limit, after } = readQuery(exchange, ["status", "limit", "after"]);
  const options = { status: status as RunListOptions["status"], limit: limit && Number(limit), after };
  const page = await runs.list(caller, options as RunListOptions);
  const body: InspectedRunPage = {
    runs: page.runs.map((run) => toInspectedRun(run, caller)),
    ...(page.next !== undefined && { next: page.next }),
    sees: caller === "host" ? "all" : "own",
  };
  exchange.sendJson(200, body);
}

async function sendRun({ exchange, caller, runs }: Visit): Promise<void> {
  readQuery(exchange, []);
  const run = await runs.get(runIdOf(exchange), caller);
  const input = await runs.readInput(run.runId, caller).catch(ifRemoved);
  const steps = declaredStepsOf(runs.find(run.kind, run.name));
  const deliveries = await runs.webhooks.deliveries(run.runId, caller);
  const body: InspectedRunDetails = {
    run: toInspectedRun(run, caller),
    ...(input !== undefined && { input: toShownJson(input) }),
    ...(steps.length > 0 && { steps }),
    ...(deliveries.length > 0 && { deliveries }),
  };
  exchange.sendJson(200, body);
}

/**
 * Sends the events of a run, stored and new ones, until its end: all, or those after `Last-Event-ID` or the query's
 * `after`.
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

function toInspectedRun(run: RunView, caller: RunCaller): InspectedRun {
  const { runId, kind, name, sessionId, status, createdAt, startedAt, endedAt, expiresAt, attempts, node } = run;
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
