import { TroupeError } from "@troupe/core";
import { readObject, readRetryAfter, readText, toModelError, VendorError } from "@troupe/core/adapter";
import type { CallContext, ErrorReply } from "@troupe/core/adapter";
import { providerId } from "./provider-id.ts";

/** Error that the server sent in place of an answer, or within a stream. */
export class OllamaError extends VendorError {
  /** True when Ollama itself answered, and not a proxy or another server. */
  readonly isFromOllama: boolean;

  constructor(error: unknown, { status = 500, headers }: Partial<ErrorReply> = {}) {
    super({ message: readText(error) || undefined, status, retryAfterMs: headers && readRetryAfter(headers) });
    this.isFromOllama = typeof error === "string";
  }

  /** Tells if the server reports that the model lacks this ability. */
  lacks(ability: "thinking" | "tools"): boolean {
    return this.status === 400 && this.message.includes(`does not support ${ability}`);
  }
}

/** Makes the error of a reply with an error status. It may come from a proxy. */
export function toOllamaError(reply: ErrorReply): OllamaError {
  return new OllamaError(readObject(reply.body)["error"], reply);
}

/**
 * Returns advice for the operator of the server about a server, a model or tools that are missing, as the error to throw; otherwise
 * the error as it was thrown.
 */
export function withAdvice(thrown: unknown, call: CallContext, modelId: string): unknown {
  if (call.signal?.aborted) return thrown;
  const error = toModelError(thrown, call);
  const advice = adviceFor(thrown, readText(readObject(error)["networkCode"]), modelId);
  return advice === undefined ? thrown : new TroupeError(error.code, advice, { cause: error, fields: error.fields });
}

function adviceFor(thrown: unknown, networkCode: string, modelId: string): string | undefined {
  if (networkCode === "ECONNREFUSED") {
    return `${providerId} does not run where baseURL says: start it with \`ollama serve\`, or say where it is, with its port.`;
  }
  if (!(thrown instanceof OllamaError)) return undefined;
  if (thrown.status === 404) return adviceForMissing(thrown, modelId);
  return thrown.lacks("tools")
    ? `${providerId}'s ${modelId} takes no tools: choose a model that does, or leave them out with rules.tools: false.`
    : undefined;
}

function adviceForMissing({ isFromOllama }: OllamaError, modelId: string): string {
  if (isFromOllama) return `${providerId} has no model ${modelId}: get it with \`ollama pull ${modelId}\`.`;
  return `What answers at baseURL is not ${providerId}: say where it is, with its port and without /api or /v1.`;
}
