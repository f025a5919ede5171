import type { RequestContext as CommonContext } from "@troupe/core/provider";
import type { ModelRules } from "./model-rules.ts";

/** The context in which the functions of this package convert a model call to a request. */
export type RequestContext = CommonContext<ModelRules> & {
  /** True for the cloud platform, which reads files from its own buckets and needs the type of every file. */
  readonly isCloud: boolean;
};
