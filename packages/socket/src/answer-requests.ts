import { TroupeError } from "@troupe/core";
import type { Json } from "@troupe/core";
import { toTroupeError } from "@troupe/core/kit";
import { logRunFailure } from "@troupe/core/transport";
import type { FollowedRun, ServedRuns } from "@troupe/core/transport";
import { toClientError } from "./events.ts";
import type { EventOrigin, GatewayClientEvents, RunIds } from "./events.ts";
import type { GatewaySettings } from "./gateway-options.ts";
import { readArguments, readFields, readRunMessage, readText, secretsOf } from "./read-request.ts";
import { sendRun, sendTail } from "./send-run.ts";
import type { RunPlace, SocketClient } from "./socket-client.ts";

/** The checked options and the runs of a gateway. */
export type GatewayParts = { readonly settings: GatewaySettings; readonly servedRuns: ServedRuns };

/** A request of a client: the event that it has sent, its payload, and the gateway that it has reached. */
type Request = GatewayParts & {
  readonly client: SocketClient;
  readonly event: keyof GatewayClientEvents;
  readonly payload: unknown;
};

/** The answer to a request: the acknowledgement, and what follows it, the events of a run. */
type Answer = { readonly result: object; readonly follow?: () => Promise<void> };

const handlers: Readonly<Record<keyof GatewayClientEvents, (request: Request) => Promise<Answer>>> = {
  "agent.run": async (request) => await startRun(request, "agent"),
  "team.run": async (request) => await startRun(request, "team"),
  "agent.cancel": cancelRun,
  "agent.attach": attach,
  "agent.answer": takeAnswer,
};

/** The events that the gateway takes. */
export const clientEvents = Object.keys(handlers) as (keyof GatewayClientEvents)[];

/** Answers a request of a client, and sends it the events of the run that it asks for. Never rejects. */
export async function answerRequest(
  client: SocketClient,
  { event, sent, ...parts }: GatewayParts & { event: keyof GatewayClientEvents; sent: readonly unknown[] },
): Promise<void> {
  const { payload, acknowledge } = readArguments(sent);
  const request = { ...parts, client, event, payload };
  try {
    const { result, follow } = await handlers[event](request);
    acknowledge?.(result);
    await follow?.();
  } catch (thrown) {
    refuse(request, toTroupeError(thrown), acknowledge);
  }
}

async function startRun(request: Request, kind: "agent" | "team"): Promise<Answer> {
  const { client, payload, settings, servedRuns } = request;
  const place = client.takePlace();
  try {
    const message = await readRunMessage(client, payload, { kind, settings });
    const { name, requested, idempotencyKey: key } = message;
    const endsWithClient = settings.onDisconnect === "cancel";
    const target = servedRuns.keeperOf({ kind, name, key, endsWithClient });
    if (target === undefined) {
      const { runId, sessionId } = requested.opts;
      const run = servedRuns.begin(requested, { endsWithClient });
      place.onLeave(() => run.disconnect());
      const follow = () => sendRun(client, run, { ...message, fail: reporterOf(request, place) }).finally(place.end);
      return { result: { runId, sessionId }, follow };
    }
    const { runId, sessionId } = await servedRuns.accept(requested, target);
    const followed = { service: target.service, runId, kind, caller: requested.owner };
    const follow = followRun(request, { place, followed, ids: { runId, name, sessionId } });
    return { result: { runId, sessionId }, follow };
  } catch (error) {
    place.end();
    throw error;
  }
}

async function attach(request: Request): Promise<Answer> {
  const { client, payload, servedRuns } = request;
  const place = client.takePlace();
  try {
    const fields = readFields(payload, ["runId", "after"]);
    const after = fields.after === undefined || fields.after === null ? undefined : readText(fields.after, "after");
    const caller = client.principal ?? {};
    const found = await servedRuns.find(readText(fields.runId, "runId"), caller);
    servedRuns.checkKept(found);
    const { service, run } = found;
    const { runId, kind, name, sessionId, status } = run;
    if (kind === "workflow")
      throw invalid("This is the run of a workflow, which has no events here. Follow it over HTTP.");
    const ids = { runId, name, sessionId };
    const follow = followRun(request, { place, followed: { service, runId, kind, caller, after }, ids });
    return { result: { ...ids, status }, follow };
  } catch (error) {
    place.end();
    throw error;
  }
}

/** Begins to follow a kept run, in place of an earlier following of it, and returns the function that sends its events. */
function followRun(
  request: Request,
  { place, followed, ids }: { place: RunPlace; followed: FollowedRun; ids: RunIds },
): () => Promise<void> {
  const { client, servedRuns } = request;
  const tail = servedRuns.follow(followed);
  client.stopFollowing(ids.runId);
  place.runId = ids.runId;
  place.onLeave(tail.leave);
  return () => sendTail(client, tail, { ids, fail: reporterOf(request, place) }).finally(place.end);
}

async function cancelRun({ client, payload, servedRuns }: Request): Promise<Answer> {
  const fields = readFields(payload, ["runId"]);
  const runId = readText(fields.runId, "runId");
  return { result: { runId, status: await servedRuns.cancel(runId, client.principal ?? {}) } };
}

async function takeAnswer({ client, payload, servedRuns, settings }: Request): Promise<Answer> {
  const fields = readFields(payload, ["runId", "waitId", "answer"]);
  const runId = readText(fields.runId, "runId");
  const waitId = readText(fields.waitId, "waitId");
  if (fields.answer === undefined) throw invalid('The payload must have an answer, such as {"approved": true}.');
  const { mayAnswer } = settings;
  await servedRuns.answer(runId, {
    waitId,
    answer: fields.answer as Json,
    caller: client.principal ?? {},
    mayAnswer: mayAnswer && ((wait) => mayAnswer(client.socket, wait)),
  });
  return { result: { runId, waitId } };
}

/** Makes the function that tells the client and the log of the failure of a run. */
function reporterOf(request: Request, place: RunPlace): (error: TroupeError, origin: EventOrigin) => void {
  return (error, origin) => {
    logFailure(request, error, origin.runId);
    if (place.hasLeft) return;
    request.client.send(["agent.error", { ...toClientError(error), ...origin }]);
  };
}

/** Tells a client of a request that was refused: in the acknowledgement, and in an event where no other answer would come. */
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

/** Returns the fields that are strings of a length that may be sent back. */
function shortStringsOf(fields: Readonly<Record<string, unknown>>): Record<string, string> {
  const entries = Object.entries(fields);
  return Object.fromEntries(entries.filter((entry): entry is [string, string] => isShort(entry[1])));
}

const longestEcho = 256;

function isShort(value: unknown): boolean {
  return typeof value === "string" && value.length <= longestEcho;
}

/** Logs a failure that is not the client's, without the keys of the client. A run that goes on elsewhere has not failed. */
function logFailure({ client, event, payload, settings }: Request, error: TroupeError, runId?: string): void {
  if (error.code === "interrupted") return;
  const fields = { event, socketId: client.socket.id, ...(runId !== undefined && { runId }) };
  logRunFailure(error, settings.logger, { ...fields, secrets: secretsOf(client.socket, payload) });
}

function invalid(message: string): TroupeError {
  return new TroupeError("invalid_request", message);
}
