import type { RequestContext as CommonContext } from "@troupe/core/provider";
import type { ModelRules } from "./model-rules.ts";

/** The context for converting a model call to a request to Gemini. */
export type RequestContext = CommonContext<ModelRules> & {
  /** True for Google Cloud, which reads files from its own buckets and requires the type of every file. */
  readonly isCloud: boolean;
};
