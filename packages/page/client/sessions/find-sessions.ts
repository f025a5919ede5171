import type { SessionInfo } from "@troupe-internal/client";
import { dayOf } from "../ui/format.ts";
import { matchWords } from "../ui/match-words.ts";
import { strings } from "../strings/strings.ts";

/** Sessions under a heading, such as `Today`. */
export type SessionGroup = readonly [heading: string, sessions: readonly SessionInfo[]];

/**
 * Returns the sessions to show, in groups: the pinned sessions, and the other sessions by their days. With a query,
 * returns only the sessions whose titles have each of its words.
 */
export function groupSessions(
  sessions: readonly SessionInfo[],
  { pinned, query, now }: { pinned: readonly SessionInfo[]; query: string; now: number },
): SessionGroup[] {
  const matches = matchWords(query);
  const isFound = ({ title = "" }: SessionInfo) => matches(title);
  const listed = new Map(sessions.map((session) => [session.sessionId, session]));
  const atTop = pinned.map((session) => listed.get(session.sessionId) ?? session).filter(isFound);
  for (const { sessionId } of pinned) listed.delete(sessionId);
  const byDay = Map.groupBy([...listed.values()].filter(isFound), ({ updatedAt }) => dayOf(updatedAt, now));
  return [...(atTop.length > 0 ? [[strings.sessions.pinned, atTop] as const] : []), ...byDay];
}
