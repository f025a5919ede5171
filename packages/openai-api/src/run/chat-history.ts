import { SessionStore } from "@troupe/core";
import type { ChatMessage, SessionOwner } from "@troupe/core";
import type { Exchange } from "@troupe/core/transport";
import type { ServedModel } from "../models/served-models.ts";
import type { Conversation } from "../request/conversation.ts";
import { sessionsOf } from "./session-turns.ts";

/** The session of a chat, and the client's own copy of its conversation. */
export type ChatSession = {
  readonly model: ServedModel;
  readonly conversation: Conversation;
  readonly sessionId: string;
};

/**
 * Returns the client's own copy of the conversation as the history of the run, if the chat's session has no turns.
 * Otherwise deletes the turns that the client's copy no longer has, because its user edited a message or asked for
 * another answer.
 */
export async function historyFor(
  { principal }: Exchange,
  { model, conversation, sessionId }: ChatSession,
): Promise<readonly ChatMessage[]> {
  const owner: SessionOwner = principal ?? {};
  const sessions = sessionsOf(model);
  const { history, userMessages } = conversation;
  if (!(sessions instanceof SessionStore) || !(await sessions.has(sessionId, { owner }))) return history;
  const { turns } = await sessions.readSession(sessionId, { owner });
  if (turns <= userMessages) return turns === 0 ? history : [];
  const replaced = await nthTurn(sessions, { sessionId, owner, index: userMessages });
  if (replaced !== undefined) await sessions.deleteTurns(sessionId, replaced, { owner });
  return [];
}

const pageSize = 100;

/** Returns the number of the turn at an index, counted over the turns that still exist. */
async function nthTurn(
  sessions: SessionStore,
  { sessionId, owner, index }: { sessionId: string; owner: SessionOwner; index: number },
): Promise<number | undefined> {
  let skipped = 0;
  for (let after: number | undefined; ;) {
    const { turns, next } = await sessions.readTurns(sessionId, { owner, limit: pageSize, after, take: () => true });
    const found = turns[index - skipped];
    if (found !== undefined || next === undefined) return found?.seq;
    skipped += turns.length;
    after = next;
  }
}
