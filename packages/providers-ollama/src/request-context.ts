import type { ModelRules } from "./model-rules.ts";

/**
 * The model that a request is for, its abilities, and a function that logs what is left out, for the functions that
 * convert a model call to a request.
 */
export type RequestContext = {
  readonly modelId: string;
  readonly rules: ModelRules;
  /** The context length in tokens, unless the server chooses. */
  readonly contextLength: number | undefined;
  /** Logs that a setting, or a part of the history, is left out. */
  readonly reportOmitted: (what: string, reason: string) => void;
};
