import type { RequestContext as CommonContext } from "@troupe/core/provider";
import type { PromptCache } from "./options.ts";
import type { ModelRules } from "./model-rules.ts";

/** The context for converting a model call to a request to Bedrock. */
export type RequestContext = CommonContext<ModelRules> & {
  /** The option `promptCache`: the points up to which Bedrock caches the prompt. */
  readonly promptCache: PromptCache;
};
