import { TroupeError } from "@troupe/core";
import type { ChatMessage, SessionOwner } from "@troupe/core";
import type { Exchange } from "@troupe/core/transport";
import { chatSessionOf, isTaskOfChat, signInOpenWebUi } from "../identity/open-webui.ts";
import type { ServedModel } from "../models/served-models.ts";
import { readResponseRequest } from "../request/response-request.ts";
import type { ResponseRequest } from "../request/response-request.ts";
import type { ApiParts } from "../run/api-parts.ts";
import { beginRun, showIds, waitingTools } from "../run/begin-run.ts";
import type { RunPlan } from "../run/begin-run.ts";
import { historyFor } from "../run/chat-history.ts";
import { continueRun, isAnswering } from "../run/continue-run.ts";
import { readBody } from "../run/read-body.ts";
import { findTurn, historyOf, sessionsOf } from "../run/session-turns.ts";
import type { NamedTurn } from "../run/session-turns.ts";
import { apiError, wrongField } from "../wire/api-error.ts";
import { parseResponseId, toResponseId } from "../wire/ids.ts";
import { sendResponse, streamResponse } from "./answer-response.ts";
import type { ResponseAnswer } from "./answer-response.ts";
import { echoOf, newResponse } from "./response-object.ts";
import { readNote, toNote } from "./response-note.ts";

type Asked = { readonly request: ResponseRequest; readonly model: ServedModel };

/** Answers `POST /responses`. Begins a run, or continues a waiting run with the client's answers. */
export async function createResponse(exchange: Exchange, parts: ApiParts): Promise<void> {
  signInOpenWebUi(exchange, parts.settings.openWebUi);
  const request = withoutTask(
    exchange,
    parts,
    readResponseRequest(await readBody(exchange, parts), parts.settings.files),
  );
  const asked = { request, model: await parts.models.find(exchange, request.model) };
  const answers = { outputs: request.conversation.outputs, approvals: request.approvals };
  const answer = await (isAnswering(answers) ? goOn(exchange, parts, asked) : begin(exchange, parts, asked));
  if (request.background && !request.stream) return sendQueued(answer);
  const stopWatching = exchange.onLeave(() => answer.run.disconnect());
  try {
    await (request.stream ? streamResponse(answer) : sendResponse(answer));
  } finally {
    stopWatching();
  }
}

/** Returns a request that stores nothing, if it asks for a title, tags or suggestions of a chat of Open WebUI. */
function withoutTask(exchange: Exchange, { settings }: ApiParts, request: ResponseRequest): ResponseRequest {
  if (request.background || !isTaskOfChat(exchange, settings.openWebUi, promptOf(request))) return request;
  return { ...request, store: false };
}

function promptOf({ conversation: { input } }: ResponseRequest): string {
  return typeof input === "string" ? input : "";
}

async function begin(exchange: Exchange, parts: ApiParts, asked: Asked): Promise<ResponseAnswer> {
  const { request, model } = asked;
  const { conversation, tools } = request;
  const { input } = conversation;
  if (input === undefined) {
    const param = conversation.outputs[0]?.param ?? "input";
    const message = "The results at the end of the input answer no call that a run waits for.";
    throw apiError("invalid_request", message, { param, code: "tool_call_not_found" });
  }
  const echo = echoOf(request);
  const place = await placeOf(exchange, parts, asked);
  const plan = { ...termsOf(parts, asked), ...place, model, input, note: toNote(model, echo) };
  const { run, own } = await beginRun(exchange, parts, plan);
  const clientTools = new Set([...tools.clientTools.map(({ name }) => name), ...waitingTools(model).inputs]);
  return { exchange, parts, model, run, part: 0, start: {}, echo, createdAt: Date.now(), clientTools, own };
}

/** Returns the settings of a request's run that do not depend on its session. */
function termsOf({ service }: ApiParts, { request, model }: Asked) {
  const { tools, format, maxTokens, user, instructions, store, background } = request;
  const { approvals, inputs } = waitingTools(model);
  const waits = tools.clientTools.length + inputs.size + approvals.size > 0;
  const goesOn = background || (store && service.servedRuns.isDurable(model.kind, model.name));
  const endsWithClient = goesOn ? false : waits ? true : undefined;
  const isStored = waits || background;
  const about = { tools, format, formatParam: "text.format", maxTokens, user, instructions };
  return { ...about, isUnstored: !store, isStored, endsWithClient };
}

