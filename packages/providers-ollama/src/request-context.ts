import type { RequestContext as CommonContext } from "@troupe/core/provider";
import type { ModelRules } from "./model-rules.ts";

/** The context for converting a model call to a request to Ollama. */
export type RequestContext = CommonContext<ModelRules> & {
  /** The context length in tokens; undefined if the server chooses it. */
  readonly contextLength: number | undefined;
};
