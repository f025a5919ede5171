import { TroupeError } from "@troupe/core";
import type { ChatMessage, SessionOwner, StoredTurn } from "@troupe/core";
import type { RunView } from "@troupe/core/runs";
import { toPublicSource, toStoredError } from "@troupe/core/transport";
import type { Exchange, FoundRun } from "@troupe/core/transport";
import type { ApiParts } from "../run/api-parts.ts";
import { toOutputText } from "../run/calls.ts";
import { waitsForClient } from "../run/part-events.ts";
import { askedCalls, readParts } from "../run/run-parts.ts";
import type { StoredPart } from "../run/run-parts.ts";
import { outputOf } from "../run/run-output.ts";
import { apiError } from "../wire/api-error.ts";
import { parseResponseId } from "../wire/ids.ts";
import type { ResponseName } from "../wire/ids.ts";
import { checkPause, usageIn, writerOf } from "./answer-response.ts";
import type { ResponseAnswer } from "./answer-response.ts";
import { noEcho } from "./response-object.ts";
import type { ResponseObject } from "./response-object.ts";
import { readNote } from "./response-note.ts";
import type { ResponseWriter } from "./response-writer.ts";

/** A response that was found by its id: from a stored run, or from a turn of a session. */
export type FoundResponse = ResponseName &
  ({ readonly found: FoundRun; readonly turn?: undefined } | { readonly found?: undefined; readonly turn: StoredTurn });

/** Finds a response by its id. Throws `not_found` if it is unknown, of another user, or of another protocol. */
export async function findResponse(exchange: Exchange, parts: ApiParts): Promise<FoundResponse> {
  const name = parseResponseId(String(exchange.params["id"]));
  const owner = exchange.principal ?? {};
  const found = name && ((await findStored(parts, name, owner)) ?? (await findInSession(parts, name, owner)));
  if (found !== undefined) return found;
  throw apiError("not_found", "The response was not found. It may belong to another user.", {
    code: "response_not_found",
  });
}

async function findStored(
  { service }: ApiParts,
  name: ResponseName,
  owner: SessionOwner,
): Promise<FoundResponse | undefined> {
  const found = await orUndefined(service.servedRuns.find(name.runId, owner));
  const isOurs = found !== undefined && readNote(found.view.note) !== undefined;
  return isOurs ? { ...name, found } : undefined;
}

async function findInSession(
  { service }: ApiParts,
  name: ResponseName,
  owner: SessionOwner,
): Promise<FoundResponse | undefined> {
  for (const sessionId of [name.sessionId, name.runId]) {
    const turn = await service.sessions.findTurn(sessionId, owner, name.runId);
    if (turn !== undefined) return { ...name, sessionId, turn };
  }
  return undefined;
}

/** Returns the value of a promise, or undefined for `not_found`. */
async function orUndefined<Value>(promise: Promise<Value>): Promise<Value | undefined> {
  try {
    return await promise;
  } catch (error) {
    if (TroupeError.is(error) && error.code === "not_found") return undefined;
    throw error;
  }
}

/**
 * Returns one part of a stored run (between two waits for its client) as a response, for a client that reads it later.
 */
export async function answerOf(
  exchange: Exchange,
  parts: ApiParts,
  { found, part }: FoundResponse & { readonly found: FoundRun },
): Promise<ResponseAnswer & { readonly stored: readonly StoredPart[] }> {
  const { run, view } = found;
  const note = readNote(view.note) ?? { model: view.name, echo: noEcho, clientTools: [] };
  const stored = await readParts(run);
  if (part >= stored.length) throw apiError("not_found", "The response was not found.", { code: "response_not_found" });
  const before = stored.slice(0, part);
  const last = before.at(-1);
  const start = last === undefined ? {} : { after: last.events.at(-1)?.id, attempts: last.attempts };
  const asked = askedCalls(before);
  const model = [...parts.models.all].find(({ id }) => id === note.model) ?? { id: note.model };
  const clientTools = new Set(note.clientTools);
  const { createdAt } = view;
  const endedAt = part === stored.length - 1 && view.status !== "waiting" ? view.endedAt : askedAtIn(stored[part]);
  const own = { part, start, echo: note.echo, createdAt, endedAt };
  return { exchange, parts, model, run, ...own, clientTools, asked, before, stored };
}

