import { TroupeError } from "../errors/troupe-error.ts";
import { encodeKey } from "../storage/encode-key.ts";

const clientForm = /^[\w.:@-]{1,128}$/;
/** A client's id, and behind it any number of `/<runId>#<member>` or `#<member>`: teams within teams. */
const storedForm = /^[\w.:@-]{1,128}(?:(?:\/[\w.:@-]+)?#[\w.:@%-]+)*$/;
/** What a key of 1,024 bytes has room for beside a tenant and a turn's number. */
const longestStored = 750;

/** Takes a session id as a client may give it; anything else is `invalid_request`. */
export function checkSessionId(id: unknown): string {
  if (typeof id === "string" && clientForm.test(id)) return id;
  throw new TroupeError(
    "invalid_request",
    "sessionId must be 1 to 128 characters out of A-Z, a-z, 0-9 and _ . : @ - (leave it out to start a new session).",
  );
}

/** Takes a session id as the storage holds it: a client's, or one of a team's member. */
export function checkStoredSessionId(id: unknown): string {
  const isStored = typeof id === "string" && id.length <= longestStored && storedForm.test(id);
  return isStored && encodeKey(id).length <= longestStored ? id : checkSessionId(id);
}

/** The session a member of a team works in: for one run of the team, or for all of them when no run is named. */
export function memberSessionId(teamSessionId: string, member: string, runId?: string): string {
  const run = runId === undefined ? "" : `/${runId}`;
  return `${teamSessionId}${run}#${encodeKey(member)}`;
}

/** Whether the session is one that a team opened for a member. */
export function isMemberSessionId(id: string): boolean {
  return id.includes("#");
}
