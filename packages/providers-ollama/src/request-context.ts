import type { RequestContext as CommonContext } from "@troupe/core/provider";
import type { ModelRules } from "./model-rules.ts";

/** The context in which the functions of this package convert a model call to a request. */
export type RequestContext = CommonContext<ModelRules> & {
  /** The context length in tokens, unless the server chooses. */
  readonly contextLength: number | undefined;
};
