import type { LiveRun } from "./live-run.ts";
import type { ServedStoredRun } from "./served-stored-run.ts";

/**
 * A run in progress for one client. A live run has a client that waits for it, and no log. A stored run has a log in a
 * `RunService`, so that its client can read it again later.
 */
export type ServedRun = LiveRun | ServedStoredRun;
