import { rulesOf } from "../src/model-rules.ts";
import type { ModelRules } from "../src/model-rules.ts";
import type { RequestContext } from "../src/request-context.ts";

/** Makes the context of a request of an old model with these rules, and collects the names of what is left out. */
export function contextOf(rules: Partial<ModelRules> = {}): { context: RequestContext; omitted: string[] } {
  const omitted: string[] = [];
  const report = (what: string): void => void omitted.push(what);
  const context = {
    model: { providerId: "anthropic", modelId: "claude-test" },
    rules: rulesOf("claude-sonnet-4-0", rules),
    isPrivateUrl: () => false,
    reportOmitted: report,
    reportReplaced: report,
    promptCache: false,
  } as unknown as RequestContext;
  return { context, omitted };
}
