import { rulesOf } from "../src/model-rules.ts";
import type { ModelRules } from "../src/model-rules.ts";
import type { RequestContext } from "../src/request-context.ts";

/** Makes the context of a request of a model with these rules, and collects the names of what is left out. */
export function contextOf(
  rules: Partial<ModelRules> = {},
  modelId = "us.amazon.nova-pro-v1:0",
): { context: RequestContext; omitted: string[] } {
  const omitted: string[] = [];
  const report = (what: string): void => void omitted.push(what);
  const context: RequestContext = {
    model: { providerId: "bedrock", modelId },
    rules: rulesOf(modelId, rules),
    isPrivateUrl: () => false,
    reportOmitted: report,
    reportReplaced: report,
    promptCache: false,
  };
  return { context, omitted };
}
