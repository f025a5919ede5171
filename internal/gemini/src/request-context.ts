import type { ModelRules } from "./model-rules.ts";

/** For whom a request is made, and whom to tell what is left out of it. */
export type RequestContext = {
  readonly model: { readonly providerId: string; readonly modelId: string };
  readonly rules: ModelRules;
  /** Whether the cloud platform is asked: it reads files of its own buckets, and wants the type of every file. */
  readonly isCloud: boolean;
  /** Notes that a setting, or a part of the history, is left out. */
  readonly drop: (what: string, reason: string) => void;
};
