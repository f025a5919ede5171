import { SessionStore } from "@troupe/core";
import type { ChatMessage, SessionOwner, StoredTurn } from "@troupe/core";
import type { ServedModel } from "../models/served-models.ts";
import type { ResponseName } from "../wire/ids.ts";

/** The turn of a response, and the session that holds it. */
export type NamedTurn = { readonly sessionId: string; readonly turn: StoredTurn };

/** Returns the session store of a model. Undefined for a model without sessions, such as a workflow. */
export function sessionsOf({ subject }: ServedModel): SessionStore | undefined {
  const { sessions } = subject as { readonly sessions?: unknown };
  return sessions instanceof SessionStore ? sessions : undefined;
}

/**
 * Finds the turn of a response, searching from the newest turn back. The turn is in the session that the id names, or
 * in a fork that the run made because the session had changed in the meantime.
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

/** The maximum number of earlier turns that an unstored run receives. */
const mostTurns = 50;

/** Returns the messages of a session up to the turn of a response, for an unstored run. */
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
