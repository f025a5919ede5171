import { askClient, openClientStream, postJson, readJson, streamEvents } from "@troupe/core/adapter";
import type { CallContext, CallStart, ClientMethod, Connection, HttpReply, Network } from "@troupe/core/adapter";
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

/** Makes the connection over a client of OpenAI's SDK, which has an address and a key of its own. */
export function clientConnection(client: OpenAIClient, { timeoutMs, idleTimeoutMs }: Timeouts): OpenAIConnection {
  const asking = ({ api, body }: ModelRequest): ClientMethod => {
    // Retries are the run's.
    const options = (signal: AbortSignal) => ({ maxRetries: 0, signal }) as never;
    if (api === "chat") return (signal) => client.chat.completions.create(body as never, options(signal));
    return (signal) => client.responses.create(body as never, options(signal));
  };
  return {
    send: async (request, { signal }) =>
      await askClient(asking(request), { signal, timeoutMs, toError: toClientError }),
    open: async (request, { signal }) =>
      await openClientStream(asking(request), { signal, timeoutMs: idleTimeoutMs, toError: toClientError }),
  };
}

type Timeouts = Pick<ProviderSettings, "timeoutMs" | "idleTimeoutMs">;
