import type { SessionInfo } from "@troupe-internal/client";
import { dayOf } from "../ui/format.ts";

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
  const words = fold(query).split(/\s+/).filter(Boolean);
  const isFound = ({ title = "" }: SessionInfo) => words.every((word) => fold(title).includes(word));
  const listed = new Map(sessions.map((session) => [session.sessionId, session]));
  const atTop = pinned.map((session) => listed.get(session.sessionId) ?? session).filter(isFound);
  for (const { sessionId } of pinned) listed.delete(sessionId);
  const byDay = Map.groupBy([...listed.values()].filter(isFound), ({ updatedAt }) => dayOf(updatedAt, now));
  return [...(atTop.length > 0 ? [["Pinned", atTop] as const] : []), ...byDay];
}

/** Returns a text in small letters without accents. */
function fold(text: string): string {
  return text.normalize("NFD").replaceAll(/\p{M}/gu, "").toLocaleLowerCase();
}
