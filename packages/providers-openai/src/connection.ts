import { readObject, streamEvents } from "@troupe/core/kit";
import { callClient, openSdkStream, postJson, readJson } from "@troupe/core/provider";
import type { HttpReply, Network } from "@troupe/core/kit";
import type { CallContext, ModelCallStart, ClientMethod, Connection, EventBatch } from "@troupe/core/provider";
import { toClientError, toVendorError } from "./errors.ts";
import type { ApiName } from "./model-call.ts";
import type { OpenAIClient, ProviderSettings } from "./options.ts";
import type { Vendor } from "./vendor.ts";

/** A request to the Responses API or the Chat Completions API. */
type ModelRequest = { api: ApiName; body: object };

/** Sends the requests of a model: with our own HTTP client, or through the caller's client. */
export type OpenAIConnection = Connection<ModelRequest, object>;

/**
 * Returns the places other than the options from which the key of a server is taken. A server other than the vendor's
 * may need no key, and gets the key of the environment only if the options allow it.
 */
export function keySourcesOf(
  vendor: Vendor,
  host: string,
): Omit<ModelCallStart, "apiKey" | "signal" | "clientTakesKey"> {
  const { id: providerId, environment, isOwnHost, isKeyOptional } = vendor;
  return { providerId, environment, isKeyOptional, isForeign: !isOwnHost(host) };
}

const paths: Readonly<Record<ApiName, string>> = { responses: "/responses", chat: "/chat/completions" };

/** Makes the connection that sends requests to OpenAI or a compatible server with our own HTTP client. */
export function httpConnection(settings: ProviderSettings): OpenAIConnection {
  return new HttpConnection(settings);
}

/**
 * A connection over our own HTTP client. It is a class and not a set of closures, because programs make thousands of
 * models.
 */
class HttpConnection implements OpenAIConnection {
  readonly #settings: ProviderSettings;
  /** The URLs of the APIs. Each is parsed for its first request. */
  #urls: Partial<Record<ApiName, URL>> | undefined;

  constructor(settings: ProviderSettings) {
    this.#settings = settings;
  }

  async send(request: ModelRequest, call: CallContext): Promise<unknown> {
    return await readJson(await this.#post(request, call, this.#settings.timeoutMs));
  }

  async open(request: ModelRequest, call: CallContext): Promise<AsyncIterable<EventBatch<object>>> {
    return streamEvents(await this.#post(request, call, this.#settings.idleTimeoutMs), { format: "sse" });
  }

  #post({ api, body }: ModelRequest, call: CallContext, headersTimeoutMs: number): Promise<HttpReply> {
    const { network, baseURL, idleTimeoutMs } = this.#settings;
    const url = ((this.#urls ??= {})[api] ??= new URL(toUrl(baseURL, paths[api])));
    return post(network, { url, body, call, headersTimeoutMs, idleTimeoutMs });
  }
}

/** An HTTP request to OpenAI or a compatible server, for `post`. */
type PostRequest = {
  url: string | URL;
  body: object;
  call: CallContext;
  headersTimeoutMs: number;
  idleTimeoutMs: number;
};

/** Sends a JSON body to OpenAI or a compatible server, with the key of the call, if any. */
export function post(network: Network, request: PostRequest): Promise<HttpReply> {
  const { url, body, call, headersTimeoutMs, idleTimeoutMs } = request;
  const accept = "application/json, text/event-stream";
  const headers = call.key === undefined ? { accept } : { accept, authorization: `Bearer ${call.key.value}` };
  return postJson(network, { url, body, call, headers, headersTimeoutMs, idleTimeoutMs, toError: toVendorError });
}

/** Returns the URL of a path below the base URL. Keeps the base URL's query, where some servers have the version. */
export function toUrl(baseURL: string, path: string): string {
  const url = new URL(baseURL);
  url.pathname = `${url.pathname.replace(/\/+$/, "")}${path}`;
  url.hash = "";
  return url.href;
}

/**
 * Returns the options of a request through OpenAI's SDK. A key of the caller replaces all credentials that the client
 * would send.
 */
export function clientOptions({ key }: CallContext, signal: AbortSignal): object {
  // The SDK's client must not retry, because Troupe does.
  const options = { maxRetries: 0, signal };
  if (key === undefined) return options;
  const authorization = `Bearer ${key.value}`;
  const none = { "api-key": null, "x-api-key": null, "openai-organization": null, "openai-project": null };
  return { ...options, headers: { ...none, authorization } };
}

/**
 * Returns true if a client of OpenAI's SDK accepts a key for a single request, as the SDK's own class does.
 * `AzureOpenAI`, clients with an identity or a cloud's address, and wrapped clients send credentials of another kind,
 * and a key must not be sent beside such credentials.
 */
export function takesKey(client: unknown): boolean {
  const { constructor, withOptions, _provider: cloud, _workloadIdentityAuth: identity } = readObject(client);
  const isOwn = typeof constructor === "function" && constructor.name === "OpenAI";
  return isOwn && typeof withOptions === "function" && !cloud && !identity;
}

/** Makes the connection over a client of OpenAI's SDK, which has its own address and key. */
export function clientConnection(client: OpenAIClient, { timeoutMs, idleTimeoutMs }: Timeouts): OpenAIConnection {
  const asking = ({ api, body }: ModelRequest, call: CallContext): ClientMethod => {
    const options = (signal: AbortSignal) => clientOptions(call, signal) as never;
    if (api === "chat") return (signal) => client.chat.completions.create(body as never, options(signal));
    return (signal) => client.responses.create(body as never, options(signal));
  };
  return {
    send: async (request, call) =>
      await callClient(asking(request, call), { signal: call.signal, timeoutMs, toError: toClientError }),
    open: async (request, call) =>
      await openSdkStream(asking(request, call), {
        signal: call.signal,
        timeoutMs: idleTimeoutMs,
        toError: toClientError,
      }),
  };
}

type Timeouts = Pick<ProviderSettings, "timeoutMs" | "idleTimeoutMs">;
