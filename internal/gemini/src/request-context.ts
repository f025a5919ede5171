import type { ModelRules } from "./model-rules.ts";

/**
 * The model that a request is for, its abilities, and a function that logs what is left out, for the functions that
 * convert a model call to a request.
 */
export type RequestContext = {
  readonly model: { readonly providerId: string; readonly modelId: string };
  readonly rules: ModelRules;
  /** True for the cloud platform, which reads files from its own buckets and needs the type of every file. */
  readonly isCloud: boolean;
  /** Logs that a setting, or a part of the history, is left out. */
  readonly reportOmitted: (what: string, reason: string) => void;
};
