import type { ChatMessage, ModelOptions } from "@troupe/core";
import { PartReader } from "@troupe/core/provider";
import type { ModelCall } from "../src/model-call.ts";
import { rulesOf } from "../src/model-rules.ts";
import type { ModelRules } from "../src/model-rules.ts";
import { question } from "./ask.ts";

/** The parts of a model call that a test chooses. */
export type CallSetup = {
  readonly modelId?: string;
  readonly messages?: readonly ChatMessage[];
  readonly rules?: Partial<ModelRules>;
  readonly stream?: boolean;
};

/** Makes a model call of OpenAI's own server without one, and collects the names of what is left out. */
export function callOf(options: ModelOptions = {}, setup: CallSetup = {}): { call: ModelCall; omitted: string[] } {
  const { modelId = "gpt-4.1", messages = question, rules = {}, stream = false } = setup;
  const omitted: string[] = [];
  const reportOmitted = (name: string): void => void omitted.push(name);
  return {
    omitted,
    call: {
      api: "chat",
      providerId: "openai",
      modelId,
      messages,
      parts: new PartReader(messages, reportOmitted, { isPrivateUrl: () => false }),
      options,
      rules: rulesOf({ id: modelId, host: "api.openai.com" }, rules),
      stream,
      reportOmitted,
    },
  };
}
