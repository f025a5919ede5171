import type { RequestContext as CommonContext } from "@troupe/core/provider";
import type { PromptCache } from "./options.ts";
import type { ModelRules } from "./model-rules.ts";

/** The context for converting a model call to a request to Anthropic. */
export type RequestContext = CommonContext<ModelRules> & {
  /** The option `promptCache`: the marks for the vendor's prompt cache. */
  readonly promptCache: PromptCache;
};
