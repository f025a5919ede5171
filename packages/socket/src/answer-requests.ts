import { TroupeError } from "@troupe/core";
import type { Json } from "@troupe/core";
import { toTroupeError } from "@troupe/core/kit";
import { logRunFailure } from "@troupe/core/transport";
import type { ServedRun, Service } from "@troupe/core/transport";
import { toClientError } from "./events.ts";
import type { RunEventBase, GatewayClientEvents } from "./events.ts";
import { readArguments, readFields, readRunMessage, readText, secretsOf } from "./read-request.ts";
import { sendRun } from "./send-run.ts";
import type { RunPlace, SocketClient } from "./socket-client.ts";

/** A client's request: the event, its payload, and the service that answers it. */
type Request = {
  readonly service: Service;
  readonly client: SocketClient;
  readonly event: keyof GatewayClientEvents;
  readonly payload: unknown;
};

/** The answer to a request: the acknowledgement, and a function that then sends the events of a run. */
type Answer = { readonly result: object; readonly follow?: () => Promise<void> };

const handlers: Readonly<Record<keyof GatewayClientEvents, (request: Request) => Promise<Answer>>> = {
  "agent.run": async (request) => await startRun(request, "agent"),
  "team.run": async (request) => await startRun(request, "team"),
  "agent.cancel": cancelRun,
  "agent.attach": attach,
  "agent.answer": takeAnswer,
};

/** The events that the gateway accepts. */
export const clientEvents = Object.keys(handlers) as (keyof GatewayClientEvents)[];

/** Answers a client's request, and sends the events of the requested run. Never rejects. */
export async function answerRequest(
  client: SocketClient,
  { service, event, sent }: { service: Service; event: keyof GatewayClientEvents; sent: readonly unknown[] },
): Promise<void> {
  const { payload, acknowledge } = readArguments(sent);
  const request = { service, client, event, payload };
  try {
    const { result, follow } = await handlers[event](request);
    acknowledge?.(result);
    await follow?.();
  } catch (thrown) {
    refuse(request, toTroupeError(thrown), acknowledge);
  }
}

async function startRun(request: Request, kind: "agent" | "team"): Promise<Answer> {
  const { client, payload, service } = request;
  const place = client.takePlace();
  try {
    const { name, requested, idempotencyKey: key } = await readRunMessage(client, payload, { kind, service });
    const run = await service.servedRuns.begin(requested, { kind, name, key });
    const { runId, sessionId } = run;
    return { result: { runId, sessionId }, follow: followRun(request, { place, run, name }) };
  } catch (error) {
    place.end();
    throw error;
  }
}

async function attach(request: Request): Promise<Answer> {
  const { client, payload, service } = request;
  const place = client.takePlace();
  try {
    const fields = readFields(payload, ["runId", "after"]);
    const after = fields.after === undefined || fields.after === null ? undefined : readText(fields.after, "after");
    const caller = client.principal ?? {};
    const { run, view } = await service.servedRuns.find(readText(fields.runId, "runId"), caller);
    run.checkReadable(view);
    const { runId, kind, name, sessionId } = run;
    if (kind === "workflow")
      throw invalid("This is the run of a workflow, which has no events here. Follow it over HTTP.");
    const follow = followRun(request, { place, run, name, after });
    return { result: { runId, name, sessionId, status: view.status }, follow };
  } catch (error) {
    place.end();
    throw error;
  }
}

/**
 * Starts following a run, replacing an earlier follower of the same client. Returns the function that sends its events.
 */
function followRun(
  request: Request,
  { place, run, name, after }: { place: RunPlace; run: ServedRun; name: string; after?: string | undefined },
): () => Promise<void> {
  const { client } = request;
  const { runId, sessionId } = run;
  // The events of a stored run are opened before the acknowledgement, so that the acknowledgement can refuse a wrong
  // position. A run that is not stored begins after the acknowledgement.
  const events = run.isStored ? run.events({ after }) : undefined;
  client.stopFollowing(runId);
  place.runId = runId;
  place.onLeave(() => run.disconnect());
  const sending = { ids: { runId, name, sessionId }, events, fail: reporterOf(request, place) };
  return () => sendRun(client, run, sending).finally(place.end);
}

async function cancelRun({ client, payload, service }: Request): Promise<Answer> {
  const fields = readFields(payload, ["runId"]);
  const runId = readText(fields.runId, "runId");
  return { result: { runId, status: await service.servedRuns.cancel(runId, client.principal ?? {}) } };
}

async function takeAnswer({ client, payload, service }: Request): Promise<Answer> {
  const fields = readFields(payload, ["runId", "waitId", "answer"]);
  const runId = readText(fields.runId, "runId");
  const waitId = readText(fields.waitId, "waitId");
  if (fields.answer === undefined) throw invalid('The payload must have an answer, such as {"approved": true}.');
  await service.servedRuns.answer(runId, {
    waitId,
    answer: fields.answer as Json,
    caller: client.principal ?? {},
    mayAnswer: service.mayAnswerFor(client),
  });
  return { result: { runId, waitId } };
}

/** Makes the function that reports the failure of a run to the log and, unless the client has left, to the client. */
function reporterOf(request: Request, place: RunPlace): (error: TroupeError, origin: RunEventBase) => void {
  return (error, origin) => {
    logFailure(request, error, origin.runId);
    if (place.hasLeft) return;
    request.client.send(["agent.error", { ...toClientError(error), ...origin }]);
  };
}

/**
 * Sends the refusal of a request: in the acknowledgement if the client asked for one. Also as an event if the client
 * asked for no acknowledgement, or asked for a run.
 */
function refuse(request: Request, error: TroupeError, acknowledge: ((answer: object) => void) | undefined): void {
  const { client, event, payload } = request;
  logFailure(request, error);
  const refusal = toClientError(error);
  acknowledge?.(refusal);
  const isRun = event === "agent.run" || event === "team.run";
  if (acknowledge !== undefined && !isRun) return;
  const { name, runId } = Object(payload) as { name?: unknown; runId?: unknown };
  const known = isRun ? { name } : { runId };
  client.send(["agent.error", { ...refusal, ...shortStringsOf(known) }]);
}

/** Returns the fields of a request that are strings short enough to send back. */
function shortStringsOf(fields: Readonly<Record<string, unknown>>): Record<string, string> {
  const entries = Object.entries(fields);
  return Object.fromEntries(entries.filter((entry): entry is [string, string] => isShort(entry[1])));
}

const longestEcho = 256;

function isShort(value: unknown): boolean {
  return typeof value === "string" && value.length <= longestEcho;
}

/**
 * Logs a failure that the client did not cause, without the client's keys. A run that continues elsewhere has not
 * failed.
 */
function logFailure({ client, event, payload, service }: Request, error: TroupeError, runId?: string): void {
  if (error.code === "interrupted") return;
  const fields = { event, socketId: client.socket.id, ...(runId !== undefined && { runId }) };
  logRunFailure(error, service.logger, { ...fields, secrets: secretsOf(client.socket, payload) });
}

function invalid(message: string): TroupeError {
  return new TroupeError("invalid_request", message);
}
