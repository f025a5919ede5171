import type { ChatMessage } from "../message/message.ts";
import type { Run } from "../run/run.ts";
import type { OpenSession } from "../session/open-session.ts";
import { repairHistory } from "../history/repair-history.ts";
import { trimHistory } from "../history/trim-history.ts";
import { turnMessages } from "../session/turn-record.ts";
import type { AgentParts } from "./agent-parts.ts";
import type { SessionMemory } from "./session-memory.ts";

/** How many of the past turns a model is told when nothing else is said: a session must not outgrow what it can read. */
const defaultHistoryRuns = 50;

/** What was said before, and what else is known, as text for the instructions. */
export type History = { messages: readonly ChatMessage[]; remembered: readonly string[] };

/** Where the past of a run is found. */
export type Past = { run: Run; session: OpenSession; memory: SessionMemory | undefined };

/** Loads what was said before in the session, and what is known of the user. */
export async function loadHistory(parts: AgentParts, past: Past): Promise<History> {
  const [said, facts] = await Promise.all([loadSaid(parts, past), loadFacts(parts, past)]);
  return { messages: said.messages, remembered: [...said.remembered, facts] };
}

async function loadSaid({ config }: AgentParts, { run, session, memory }: Past): Promise<History> {
  const { addHistoryToMessages = true, numHistoryRuns } = config;
  // Also when nothing of it is told: the memory is to go on from where it is.
  const recalled = await memory?.recall(session);
  if (!addHistoryToMessages) return { messages: [], remembered: [] };
  if (recalled !== undefined) {
    const { messages, context } = recalled;
    return { messages: trimHistory(messages, { maxTurns: numHistoryRuns }), remembered: [context] };
  }
  const turns = await session.loadTurns(numHistoryRuns ?? defaultHistoryRuns, run.signal);
  return { messages: repairHistory(turns.flatMap(turnMessages)), remembered: [] };
}

async function loadFacts({ config }: AgentParts, { run }: Past): Promise<string> {
  const { userId, tenantId } = run.settings;
  if (config.userMemory === undefined || userId === undefined) return "";
  return await config.userMemory.getContextString(userId, { tenantId, signal: run.signal });
}
