import { readObject, streamEvents } from "@troupe/core/kit";
import { askClient, openClientStream, postJson, readJson } from "@troupe/core/provider";
import type { HttpReply, Network } from "@troupe/core/kit";
import type { CallContext, CallStart, ClientMethod, Connection } from "@troupe/core/provider";
import { toClientError, toVendorError } from "./errors.ts";
import { isOpenAIHost } from "./model-rules.ts";
import type { ApiName } from "./model-call.ts";
import type { OpenAIClient, ProviderSettings } from "./options.ts";

/** One request for an answer, of either API. */
type ModelRequest = { api: ApiName; body: object };

/** Sends the requests of one model: over our own HTTP, or through the caller's own client. */
export type OpenAIConnection = Connection<ModelRequest, object>;

/** Returns the sources of the key of a server beside its options: other servers may need none, and get none of the environment. */
export function keySourcesOf(baseURL: string): Pick<CallStart, "environment" | "isKeyOptional"> {
  return isOpenAIHost(new URL(baseURL).hostname) ? { environment: ["OPENAI_API_KEY"] } : { isKeyOptional: true };
}

const paths: Readonly<Record<ApiName, string>> = { responses: "/responses", chat: "/chat/completions" };

/** Makes the connection that sends requests over our own HTTP. */
export function httpConnection({ network, ...settings }: ProviderSettings): OpenAIConnection {
  const { baseURL, timeoutMs, idleTimeoutMs } = settings;
  const urls = { responses: new URL(toUrl(baseURL, paths.responses)), chat: new URL(toUrl(baseURL, paths.chat)) };
  const waits = {
    whole: { headersTimeoutMs: timeoutMs, idleTimeoutMs },
    streamed: { headersTimeoutMs: idleTimeoutMs, idleTimeoutMs },
  };
  return {
    send: async ({ api, body }, call) =>
      await readJson(await post(network, { url: urls[api], body, call, ...waits.whole })),
    open: async ({ api, body }, call) =>
      streamEvents(await post(network, { url: urls[api], body, call, ...waits.streamed }), { format: "sse" }),
  };
}

/** One request over HTTP, for `post`. */
type PostRequest = {
  url: string | URL;
  body: object;
  call: CallContext;
  headersTimeoutMs: number;
  idleTimeoutMs: number;
};

/** Sends a JSON body to OpenAI, or to a server with its API, with the key of the call if it has one. */
export async function post(network: Network, request: PostRequest): Promise<HttpReply> {
  const { key } = request.call;
  return await postJson(network, {
    ...request,
    headers: {
      accept: "application/json, text/event-stream",
      ...(key !== undefined && { authorization: `Bearer ${key.value}` }),
    },
    toError: toVendorError,
  });
}

/** Returns the URL of a path below the base URL, whose query is kept: some servers have the version there. */
export function toUrl(baseURL: string, path: string): string {
  const url = new URL(baseURL);
  url.pathname = `${url.pathname.replace(/\/+$/, "")}${path}`;
  url.hash = "";
  return url.href;
}

/** Returns the options of a request of the SDK. A key of the caller stands for all that the client would authenticate with. */
export function clientOptions({ key }: CallContext, signal: AbortSignal): object {
  // Retries are the run's.
  const options = { maxRetries: 0, signal };
  if (key === undefined) return options;
  const authorization = `Bearer ${key.value}`;
  const none = { "api-key": null, "x-api-key": null, "openai-organization": null, "openai-project": null };
  return { ...options, headers: { ...none, authorization } };
}

/**
 * Tells if a client of OpenAI's SDK takes a key for one request: the SDK's own class does. `AzureOpenAI`, a client with an
 * identity or the address of a cloud, and one that something wrapped have credentials that no key may stand beside.
 */
export function takesKey(client: unknown): boolean {
  const { constructor, withOptions, _provider: cloud, _workloadIdentityAuth: identity } = readObject(client);
  const isOwn = typeof constructor === "function" && constructor.name === "OpenAI";
  return isOwn && typeof withOptions === "function" && !cloud && !identity;
}

/** Makes the connection over a client of OpenAI's SDK, which has an address and a key of its own. */
export function clientConnection(client: OpenAIClient, { timeoutMs, idleTimeoutMs }: Timeouts): OpenAIConnection {
  const asking = ({ api, body }: ModelRequest, call: CallContext): ClientMethod => {
    const options = (signal: AbortSignal) => clientOptions(call, signal) as never;
    if (api === "chat") return (signal) => client.chat.completions.create(body as never, options(signal));
    return (signal) => client.responses.create(body as never, options(signal));
  };
  return {
    send: async (request, call) =>
      await askClient(asking(request, call), { signal: call.signal, timeoutMs, toError: toClientError }),
    open: async (request, call) =>
      await openClientStream(asking(request, call), {
        signal: call.signal,
        timeoutMs: idleTimeoutMs,
        toError: toClientError,
      }),
  };
}

type Timeouts = Pick<ProviderSettings, "timeoutMs" | "idleTimeoutMs">;
