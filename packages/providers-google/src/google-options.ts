import type { Logger } from "@troupe/core";
import type { ModelRules } from "./model-rules.ts";

/** Options of `google`, which creates a model. All have defaults. */
export type GoogleOptions = {
  /** The key for calls without their own. @default `GOOGLE_API_KEY`, else `GEMINI_API_KEY`, read at each call */
  apiKey?: string | (() => string | Promise<string>) | undefined;
  /** The URL of the API, without its version. @default "https://generativelanguage.googleapis.com" */
  baseURL?: string | undefined;
  /** Milliseconds to wait for the first byte, and between chunks. @default 60_000 */
  idleTimeoutMs?: number | undefined;
  /** Abilities of the model that the table does not know or has wrong. */
  rules?: Partial<ModelRules> | undefined;
  /** Receives at level debug the settings that are left out because the model does not take them. @default silent */
  logger?: Logger | undefined;
};
