import type { Logger } from "@troupe/core";
import type { ModelRules } from "./model-rules.ts";

/** How Google is reached. */
export type GoogleOptions = {
  /** The key for calls that bring none. @default the environment's `GOOGLE_API_KEY`, else `GEMINI_API_KEY`, at the time of the call */
  apiKey?: string;
  /** Where the interface is, without its version. @default "https://generativelanguage.googleapis.com" */
  baseURL?: string;
  /** The longest silence before and within a stream. @default 60_000 */
  idleTimeoutMs?: number;
  /** What the model takes, where it differs from the table. */
  rules?: Partial<ModelRules>;
  /** Told, at level debug, what the model does not take and is therefore left out. @default silent */
  logger?: Logger;
};