async function goOn(exchange: Exchange, parts: ApiParts, { request, model }: Asked): Promise<ResponseAnswer> {
  parts.service.closeIfDraining(exchange);
  const { conversation, approvals, background } = request;
  const answers = { outputs: conversation.outputs, approvals, endsWithClient: !background };
  const { run, view, part, start, asked, before } = await continueRun(exchange, parts, answers);
  if (view.kind !== model.kind || view.name !== model.name) throw wrongField("model", "must be that of the calls.");
  showIds(exchange, run);
  const clientTools = new Set(readNote(view.note)?.clientTools);
  const previous = toResponseId({ sessionId: run.sessionId, runId: run.runId, part: part - 1 });
  const echo = { ...echoOf(request), previous_response_id: previous };
  const own = { runId: run.runId };
  return { exchange, parts, model, run, part, start, echo, createdAt: Date.now(), clientTools, asked, before, own };
}

type Place = Pick<RunPlan, "sessionId" | "messages" | "continueFrom">;

/**
 * Returns the session of a request: a new session, the session that the request names, or the session of an earlier
 * response. In the last case the run may continue from a turn before the newest.
 */
async function placeOf(exchange: Exchange, parts: ApiParts, { request, model }: Asked): Promise<Place> {
  const { previousId, sessionId, conversation, store } = request;
  const { history } = conversation;
  const owner = exchange.principal ?? {};
  if (previousId !== undefined) {
    const found = await findPrevious(parts, model, { id: previousId, owner });
    const { sessionId: id, turn } = found;
    if (!store) return { sessionId: undefined, messages: [...(await historyOf(model, found, owner)), ...history] };
    // The run continues from a stored turn, and its own turn begins with what the user says.
    if (history.length > 0)
      throw wrongField("input", "must have messages of the user alone after previous_response_id, or store: false.");
    return { sessionId: id, messages: [], continueFrom: { runId: turn.runId, seq: turn.seq } };
  }
  if (!store) return { sessionId: undefined, messages: history };
  if (sessionId === undefined) return await placeOfChat(exchange, parts, { request, model });
  const isKnown = (await sessionsOf(model)?.has(sessionId, { owner })) === true;
  return { sessionId, messages: isKnown ? ([] as ChatMessage[]) : history };
}

/** Returns the session of a chat of Open WebUI, or a new session for a request that belongs to none. */
async function placeOfChat(exchange: Exchange, parts: ApiParts, { request, model }: Asked): Promise<Place> {
  const { conversation } = request;
  const sessionId = chatSessionOf(exchange, parts.settings.openWebUi, promptOf(request));
  if (sessionId === undefined) return { sessionId, messages: conversation.history };
  return { sessionId, messages: await historyFor(exchange, { model, conversation, sessionId }) };
}

/** Finds the turn of the response in `previous_response_id`. Throws `not_found` if the caller has no such response. */
async function findPrevious(
  { service }: ApiParts,
  model: ServedModel,
  { id, owner }: { readonly id: string; readonly owner: SessionOwner },
): Promise<NamedTurn> {
  const name = parseResponseId(id);
  const sessions = sessionsOf(model);
  const found = name === undefined || sessions === undefined ? undefined : await findTurn(sessions, name, owner);
  if (found !== undefined) return found;
  const facts = { param: "previous_response_id", code: "previous_response_not_found" };
  const isOpen = name !== undefined && (await isInProgress(service.servedRuns, name.runId, owner));
  if (!isOpen)
    throw apiError("not_found", "The previous response was not found. It may belong to another user.", facts);
  const message = "The previous response has not ended yet, or waits for an answer.";
  throw apiError("conflict", message, { ...facts, code: "previous_response_in_progress" });
}

async function isInProgress(
  servedRuns: ApiParts["service"]["servedRuns"],
  runId: string,
  owner: SessionOwner,
): Promise<boolean> {
  try {
    return (await servedRuns.find(runId, owner)).view.endedAt === undefined;
  } catch (error) {
    if (TroupeError.is(error) && error.code === "not_found") return false;
    throw error;
  }
}

/** Sends the response of a run that continues in the background. */
function sendQueued({ exchange, run, model, part, echo, createdAt }: ResponseAnswer): void {
  const { runId, sessionId } = run;
  const response = newResponse({ id: toResponseId({ sessionId, runId, part }), model: model.id, createdAt }, echo);
  exchange.sendJson(200, { ...response, status: "queued" });
}
