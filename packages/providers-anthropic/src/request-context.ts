import type { ModelRules } from "./model-rules.ts";

/** The model that a request is for, and a function that reports omissions. */
export type RequestContext = {
  readonly model: { readonly providerId: string; readonly modelId: string };
  readonly rules: ModelRules;
  /** Logs that a setting, or a part of the history, is left out. */
  readonly drop: (what: string, reason: string) => void;
};