/** Returns the time at which a run began to wait at the end of a part; undefined if its records do not have it. */
function askedAtIn(part: StoredPart | undefined): number | undefined {
  return part?.events.flatMap((event) => (event.type === "wait" ? (event.wait.askedAt ?? []) : [])).at(-1);
}

/** Returns a response in its current state. */
export async function readResponse(
  exchange: Exchange,
  parts: ApiParts,
  response: FoundResponse,
): Promise<ResponseObject> {
  if (response.found === undefined) return fromTurn(exchange, parts, response);
  const answer = await orUndefined(answerOf(exchange, parts, response));
  if (answer === undefined) throw apiError("not_found", "The response was not found.", { code: "response_not_found" });
  const { view, run } = response.found;
  const writer = writerOf(answer, () => undefined);
  for (const event of answer.stored[response.part]?.events ?? []) if (event.type !== "end") writer.take(event);
  const isLast = response.part === answer.stored.length - 1;
  if (!isLast || isPaused(view)) writer.finish(undefined);
  else if (view.endedAt === undefined) return inProgress(writer, view.status);
  else addEnd(writer, view, run);
  return writer.response;
}

/**
 * Returns true if a run waits for an answer, and false for a wait after which it goes on by itself. Throws `conflict`
 * for an answer that this API has no place for.
 */
function isPaused(view: RunView): boolean {
  if (view.status !== "waiting" || !waitsForClient(view)) return false;
  checkPause(view.waits ?? []);
  return true;
}

function inProgress(writer: ResponseWriter, status: RunView["status"]): ResponseObject {
  return { ...writer.snapshot(), status: status === "queued" ? "queued" : "in_progress" };
}

function addEnd(writer: ResponseWriter, { error: failed, output: given, runId }: RunView, run: FoundRun["run"]): void {
  if (failed !== undefined) {
    const error = toStoredError(failed, runId, given);
    return writer.fail(error, usageIn(error));
  }
  const output = outputOf(run, given);
  if (run.kind === "workflow") writer.addText(output.text);
  writer.finish(output.usage);
}

/** Makes a response from the turn of a session. */
function fromTurn(
  exchange: Exchange,
  parts: ApiParts,
  { turn, ...name }: FoundResponse & { turn: StoredTurn },
): ResponseObject {
  const { sessionId, runId, part } = name;
  const subject = [...parts.models.all].find(({ name: own }) => own === turn.runnable);
  const run = { runId, sessionId } as ResponseAnswer["run"];
  const writer = writerOf(
    {
      exchange,
      parts,
      model: { id: subject?.id ?? turn.runnable },
      run,
      part,
      start: {},
      echo: noEcho,
      createdAt: turn.createdAt,
      clientTools: new Set(),
    },
    () => undefined,
  );
  for (const message of turn.messages) addMessage(writer, message, turn);
  for (const source of turn.sources ?? [])
    writer.take({ type: "chunk", chunk: { type: "source", ...toPublicSource(source) } });
  writer.finish(turn.usage);
  writer.response.completed_at = Math.floor(turn.createdAt / 1000);
  if (turn.status === "interrupted") writer.response.status = "incomplete";
  return writer.response;
}

function addMessage(writer: ReturnType<typeof writerOf>, message: ChatMessage, turn: StoredTurn): void {
  const { role, content, toolCalls = [] } = message;
  if (role !== "assistant") return;
  if (typeof content === "string") writer.addText(content);
  for (const { id, name, arguments: args } of toolCalls) {
    const result = turn.messages.find(({ toolCallId }) => toolCallId === id);
    const failed = (turn.toolResults ?? []).find(({ toolCallId }) => toolCallId === id)?.error;
    const output = toOutputText(result?.content ?? "");
    writer.addCall({ id, name, args: JSON.stringify(args), output, error: failed });
  }
}
