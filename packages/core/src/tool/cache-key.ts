import { apiKeysOf, tenantOf } from "../run/run-context.ts";
import type { RunContext } from "../run/run-context.ts";
import { canonicalJson } from "../schema/canonical-json.ts";

/**
 * What two calls must have in common to get one answer: tool, arguments, user, tenant and API keys. Only a fingerprint,
 * so that neither keys nor long arguments are kept.
 */
export function cacheKey(toolName: string, args: Record<string, unknown>, context: RunContext): string {
  const { userId = null } = context;
  const { createHash } = process.getBuiltinModule("node:crypto");
  const about = [toolName, userId, tenantOf(context) ?? null, apiKeysOf(context), args];
  return createHash("sha256").update(canonicalJson(about)).digest("base64");
}
