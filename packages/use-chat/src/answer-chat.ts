import { setTimeout as sleep } from "node:timers/promises";
import { SessionStore, TroupeError } from "@troupe/core";
import type { MessageContent, Runnable, SessionOwner } from "@troupe/core";
import type { OnDisconnect } from "@troupe/core/service";
import { checkDataParts, readIdempotencyKey, readMessage, readRunQuery } from "@troupe/core/transport";
import type {
  Exchange,
  FoundRun,
  RequestedRun,
  ProtocolRunOptions,
  ServedRuns,
  Service,
  ServedStoredRun,
} from "@troupe/core/transport";
import { answerUi } from "./message/answer-ui.ts";
import type { Continued, UiAnswerOptions } from "./message/answer-ui.ts";
import { firstReplaced, readTurns } from "./replaced-turns.ts";
import { answeredIds, readAnswers } from "./request/chat-answers.ts";
import type { Chat } from "./request/read-chat.ts";
import { toHistory, toInput } from "./request/to-messages.ts";

/** A service that is served to pages with `useChat`, and the protocol's own options. */
export type ChatParts = {
  readonly service: Service;
  /** Policy for runs whose page disconnects. @default "continue" for durable runs, otherwise the service's policy */
  readonly onDisconnect?: OnDisconnect | undefined;
  /** The major version of the AI SDK on the page: see `ChatStreamOptions`. @default 7 */
  readonly sdk?: 6 | 7 | undefined;
  readonly files?: Parameters<typeof checkDataParts>[1] | undefined;
  /** True if the server also speaks the protocol `http`, which serves each run at a path of its own. */
  readonly hasRunPaths: boolean;
};

/** The agent or team that a page chats with. */
export type ChatTarget = {
  readonly kind: "agent" | "team";
  readonly name: string;
  readonly registry: ReadonlyMap<string, Runnable>;
  readonly subject: Runnable;
};

/** A request of `useChat`, its agent or team, and the service. */
export type ChatCall = { readonly exchange: Exchange; readonly parts: ChatParts; readonly target: ChatTarget };

type ChatRun = RequestedRun<Runnable, MessageContent>;

/** Milliseconds between two checks of a run that is being cancelled, and the maximum number of checks. */
const cancelLooks = { everyMs: 10, most: 1000 };

/**
 * Answers a user's message of `useChat` with a run, after removing the turns that the message replaces. The session id
 * is the chat id.
 */
export async function beginAnswer(call: ChatCall, chat: Chat): Promise<void> {
  const { exchange, parts, target } = call;
  const { service, files } = parts;
  const input = toInput(chat.last);
  if (files !== undefined) checkDataParts({ input }, files);
  const { early, terms: common } = readTerms(call);
  const key = readIdempotencyKey(exchange);
  const terms = key === undefined ? common : { ...common, key, said: chat.said };
  const { chatId: sessionId, userId, apiKey } = chat;
  const readFields = () => ({ input, sessionId, userId, apiKey });
  const read = await service.readRun(exchange, target.subject, { readInput: readMessage, readFields });
  exchange.setHeader("X-Run-Id", read.opts.runId).setHeader("X-Session-Id", read.opts.sessionId);
  try {
    const requested = await withHistory(call, chat, read);
    // `beforeStored` is called only once the run is accepted: a refused run must cancel and delete nothing.
    const beforeStored = async () => await makeRoom(call, chat, ownerOf(read));
    const run = await beginRun(call, requested, { ...terms, beforeStored });
    const own = { ...requested.opts, runId: run.runId };
    await answerUi(exchange, run, { ...answerOptions(parts), early, own });
  } catch (error) {
    exchange.fail(error, read.opts);
  }
}

/**
 * Answers the questions of a waiting run with the answers in a chat's message, and sends the remaining events of the
 * run's message. Answers that the run already has are not stored again.
 */
export async function continueAnswer(call: ChatCall, chat: Chat): Promise<void> {
  const { exchange, parts } = call;
  const { service } = parts;
  const { early, terms } = readTerms(call);
  service.closeIfDraining(exchange);
  const found = await findRun(call, chat, terms);
  const continued = await answer(found, chat);
  const { run } = found;
  showIds(call, run);
  const own = { runId: run.runId };
  await answerUi(exchange, run, { ...answerOptions(parts), early, own, continued });
}

/** Returns the options that all answers of a protocol share. */
export function answerOptions({ service, sdk }: ChatParts): Pick<UiAnswerOptions, "heartbeatMs" | "sdk"> {
  return { heartbeatMs: service.settings.heartbeatMs, sdk };
}

/** Reads the query of a request, and returns the options of its run. */
function readTerms({ exchange, parts, target }: ChatCall): {
  readonly early: boolean;
  readonly terms: ProtocolRunOptions;
} {
  const { kind, name } = target;
  const { servedRuns, settings } = parts.service;
  const query = readRunQuery(exchange);
  const ofOthers = servedRuns.isDurable(kind, name) ? "continue" : settings.onDisconnect;
  const endsWithClient = query.endsWithClient || (parts.onDisconnect ?? ofOthers) === "cancel";
  return { early: query.early, terms: { kind, name, isStored: true, endsWithClient } };
}

/** Begins the run of a message, and sends its ids as headers with the answer. */
async function beginRun(call: ChatCall, requested: ChatRun, terms: ProtocolRunOptions): Promise<ServedStoredRun> {
  const { exchange, parts } = call;
  const { service } = parts;
  service.closeIfDraining(exchange);
  service.servedRuns.checkOpen();
  // The request may be a repetition whose run is already stored. The ids in these headers would then belong to a run
  // that never begins.
  exchange.removeHeader("X-Run-Id");
  exchange.removeHeader("X-Session-Id");
  const beginning = service.servedRuns.beginStored(requested, terms);
  exchange.record.run = beginning;
  const run = await beginning;
  showIds(call, run);
  return run;
}

