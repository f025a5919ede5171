import type { ModelRules } from "./model-rules.ts";

/** The model that a request is for, and a function that reports omissions. */
export type RequestContext = {
  readonly modelId: string;
  readonly rules: ModelRules;
  /** The context length in tokens, unless the server chooses. */
  readonly contextLength: number | undefined;
  /** Logs that a setting, or a part of the history, is left out. */
  readonly drop: (what: string, reason: string) => void;
};
