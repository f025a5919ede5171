import { TroupeError } from "@troupe/core";
import { readObject, readRetryAfter, readText } from "@troupe/core/kit";
import { toModelError, TruncatedResponseError, VendorError } from "@troupe/core/provider";
import type { CallContext, ErrorReply } from "@troupe/core/provider";
import { providerId } from "./options.ts";

/** An error that an Ollama server sent instead of an answer, or within a stream. */
export class OllamaError extends VendorError {
  /** True if Ollama itself answered, and not a proxy or another server. */
  readonly isFromOllama: boolean;

  constructor(error: unknown, { status, headers }: Partial<ErrorReply> = {}) {
    super({ message: readText(error) || undefined, status, retryAfterMs: headers && readRetryAfter(headers) });
    this.isFromOllama = typeof error === "string";
  }

  /** Returns true if the server reports that the model lacks this ability. */
  lacks(ability: "thinking" | "tools"): boolean {
    return this.status === 400 && this.message.includes(`does not support ${ability}`);
  }
}

/**
 * Makes an error from the server's error field, which may come in a reply with an error status, in place of an answer,
 * or as a line of a stream. The body of a reply may have any form, because a proxy may have answered.
 */
export function toVendorError(body: unknown, reply?: ErrorReply): OllamaError {
  return new OllamaError(readObject(body)["error"], reply);
}

/**
 * Converts an error of the package `ollama`: the error of a reply, or the error in a line of a stream, which the
 * package throws as a plain `Error`.
 */
export function toClientError(thrown: unknown): unknown {
  const { status_code: status, error, message } = readObject(thrown);
  if (typeof status === "number") return new OllamaError(error, { status });
  if (!(thrown instanceof Error) || Object.getPrototypeOf(thrown) !== Error.prototype) return thrown;
  return message === incomplete ? new TruncatedResponseError() : new OllamaError(message);
}

/** The message of the package `ollama` for a stream without its last line. */
const incomplete = "Did not receive done or success response in stream.";

/**
 * Returns an error with advice for the operator if the server, the model or tool support is missing. Otherwise returns
 * the thrown error.
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
