import { readObject, streamEvents } from "@troupe/core/kit";
import { callClient, openSdkStream, postJson, readJson } from "@troupe/core/provider";
import type { HttpReply, Network } from "@troupe/core/kit";
import type { CallContext, Connection } from "@troupe/core/provider";
import type { Access } from "./access.ts";
import { toVendorError } from "./errors.ts";
import type { GeminiClient } from "./options.ts";
import type { RequestBody } from "./to-request.ts";
import type { WireAnswer } from "./wire-types.ts";

/** A request for an answer of a Gemini model. */
type GeminiRequest = { modelId: string; body: RequestBody; access?: Access | undefined };

/** Sends the requests of a Gemini model: over HTTP, or through the caller's own client. */
export type GeminiConnection = Connection<GeminiRequest, WireAnswer>;

/**
 * The settings of a Gemini model that its HTTP requests use. `isCloud`: Google Cloud (Vertex) instead of the Gemini
 * API.
 */
type HttpSettings = { network: Network; isCloud: boolean; idleTimeoutMs: number };

/** Gemini's own limit for an unstreamed answer, in milliseconds. */
const longestAnswerMs = 600_000;

/** Largest event of a stream in bytes: image models send a whole picture in one event. */
const maxEventBytes = 33_554_432;

/** Makes the connection that sends requests to Gemini with our own HTTP client. */
export function httpConnection({ network, isCloud, idleTimeoutMs }: HttpSettings): GeminiConnection {
  const post = (request: GeminiRequest, call: CallContext, stream: boolean) =>
    postMethod(network, {
      ...request,
      method: stream ? "streamGenerateContent?alt=sse" : "generateContent",
      isCloud,
      call,
      headersTimeoutMs: stream ? idleTimeoutMs : Math.max(longestAnswerMs, idleTimeoutMs),
      idleTimeoutMs,
    });
  return {
    send: async (request, call) => await readJson(await post(request, call, false)),
    open: async (request, call) => streamEvents(await post(request, call, true), { format: "sse", maxEventBytes }),
  };
}

/** An HTTP request to one of the API methods of a Gemini model, for `postMethod`. */
export type MethodRequest = Omit<GeminiRequest, "body"> & {
  method: string;
  body: object;
  isCloud: boolean;
  call: CallContext;
  headersTimeoutMs: number;
  idleTimeoutMs: number;
};

/** Sends a request to a method of a Gemini model over HTTP, and returns the reply before its body is read. */
export async function postMethod(network: Network, request: MethodRequest): Promise<HttpReply> {
  const { modelId, method, isCloud, access, ...sent } = request;
  const model = isCloud ? toCloudPath(modelId) : toApiPath(modelId);
  return await postJson(network, {
    ...sent,
    url: `${access?.baseURL}/${model}:${method}`,
    headers: { accept: "*/*", ...access?.headers },
    toError: toVendorError,
  });
}

/**
 * Returns the path of a model in the Gemini API. An id that begins with `models/` or `tunedModels/` is already a path.
 */
export function toApiPath(modelId: string): string {
  return /^(?:models|tunedModels)\//.test(modelId) ? modelId : `models/${modelId}`;
}

/**
 * Returns the path of a model on Google Cloud, or its id if that is a path already. The part of the id before a slash
 * is the publisher, by default Google.
 */
function toCloudPath(modelId: string): string {
  if (/^(?:publishers|projects|models)\//.test(modelId)) return modelId;
  const [publisher, name] = modelId.includes("/") ? modelId.split("/", 2) : ["google", modelId];
  return `publishers/${publisher}/models/${name}`;
}

/** Makes the connection over a client of Google's SDK, which has its own address and credentials. */
export function clientConnection({ models }: GeminiClient, idleTimeoutMs: number): GeminiConnection {
  return {
    send: async (request, call) =>
      await callClient((leave) => models.generateContent(toParameters(request, call, leave) as never), {
        signal: call.signal,
        timeoutMs: Math.max(longestAnswerMs, idleTimeoutMs),
        toError: toClientError,
      }),
    open: async (request, call) =>
      await openSdkStream((leave) => models.generateContentStream(toParameters(request, call, leave) as never), {
        signal: call.signal,
        timeoutMs: idleTimeoutMs,
        toError: toClientError,
      }),
  };
}

/**
 * Returns the arguments for a call of Google's SDK. It sends the body unchanged, including fields of the option
 * `vendor` that the SDK does not know.
 */
function toParameters({ modelId, body }: GeminiRequest, call: CallContext, abortSignal: AbortSignal): object {
  const { contents, ...rest } = body;
  const { generationConfig, ...config } = rest;
  return {
    model: modelId,
    contents,
    config: {
      ...generationConfig,
      ...config,
      // Google's SDK must neither call tools nor send further requests itself.
      automaticFunctionCalling: { disable: true },
      automaticContinuation: false,
      abortSignal,
      httpOptions: { extraBody: rest, ...clientHttpOptions(call) },
    },
  };
}

/**
 * Returns the HTTP options of a request through Google's SDK. If the call has a key of the caller, a header with that
 * key replaces the client's own key.
 */
export function clientHttpOptions({ key }: CallContext): object {
  // Google's SDK must not retry, because Troupe does.
  const retryOptions = { attempts: 1 };
  return { retryOptions, ...(key !== undefined && { headers: { [keyHeader]: key.value } }) };
}

const keyHeader = "x-goog-api-key";

/**
 * Returns true if a client of Google's SDK accepts a key for a single request: a `GoogleGenAI` for the Gemini API.
 * Clients for Google Cloud, clients with a key or token in their own headers, and wrapped clients do not.
 */
export function takesKey(client: unknown): boolean {
  const { constructor, vertexai, apiClient } = readObject(client);
  const { clientOptions } = readObject(apiClient);
  const { headers } = readObject(readObject(clientOptions)["httpOptions"]);
  const names = Object.keys(readObject(headers)).map((name) => name.toLowerCase());
  const isOwn = typeof constructor === "function" && constructor.name === "GoogleGenAI";
  return isOwn && vertexai === false && !names.includes(keyHeader) && !names.includes("authorization");
}

/**
 * Converts an SDK error to a `VendorError` if its text is the vendor's JSON, which contains more than its status.
 * Otherwise returns the error unchanged.
 */
export function toClientError(thrown: unknown): unknown {
  const { status, message } = (thrown ?? {}) as { status?: unknown; message?: unknown };
  const json = typeof message === "string" ? /\{.*\}/s.exec(message)?.[0] : undefined;
  if (typeof status !== "number" || json === undefined) return thrown;
  try {
    return toVendorError(JSON.parse(json), { status, headers: new Headers() });
  } catch {
    return thrown;
  }
}
