import { Router } from "express";
import type { Request, Response, Router as ExpressRouter } from "express";
import { TroupeError } from "@troupe/core";
import type { Logger } from "@troupe/core";
import type { RunCaller, RunListOptions, RunService, RunView } from "@troupe/core/runs";
import { encodeSse, SseWriter } from "@troupe/core/transport";
import { readInspectorCaller } from "./access.ts";
import type { AuthorizeInspector } from "./access.ts";
import { EventCollector } from "./inspected-events.ts";
import type { DeclaredStep, InspectedRun, InspectedRunDetails, InspectedRunPage } from "./inspected-run.ts";
import { sendFailure, sendJson, toFailureBody } from "./send-json.ts";
import { toShownJson } from "./shown-json.ts";
import { readError } from "./step-facts.ts";

/** The page's option `inspector`. */
export type InspectorOptions = {
  /** The service whose runs are shown. */
  readonly runs: RunService;
  /**
   * Returns true if the sender of a request may see the runs of all users; others see their own, by `request.principal`. Where
   * users are to see none but their own, it returns false. @default all runs, for programs on this machine alone
   */
  readonly authorize?: AuthorizeInspector | undefined;
  /** Told of failures that are not the client's. @default none */
  readonly logger?: Logger | undefined;
};

/** A request with whose runs it may see. */
type Visit = {
  readonly request: Request;
  readonly response: Response;
  readonly caller: RunCaller;
  readonly runs: RunService;
};

type Answer = (visit: Visit) => Promise<void>;

/** Makes the routes of the inspector, below the path of the page. They read, and change nothing. */
export function inspectorRoutes({ runs, authorize, logger }: InspectorOptions): ExpressRouter {
  const router = Router({ caseSensitive: true });
  const mount = (path: string, answer: Answer): void => {
    router.all(path, async (request, response) => {
      try {
        if (request.method !== "GET" && request.method !== "HEAD") throw wrongMethod(response);
        const caller = await readInspectorCaller(request, authorize);
        await answer({ request, response, caller, runs });
      } catch (error) {
        sendFailure(response, error, logger);
      }
    });
  };
  mount("/runs", sendRuns);
  mount("/runs/:runId", sendRun);
  mount("/runs/:runId/events", sendEvents);
  return router;
}

async function sendRuns({ request, response, caller, runs }: Visit): Promise<void> {
  const { status, limit, after } = readQuery(request, ["status", "limit", "after"]);
  const options = { status: status as RunListOptions["status"], limit: limit && Number(limit), after };
  const page = await runs.list(caller, options as RunListOptions);
  const body: InspectedRunPage = {
    runs: page.runs.map((run) => toInspectedRun(run, caller)),
    ...(page.next !== undefined && { next: page.next }),
    sees: caller === "host" ? "all" : "own",
  };
  sendJson(response, 200, body);
}

async function sendRun({ request, response, caller, runs }: Visit): Promise<void> {
  readQuery(request, []);
  const run = await runs.get(runIdOf(request), caller);
  const input = await runs.readInput(run.runId, caller).catch(ifRemoved);
  const steps = declaredStepsOf(runs.find(run.kind, run.name));
  const body: InspectedRunDetails = {
    run: toInspectedRun(run, caller),
    ...(input !== undefined && { input: toShownJson(input) }),
    ...(steps.length > 0 && { steps }),
  };
  sendJson(response, 200, body);
}

/** Sends the events of a run from behind `Last-Event-ID` on, up to its end: those that are there, and those to come. */
async function sendEvents({ request, response, caller, runs }: Visit): Promise<void> {
  const { after: given } = readQuery(request, ["after"]);
  const sent = request.headers["last-event-id"];
  const after = typeof sent === "string" && sent !== "" ? sent : given;
  const run = await runs.get(runIdOf(request), caller);
  const events = runs.events(run.runId, caller, after);
  response.writeHead(200, {
    "Content-Type": "text/event-stream; charset=utf-8",
    "Cache-Control": "no-store",
    "X-Accel-Buffering": "no",
    "X-Content-Type-Options": "nosniff",
  });
  if (request.method === "HEAD") return void response.end();
  response.flushHeaders();
  const writer = new SseWriter(response);
  const leave = () => void events.return?.();
  response.once("close", leave);
  try {
    await copyEvents(events, new EventCollector(run.kind, caller === "host"), writer);
  } catch (error) {
    const data = JSON.stringify(toFailureBody(error));
    if (!writer.closed) void writer.write(encodeSse({ event: "error", data }));
  } finally {
    response.off("close", leave);
    await events.return?.();
    await writer.close();
  }
}

/** Writes the events of one turn of the event loop together: text comes in many small chunks. */
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

/** The steps as a workflow lists them; an agent or a team has none. */
function declaredStepsOf(runnable: object | undefined): DeclaredStep[] {
  const steps: unknown = runnable && "plannedSteps" in runnable ? runnable.plannedSteps : undefined;
  if (!Array.isArray(steps)) return [];
  return (steps as DeclaredStep[]).map(({ name, kind, within }) => ({ name, kind, ...(within && { within }) }));
}

/** An input that lies beside its record goes with the log of its run. */
function ifRemoved(error: unknown): undefined {
  if (TroupeError.is(error) && error.code === "storage_corrupt") return undefined;
  throw error;
}

function readQuery<Name extends string>({ query }: Request, names: readonly Name[]): { [Key in Name]?: string } {
  for (const [name, value] of Object.entries(query)) {
    if (names.includes(name as Name) && typeof value === "string") continue;
    throw new TroupeError(
      "invalid_request",
      `Unknown or repeated query parameter ${JSON.stringify(name.slice(0, 64))}. Expected ${names.join(", ") || "none"}.`,
    );
  }
  return query as { [Key in Name]?: string };
}

function runIdOf({ params }: Request): string {
  return String(params["runId"]);
}

/** No error code stands for the status 405. */
function wrongMethod(response: Response): TroupeError {
  response.setHeader("Allow", "GET, HEAD");
  return new TroupeError("invalid_request", "The inspector only reads: expected GET.");
}
