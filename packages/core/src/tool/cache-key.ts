import type { RunContext } from "../run/run-context.ts";
import { runOf } from "../run/run.ts";
import { canonicalJson } from "../schema/canonical-json.ts";

/**
 * What two calls must have in common to get one answer: tool, arguments, user, tenant and API keys. Only a fingerprint,
 * so that neither keys nor long arguments are kept.
 */
export function cacheKey(toolName: string, args: Record<string, unknown>, context: RunContext): string {
  const { userId = null } = context;
  const { createHash } = process.getBuiltinModule("node:crypto");
  const { tenantId = null, apiKeys = {} } = runOf(context)?.settings ?? {};
  const about = [toolName, userId, tenantId, apiKeys, args];
  return createHash("sha256").update(canonicalJson(about)).digest("base64");
}
