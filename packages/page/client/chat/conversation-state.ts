import type { Api } from "../api/api.ts";
import type { KeptTurns } from "./kept-turns.ts";
import type { OpenRuns } from "./open-runs.ts";
import type { Turn } from "./turn.ts";

/** The conversation as shown on the page. */
export type ConversationState = {
  /**
   * The session of the conversation. Absent if the service does not have the session: before its first run, and if none
   * of its turns was stored.
   */
  readonly sessionId?: string | undefined;
  /** A number that differs for each conversation shown. */
  readonly number: number;
  readonly turns: readonly Turn[];
  readonly isLoading: boolean;
  /** True while a turn is being deleted so that its question can be asked again. */
  readonly isReplacing: boolean;
  /** A sentence about a failure that does not belong to a run. */
  readonly failure?: string | undefined;
};

/** Callbacks by which a conversation tells the other parts of the page what has changed. */
export type ConversationListener = {
  /** Called when a session has started with this question. */
  begun(sessionId: string, title: string): void;
  /** Called when the page shows the conversation of another session, or of no session. */
  moved(sessionId: string | undefined): void;
  /** Called when a run is over: the titles and the order of the sessions may have changed. */
  over(): void;
};

/** The API requests that a conversation sends. */
export type ConversationApi = Pick<
  Api,
  "start" | "events" | "turns" | "removeTurns" | "newestRuns" | "cancel" | "answer" | "partUrl"
>;

/** The data that a tab keeps over a reload: its active runs, and the turns that the service has not stored. */
export type TabMemory = { readonly openRuns: OpenRuns; readonly keptTurns: KeptTurns };
