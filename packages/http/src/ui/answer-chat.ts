import { setTimeout as sleep } from "node:timers/promises";
import { SessionStore, TroupeError } from "@troupe/core";
import type { MessageContent, Runnable, SessionOwner } from "@troupe/core";
import { readMessage } from "@troupe/core/transport";
import type { FollowedRun, FoundRun } from "@troupe/core/transport";
import { acceptKept, watchClient } from "../answer/answer-kept.ts";
import { closeIfDraining } from "../answer/http-run.ts";
import { pathOfRun } from "../answer/run-ids.ts";
import { sendFailure } from "../errors/send-failure.ts";
import { principalOf } from "../exchange/exchange.ts";
import type { Exchange } from "../exchange/exchange.ts";
import { requestRecordOf } from "../exchange/request-record.ts";
import { readRunQuery } from "../request/read-delivery.ts";
import { toRunRequest } from "../request/read-run-request.ts";
import type { RunRequest } from "../request/read-run-request.ts";
import type { RouterSettings } from "../settings/router-options.ts";
import { answerUi } from "./answer-ui.ts";
import type { Continued } from "./answer-ui.ts";
import { answeredIds, readAnswers } from "./chat-answers.ts";
import type { Chat } from "./read-chat.ts";
import { firstReplaced, readTurns } from "./replaced-turns.ts";
import { toHistory, toInput } from "./to-messages.ts";

/** The agent or team that a page chats with. */
export type ChatTarget = {
  readonly kind: "agent" | "team";
  readonly name: string;
  readonly registry: ReadonlyMap<string, Runnable>;
  readonly subject: Runnable;
};

/** A request of `useChat`, what it is for, and the settings of the router. */
export type ChatCall = { readonly exchange: Exchange; readonly settings: RouterSettings; readonly target: ChatTarget };

type ChatRun = RunRequest<Runnable, MessageContent>;

/** Milliseconds between two looks at a run that is cancelled, and the most of them. */
const cancelLooks = { everyMs: 10, most: 1000 };

/** Answers a message of the user by a run, after those that it replaces. The session has the id of the chat. */
export async function beginAnswer(call: ChatCall, chat: Chat): Promise<void> {
  const { exchange, settings, target } = call;
  const input = toInput(chat.last);
  settings.uploads?.checkJson({ input });
  const { chatId: sessionId, userId, apiKey } = chat;
  const readFields = () => Promise.resolve({ input, sessionId, userId, apiKey });
  const read = await toRunRequest(exchange, target.subject, { settings, readInput: readMessage, readFields });
  try {
    const { kind, name } = target;
    const kept = settings.servedRuns.keeperOf({ kind, name, endsWithClient: false });
    if (kept === undefined) throw new TroupeError("internal", "There is no service for the run.");
    const runRequest = await withHistory(call, chat, read);
    // Nothing is cancelled or deleted for a run that is refused.
    const beforeStored = async () => await makeRoom(call, chat, ownerOf(read));
    const run = await acceptKept({ exchange, runRequest, target: { ...kept, beforeStored }, settings });
    await followAnswer(call, run, { own: { ...runRequest.opts, runId: run.runId } });
  } catch (error) {
    sendFailure(error, exchange, read.opts);
  }
}

/** Answers the questions of a waiting run by what the message has, and goes on with its message. */
export async function continueAnswer(call: ChatCall, chat: Chat): Promise<void> {
  const { exchange, settings } = call;
  const { request, response } = exchange;
  const caller = principalOf(request) ?? {};
  closeIfDraining(exchange, settings);
  const { service, run } = await findRun(call, chat);
  const { runId, sessionId, kind } = run;
  const continued = await answer(settings, { service, run }, { chat, caller });
  requestRecordOf(response).runId = runId;
  response.setHeader("X-Run-Id", runId).setHeader("X-Session-Id", sessionId);
  response.setHeader("Content-Location", pathOfRun(request, runId));
  await followAnswer(call, { service, runId, kind, caller }, { own: { runId }, continued });
}

/** Finds the run of the message that a chat goes on with: its id is the run's. */
async function findRun({ exchange, settings, target }: ChatCall, chat: Chat): Promise<FoundRun> {
  const runId = chat.messageId ?? chat.last.id ?? "";
  const found = await settings.servedRuns.find(runId, principalOf(exchange.request) ?? {});
  const { sessionId, kind, name } = found.run;
  if (sessionId === chat.chatId && kind === target.kind && name === target.name) return found;
  throw new TroupeError("not_found", "The message has no run in this chat that could go on.");
}

