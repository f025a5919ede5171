import { ModelError, TroupeError } from "@troupe/core";
import { abortedError } from "@troupe/core/adapter";
import type { ResolvedKey } from "@troupe/core/adapter";
import { providerId } from "./provider-id.ts";
import { VendorFailure } from "./vendor-failure.ts";

/** Whose call failed: the model, the key that is to be kept out of the error, and the signal that may have ended it. */
export type FailedCall = { modelId: string; key: ResolvedKey | undefined; signal: AbortSignal | undefined };

// The network's, and those of what came over it: they are the model's failures.
const foreign = ["unavailable", "timeout", "invalid_value"];

/** Makes the one error that leaves the provider of whatever a call threw. */
export function toModelError(thrown: unknown, { modelId, key, signal }: FailedCall): TroupeError {
  if (signal?.aborted) return abortedError(signal.reason);
  // A request that cannot be made or sent, a redirect: the sentence says how to mend it.
  if (TroupeError.is(thrown) && !foreign.includes(thrown.code)) return thrown;
  const error = new ModelError({ providerId, key, cause: thrown, ...factsOf(thrown) });
  const advice = adviceFor(error, thrown, modelId);
  return advice === undefined ? error : new TroupeError(error.code, advice, { cause: error, fields: error.fields });
}

function factsOf(thrown: unknown): { status?: number; retryAfterMs?: number | undefined; networkCode?: string } {
  if (thrown instanceof VendorFailure) return { status: thrown.status, retryAfterMs: thrown.retryAfterMs };
  // What cannot be read was cut, or spoilt on its way.
  return thrown instanceof SyntaxError ? { networkCode: "ECONNRESET" } : {};
}

/** What whoever runs the server can do against the failure, where it is theirs to mend. */
function adviceFor({ networkCode }: ModelError, thrown: unknown, modelId: string): string | undefined {
  if (networkCode === "ECONNREFUSED") {
    return `${providerId} does not run where baseURL says: start it with \`ollama serve\`, or say where it is, with its port.`;
  }
  if (!(thrown instanceof VendorFailure)) return undefined;
  if (thrown.status === 404) return adviceForMissing(thrown, modelId);
  return thrown.tellsOfNo("tools")
    ? `${providerId}'s ${modelId} takes no tools: choose a model that does, or leave them out with rules.tools: false.`
    : undefined;
}

function adviceForMissing({ isOwnWord }: VendorFailure, modelId: string): string {
  if (isOwnWord) return `${providerId} has no model ${modelId}: get it with \`ollama pull ${modelId}\`.`;
  return `What answers at baseURL is not ${providerId}: say where it is, with its port and without /api or /v1.`;
}