/** Sends the ids of a run as headers, and its path if the server speaks the protocol `http`. */
function showIds({ exchange, parts }: ChatCall, { runId, sessionId }: ServedStoredRun): void {
  exchange.record.runId = runId;
  exchange.setHeader("X-Run-Id", runId).setHeader("X-Session-Id", sessionId);
  if (!parts.hasRunPaths) return;
  exchange.setHeader("Content-Location", exchange.linkTo(`/runs/${encodeURIComponent(runId)}`));
}

/**
 * Finds the run of the message that a chat continues: the message id is the run id. Throws `not_found` if there is no
 * such run.
 */
async function findRun(
  { exchange, parts, target }: ChatCall,
  chat: Chat,
  terms: ProtocolRunOptions,
): Promise<FoundRun> {
  const runId = chat.messageId ?? chat.last.id ?? "";
  const found = await parts.service.servedRuns.find(runId, exchange.principal ?? {}, terms);
  const { sessionId, kind, name } = found.run;
  if (sessionId === chat.chatId && kind === target.kind && name === target.name) return found;
  throw new TroupeError("not_found", "The message has no run in this chat that could go on.");
}

/** Gives a run the answers in a message of its client. */
async function answer({ run, view }: FoundRun, { last }: Chat): Promise<Continued> {
  const { service, runId, caller } = run;
  if (view.status === "waiting") {
    const answers = readAnswers(view, last);
    for (const { waitId, answer: given } of answers) await service.answer(runId, waitId, given, caller);
    return { waitIds: answers.map(({ waitId }) => waitId), attempts: view.attempts };
  }
  // A page sends the same answers again if it has not seen their effect.
  const waitIds = [];
  for (const id of answeredIds(last)) if ((await service.getWait(runId, id, caller)) !== null) waitIds.push(id);
  if (waitIds.length > 0) return { waitIds, attempts: 0 };
  throw new TroupeError("conflict", "The run of this message waits for no answer.");
}

/** Adds the page's own copy of the conversation to a run whose session has no earlier turns. */
async function withHistory({ parts, target }: ChatCall, chat: Chat, requested: ChatRun): Promise<ChatRun> {
  const { before = [] } = chat;
  if (before.length === 0 || !hasSessions(target.subject)) return requested;
  const owner = ownerOf(requested);
  const { service } = parts;
  const isEmpty = replacesTurns(chat) ? await replacesAll(service, chat, owner) : await isNew(service, chat, owner);
  if (!isEmpty) return requested;
  const messages = toHistory(before);
  if (parts.files !== undefined) checkDataParts({ messages }, parts.files);
  return { ...requested, opts: { ...requested.opts, messages } };
}

/**
 * Prepares the session for a message whose run is about to be accepted. Cancels the open run if it waits for an answer
 * of the user. If the message is edited or regenerated, cancels any open run and deletes the replaced turns.
 */
async function makeRoom({ parts, target }: ChatCall, chat: Chat, owner: SessionOwner): Promise<void> {
  const replaces = replacesTurns(chat);
  const { servedRuns, sessions } = parts.service;
  await cancelOpen(servedRuns, chat.chatId, { owner, replaces });
  if (!replaces || !hasSessions(target.subject)) return;
  const from = firstReplaced(await readTurns(sessions, chat.chatId, owner), chat);
  if (from !== undefined) await sessions.deleteTurns(chat.chatId, owner, from);
}

/**
 * Returns true if a message replaces all turns of its session, or if the session has no turns. Throws `conflict` if the
 * message to replace is not in the session.
 */
async function replacesAll({ sessions }: Service, chat: Chat, owner: SessionOwner): Promise<boolean> {
  const turns = await readTurns(sessions, chat.chatId, owner);
  return turns.length === 0 || firstReplaced(turns, chat) === turns[0]?.seq;
}

function replacesTurns({ isRegenerated, isEdited }: Chat): boolean {
  return isRegenerated || isEdited;
}

function ownerOf({ opts: { userId, tenantId, verified } }: ChatRun): SessionOwner {
  return { userId, tenantId, verified };
}

/** Returns true if a session has no turn, and no open run that will store one. */
async function isNew({ sessions, servedRuns }: Service, { chatId }: Chat, owner: SessionOwner): Promise<boolean> {
  if ((await servedRuns.findOfSession(chatId, owner)) !== undefined) return false;
  try {
    return (await sessions.read(chatId, owner)).turns === 0;
  } catch (error) {
    if (TroupeError.is(error) && error.code === "not_found") return true;
    throw error;
  }
}

function hasSessions(subject: Runnable & { readonly sessions?: unknown }): boolean {
  return subject.sessions instanceof SessionStore;
}

async function cancelOpen(
  servedRuns: ServedRuns,
  chatId: string,
  { owner, replaces }: { owner: SessionOwner; replaces: boolean },
): Promise<void> {
  const found = await servedRuns.findOfSession(chatId, owner);
  if (found === undefined || (found.view.status !== "waiting" && !replaces)) return;
  const { service, runId } = found.run;
  await service.cancel(runId, "host", "Another message takes its place.");
  for (let count = 0; count < cancelLooks.most; count++) {
    if ((await service.get(runId, "host")).endedAt !== undefined) return;
    await sleep(cancelLooks.everyMs, undefined, { ref: false });
  }
}