async function answer(
  { servedRuns }: RouterSettings,
  { service, run }: FoundRun,
  { chat, caller }: { chat: Chat; caller: SessionOwner },
): Promise<Continued> {
  const { runId, attempts } = run;
  if (run.status === "waiting") {
    const answers = readAnswers(run, chat.last);
    for (const { waitId, answer: given } of answers) await servedRuns.answer(runId, { waitId, answer: given, caller });
    return { waitIds: answers.map(({ waitId }) => waitId), attempts };
  }
  // The same answers again, of a page that has not seen what came of them.
  const waitIds = [];
  for (const id of answeredIds(chat.last)) if ((await service.getWait(runId, id, caller)) !== null) waitIds.push(id);
  if (waitIds.length > 0) return { waitIds, attempts: 0 };
  throw new TroupeError("conflict", "The run of this message waits for no answer.");
}

async function followAnswer(
  { exchange, settings }: ChatCall,
  run: FollowedRun,
  options: Pick<Parameters<typeof answerUi>[2], "own" | "continued">,
): Promise<void> {
  const { early, endsWithClient } = readRunQuery(exchange.request);
  const isDurable = run.service === settings.servedRuns.durable;
  const policy = settings.ui?.onDisconnect ?? (isDurable ? "continue" : settings.onDisconnect);
  const stopWatching = watchClient(exchange, { run, endsWithClient: endsWithClient || policy === "cancel" });
  try {
    await answerUi(exchange, run, { ...options, settings, early });
  } finally {
    stopWatching();
  }
}

/** Gives the run what the page has of the conversation, for a session of which the service has no turn, or keeps none. */
async function withHistory({ settings, target }: ChatCall, chat: Chat, runRequest: ChatRun): Promise<ChatRun> {
  const { before = [] } = chat;
  if (before.length === 0 || !hasSessions(target.subject)) return runRequest;
  const owner = ownerOf(runRequest);
  const isEmpty = replacesTurns(chat) ? await replacesAll(settings, chat, owner) : await isNew(settings, chat, owner);
  return isEmpty ? { ...runRequest, opts: { ...runRequest.opts, messages: toHistory(before) } } : runRequest;
}

/**
 * Makes the session ready for a message whose run is about to be accepted: cancels the run that waits there for an answer which
 * the user has not given, and, for a message that stands for an earlier one, deletes what it replaces.
 */
async function makeRoom({ settings, target }: ChatCall, chat: Chat, owner: SessionOwner): Promise<void> {
  const replaces = replacesTurns(chat);
  await cancelOpen(settings, chat.chatId, { owner, replaces });
  if (!replaces || !hasSessions(target.subject)) return;
  const from = firstReplaced(await readTurns(settings.sessions, chat.chatId, owner), chat);
  if (from !== undefined) await settings.sessions.deleteTurns(chat.chatId, owner, from);
}

/** Tells if a message stands for all turns of its session. Throws `conflict` for one that stands for none of its answers. */
async function replacesAll({ sessions }: RouterSettings, chat: Chat, owner: SessionOwner): Promise<boolean> {
  const turns = await readTurns(sessions, chat.chatId, owner);
  return turns.length === 0 || firstReplaced(turns, chat) === turns[0]?.seq;
}

function replacesTurns({ isRegenerated, isEdited }: Chat): boolean {
  return isRegenerated || isEdited;
}

function ownerOf({ opts: { userId, tenantId, verified } }: ChatRun): SessionOwner {
  return { userId, tenantId, verified };
}

/** Tells if a session has no turn, and no open run that will leave one. */
async function isNew(
  { sessions, servedRuns }: RouterSettings,
  { chatId }: Chat,
  owner: SessionOwner,
): Promise<boolean> {
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
  { servedRuns }: RouterSettings,
  chatId: string,
  { owner, replaces }: { owner: SessionOwner; replaces: boolean },
): Promise<void> {
  const found = await servedRuns.findOfSession(chatId, owner);
  if (found === undefined || (found.run.status !== "waiting" && !replaces)) return;
  const { service, run } = found;
  await service.cancel(run.runId, "host", "Another message takes its place.");
  for (let count = 0; count < cancelLooks.most; count++) {
    if ((await service.get(run.runId, "host")).endedAt !== undefined) return;
    await sleep(cancelLooks.everyMs, undefined, { ref: false });
  }
}
