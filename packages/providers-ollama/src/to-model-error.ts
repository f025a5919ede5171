import { ModelError, TroupeError } from "@troupe/core";
import { abortedError } from "@troupe/core/adapter";
import type { ResolvedKey } from "@troupe/core/adapter";
import { providerId } from "./provider-id.ts";
import { VendorError } from "./vendor-error.ts";

/**
 * The facts of one model call for `toModelError`: the model to name, the key to mask in errors, and the signal, whose
 * abort takes precedence over the error.
 */
export type CallContext = { modelId: string; key: ResolvedKey | undefined; signal: AbortSignal | undefined };

// Errors of the network and of a body that cannot be read count as failures of the model.
const foreign = ["unavailable", "timeout", "invalid_value"];

/**
 * Converts any error of a model call to the error that the model throws: that of the abort when the signal aborted,
 * else one of the vendor, its library or the network, with advice on a server or model that is missing.
 */
export function toModelError(thrown: unknown, { modelId, key, signal }: CallContext): TroupeError {
  if (signal?.aborted) return abortedError(signal.reason);
  // A request that cannot be written or sent, or a redirect: the error says what to do.
  if (TroupeError.is(thrown) && !foreign.includes(thrown.code)) return thrown;
  const error = new ModelError({ providerId, key, cause: thrown, ...factsOf(thrown) });
  const advice = adviceFor(error, thrown, modelId);
  return advice === undefined ? error : new TroupeError(error.code, advice, { cause: error, fields: error.fields });
}

function factsOf(thrown: unknown): { status?: number; retryAfterMs?: number | undefined; networkCode?: string } {
  if (thrown instanceof VendorError) return { status: thrown.status, retryAfterMs: thrown.retryAfterMs };
  // A body that is not JSON was truncated or damaged on its way.
  return thrown instanceof SyntaxError ? { networkCode: "ECONNRESET" } : {};
}

/** Advice for the operator of the server. */
function adviceFor({ networkCode }: ModelError, thrown: unknown, modelId: string): string | undefined {
  if (networkCode === "ECONNREFUSED") {
    return `${providerId} does not run where baseURL says: start it with \`ollama serve\`, or say where it is, with its port.`;
  }
  if (!(thrown instanceof VendorError)) return undefined;
  if (thrown.status === 404) return adviceForMissing(thrown, modelId);
  return thrown.lacks("tools")
    ? `${providerId}'s ${modelId} takes no tools: choose a model that does, or leave them out with rules.tools: false.`
    : undefined;
}

function adviceForMissing({ isFromOllama }: VendorError, modelId: string): string {
  if (isFromOllama) return `${providerId} has no model ${modelId}: get it with \`ollama pull ${modelId}\`.`;
  return `What answers at baseURL is not ${providerId}: say where it is, with its port and without /api or /v1.`;
}
