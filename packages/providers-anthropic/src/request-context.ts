import type { ReportOmission } from "@troupe/core/adapter";
import type { PromptCache } from "./options.ts";
import type { ModelRules } from "./model-rules.ts";

/**
 * The model that a request is for, its abilities, and a function that logs what is left out, for the functions that
 * convert a model call to a request.
 */
export type RequestContext = {
  readonly model: { readonly providerId: string; readonly modelId: string };
  readonly rules: ModelRules;
  /** The marks for the vendor's prompt cache. */
  readonly promptCache: PromptCache;
  /** Reports a setting, or a part of the history, that is left out and lost. */
  readonly reportOmitted: ReportOmission;
  /** Reports a setting that is left out, but that the instructions stand for. */
  readonly reportReplaced: ReportOmission;
};
