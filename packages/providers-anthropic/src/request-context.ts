import type { RequestContext as CommonContext } from "@troupe/core/provider";
import type { PromptCache } from "./options.ts";
import type { ModelRules } from "./model-rules.ts";

/** The context in which the functions of this package convert a model call to a request. */
export type RequestContext = CommonContext<ModelRules> & {
  /** The marks for the vendor's prompt cache. */
  readonly promptCache: PromptCache;
};
