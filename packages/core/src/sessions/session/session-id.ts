import { TroupeError } from "../../base/errors/troupe-error.ts";
import { encodeKey } from "../storage/encode-key.ts";

/**
 * The form of a client's session id. It excludes `.` and `..`, which clients and proxies would treat as folders of a
 * path.
 */
const clientForm = /^(?!\.{1,2}$)[\w.:@-]{1,128}$/;
/** A client's id, followed by any number of `/<runId>#<member>` or `#<member>`, for teams within teams. */
const storedForm = /^(?!\.{1,2}$)[\w.:@-]{1,128}(?:(?:\/[\w.:@-]+)?#[\w.:@%-]+)*$/;
/**
 * The maximum length of a stored id. A key of 1,024 bytes also contains a tenant, a user, and the numbers of a turn and
 * its parts.
 */
const longestStored = 480;

/**
 * Returns a session id that a client may choose: 1 to 128 of `A-Za-z0-9_.:@-`, except `.` and `..`. Throws
 * `invalid_request` for others.
 */
export function checkSessionId(id: unknown): string {
  if (typeof id === "string" && clientForm.test(id)) return id;
  throw new TroupeError(
    "invalid_request",
    "sessionId must be a string of 1 to 128 characters of A-Z, a-z, 0-9 and _ . : @ -, other than . and .. alone. Leave it out to start a new session.",
  );
}

/**
 * Returns a session id that may be stored: an id from a client, or the id of a team member's session. Throws
 * `invalid_request` for others.
 */
export function checkStoredSessionId(id: unknown): string {
  const isStored = typeof id === "string" && id.length <= longestStored && storedForm.test(id);
  return isStored && encodeKey(id).length <= longestStored ? id : checkSessionId(id);
}

/**
 * Returns the id of the session that a team opens for a member: for one run of the team or, without `runId`, for all
 * runs.
 */
export function memberSessionId(teamSessionId: string, member: string, runId?: string): string {
  const run = runId === undefined ? "" : `/${runId}`;
  return `${teamSessionId}${run}#${encodeKey(member)}`;
}

/**
 * Returns the id of the caller's session in which a team or a workflow opened this session. Returns the id itself if it
 * is a caller's session.
 */
export function callersSessionId(id: string): string {
  return id.replace(/[/#].*$/, "");
}

/** Returns true if the session of this id was opened by a team for a member. */
export function isMemberSessionId(id: string): boolean {
  return id.includes("#");
}
