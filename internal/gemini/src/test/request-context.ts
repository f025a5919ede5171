import { rulesOf } from "../model-rules.ts";
import type { ModelRules } from "../model-rules.ts";
import type { RequestContext } from "../request-context.ts";

/** Makes a request context for a model with these rules, and collects the names of settings that are left out. */
export function contextOf(
  rules: Partial<ModelRules> = {},
  more: Partial<RequestContext> = {},
): { context: RequestContext; omitted: string[] } {
  const omitted: string[] = [];
  const report = (what: string): void => void omitted.push(what);
  const context = {
    model: { providerId: "google", modelId: "gemini-test" },
    rules: rulesOf("gemini-3.8-flash", rules),
    isPrivateUrl: () => false,
    isCloud: false,
    reportOmitted: report,
    reportReplaced: report,
    ...more,
  } as unknown as RequestContext;
  return { context, omitted };
}
