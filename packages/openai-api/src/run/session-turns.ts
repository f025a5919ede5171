import { SessionStore } from "@troupe/core";
import type { ChatMessage, SessionOwner, StoredTurn } from "@troupe/core";
import type { ServedModel } from "../models/served-models.ts";
import type { ResponseName } from "../wire/ids.ts";

/** The turn that a response names, and the session that holds it. */
export type NamedTurn = { readonly sessionId: string; readonly turn: StoredTurn };

/** Returns the sessions of a model; undefined for one without, such as a workflow. */
export function sessionsOf({ subject }: ServedModel): SessionStore | undefined {
  const { sessions } = subject as { readonly sessions?: unknown };
  return sessions instanceof SessionStore ? sessions : undefined;
}

/**
 * Finds the turn that a response names, from the newest back. It is in the session of its id, or in the fork that its
 * run has made because the session had gone on.
 */
export async function findTurn(
  sessions: SessionStore,
  { sessionId, runId }: ResponseName,
  owner: SessionOwner,
): Promise<NamedTurn | undefined> {
  for (const id of [sessionId, runId]) {
    const turn = await sessions.findTurn(id, runId, { owner });
    if (turn !== undefined) return { sessionId: id, turn };
  }
  return undefined;
}

/** The number of turns that a run which stores nothing gets of the conversation before it. */
const mostTurns = 50;

/** Returns the messages of a session up to the turn that a response names, for a run that stores nothing. */
export async function historyOf(
  model: ServedModel,
  { sessionId, turn }: NamedTurn,
  owner: SessionOwner,
): Promise<ChatMessage[]> {
  const after = Math.max(0, turn.seq - mostTurns);
  const page = await sessionsOf(model)?.readTurns(sessionId, { owner, after, limit: mostTurns });
  const turns = (page?.turns ?? []).filter(({ seq }) => seq <= turn.seq);
  return turns.flatMap(({ history = [], input, messages }) => [
    ...history,
    { role: "user", content: input } as const,
    ...messages,
  ]);
}
