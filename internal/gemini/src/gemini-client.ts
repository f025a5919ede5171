import { sharedHttpPool } from "@troupe/core/adapter";
import type { PooledRequestInit } from "@troupe/core/adapter";
import { readVendorError } from "./vendor-error.ts";

/**
 * The API that a `GeminiClient` sends to: `baseURL` with the version, and `isCloud` for Google Cloud (Vertex) instead
 * of the Gemini API.
 */
export type ClientSettings = { baseURL: string; isCloud: boolean };

/** A request for `GeminiClient.post`: a method of a model, and the body, which is sent as JSON. */
export type MethodCall = { modelId: string; method: string; body: object };

/**
 * Headers with credentials, abort signal, and timeouts in milliseconds with which `GeminiClient.post` sends a request.
 */
export type SendOptions = {
  /** Credentials. */
  headers: Readonly<Record<string, string>>;
  signal: AbortSignal | undefined;
} & Pick<PooledRequestInit, "headersTimeoutMs" | "idleTimeoutMs">;

/** A client of Gemini's API at one address, for models and embeddings. */
export class GeminiClient {
  readonly #settings: ClientSettings;

  constructor(settings: ClientSettings) {
    this.#settings = settings;
  }

  /** Sends a request and returns the response before its body. An error status is thrown as a `VendorError`. */
  async post(call: MethodCall, { headers, signal, ...waits }: SendOptions): Promise<Response> {
    const reply = await sharedHttpPool().fetch(toUrl(call, this.#settings), {
      method: "POST",
      headers: { accept: "*/*", "content-type": "application/json", "user-agent": "troupe", ...headers },
      body: JSON.stringify(call.body),
      ...waits,
      ...(signal !== undefined && { signal }),
    });
    if (reply.ok) return reply;
    throw await readVendorError({ status: reply.status, headers: reply.headers, text: () => reply.text() });
  }
}

/** Returns the URL of a method of a model. Streams are requested as server-sent events. */
export function toUrl({ modelId, method }: Omit<MethodCall, "body">, { baseURL, isCloud }: ClientSettings): string {
  const model = isCloud ? toCloudPath(modelId) : toApiPath(modelId);
  return `${baseURL}/${model}:${method}${method.startsWith("stream") ? "?alt=sse" : ""}`;
}

/** Returns the path of a model of the Gemini API. The name of a tuned model is its path. */
function toApiPath(modelId: string): string {
  return /^(?:models|tunedModels)\//.test(modelId) ? modelId : `models/${modelId}`;
}

/** Returns the path of a model on Google Cloud: of Google, or of the publisher before the slash. */
function toCloudPath(modelId: string): string {
  if (/^(?:publishers|projects|models)\//.test(modelId)) return modelId;
  const [publisher, name] = modelId.includes("/") ? modelId.split("/", 2) : ["google", modelId];
  return `publishers/${publisher}/models/${name}`;
}
