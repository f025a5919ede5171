import type { ModelRules } from "./model-rules.ts";

/** For whom a request is made, and whom to tell what is left out of it. */
export type RequestContext = {
  readonly modelId: string;
  readonly rules: ModelRules;
  /** How many tokens the model is to have room for, if the server is not to choose. */
  readonly contextLength: number | undefined;
  /** Notes that a setting, or a part of the history, is left out. */
  readonly drop: (what: string, reason: string) => void;
};
