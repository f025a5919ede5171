import { readObject, streamEvents } from "@troupe/core/kit";
import { askClient, openClientStream, postJson, readJson } from "@troupe/core/provider";
import type { HttpReply, Network } from "@troupe/core/kit";
import type { CallContext, Connection } from "@troupe/core/provider";
import type { Access } from "./access.ts";
import { toVendorError } from "./errors.ts";
import type { GeminiClient } from "./options.ts";
import type { RequestBody } from "./to-request.ts";
import type { WireAnswer } from "./wire-types.ts";

/** One request for an answer of a model. */
type GeminiRequest = { modelId: string; body: RequestBody; access?: Access | undefined };

/** Sends the requests of one model: over HTTP, or through the caller's own client. */
export type GeminiConnection = Connection<GeminiRequest, WireAnswer>;

/** The settings of a model that its HTTP requests need; `isCloud` for Google Cloud (Vertex) instead of the Gemini API. */
type HttpSettings = { network: Network; isCloud: boolean; idleTimeoutMs: number };

/** The vendor's own limit for an answer that is not streamed. */
const longestAnswerMs = 600_000;

/** Image models send a picture in one event. */
const maxEventBytes = 33_554_432;

/** Makes the connection that sends requests over our own HTTP. */
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

/** One request to a method of a model, for `postMethod`. */
export type MethodRequest = Omit<GeminiRequest, "body"> & {
  method: string;
  body: object;
  isCloud: boolean;
  call: CallContext;
  headersTimeoutMs: number;
  idleTimeoutMs: number;
};

/** Sends a request to a method of a model over HTTP and returns the reply before its body is read. */
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

/** Returns the path of a model of the Gemini API. The name of a tuned model is its path. */
export function toApiPath(modelId: string): string {
  return /^(?:models|tunedModels)\//.test(modelId) ? modelId : `models/${modelId}`;
}

/** Returns the path of a model on Google Cloud: of Google, or of the publisher before the slash. */
function toCloudPath(modelId: string): string {
  if (/^(?:publishers|projects|models)\//.test(modelId)) return modelId;
  const [publisher, name] = modelId.includes("/") ? modelId.split("/", 2) : ["google", modelId];
  return `publishers/${publisher}/models/${name}`;
}

/** Makes the connection over a client of Google's SDK, which has an address and credentials of its own. */
export function clientConnection({ models }: GeminiClient, idleTimeoutMs: number): GeminiConnection {
  return {
    send: async (request, call) =>
      await askClient((leave) => models.generateContent(toParameters(request, call, leave) as never), {
        signal: call.signal,
        timeoutMs: Math.max(longestAnswerMs, idleTimeoutMs),
        toError: toClientError,
      }),
    open: async (request, call) =>
      await openClientStream((leave) => models.generateContentStream(toParameters(request, call, leave) as never), {
        signal: call.signal,
        timeoutMs: idleTimeoutMs,
        toError: toClientError,
      }),
  };
}

/** Writes the arguments of the SDK, which sends the body as it is: also fields of `vendor` that it does not know. */
function toParameters({ modelId, body }: GeminiRequest, call: CallContext, abortSignal: AbortSignal): object {
  const { contents, ...rest } = body;
  const { generationConfig, ...config } = rest;
  return {
    model: modelId,
    contents,
    config: {
      ...generationConfig,
      ...config,
      // The library must neither call tools nor send further requests itself.
      automaticFunctionCalling: { disable: true },
      automaticContinuation: false,
      abortSignal,
      httpOptions: { extraBody: rest, ...clientHttpOptions(call) },
    },
  };
}

/** Returns the options of one request of the SDK. The header with a key of the caller stands for the client's own. */
export function clientHttpOptions({ key }: CallContext): object {
  // Retries are the run's.
  const retryOptions = { attempts: 1 };
  return { retryOptions, ...(key !== undefined && { headers: { [keyHeader]: key.value } }) };
}

const keyHeader = "x-goog-api-key";

/**
 * Tells if a client of Google's SDK takes a key for one request: a `GoogleGenAI` for the Gemini API does. One for Google Cloud,
 * one with a key or a token among its own headers, and one that something wrapped do not.
 */
export function takesKey(client: unknown): boolean {
  const { constructor, vertexai, apiClient } = readObject(client);
  const { clientOptions } = readObject(apiClient);
  const { headers } = readObject(readObject(clientOptions)["httpOptions"]);
  const names = Object.keys(readObject(headers)).map((name) => name.toLowerCase());
  const isOwn = typeof constructor === "function" && constructor.name === "GoogleGenAI";
  return isOwn && vertexai === false && !names.includes(keyHeader) && !names.includes("authorization");
}

/** Converts an error of the SDK to a `VendorError` where its text is the vendor's JSON, which tells more than its status. */
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
