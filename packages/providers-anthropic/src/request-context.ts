import type { ModelRules } from "./model-rules.ts";

/**
 * The model that a request is for, its abilities, and a function that logs what is left out, for the functions that
 * convert a model call to a request.
 */
export type RequestContext = {
  readonly model: { readonly providerId: string; readonly modelId: string };
  readonly rules: ModelRules;
  /** Logs that a setting, or a part of the history, is left out. */
  readonly reportOmitted: (what: string, reason: string) => void;
};
