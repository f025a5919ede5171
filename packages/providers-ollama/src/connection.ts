import { readObject, streamEvents } from "@troupe/core/kit";
import { callClient, openSdkStream, postJson, readJson } from "@troupe/core/provider";
import type { HttpReply, Network } from "@troupe/core/kit";
import type { CallContext, ModelCallStart, Connection, JsonRequest } from "@troupe/core/provider";
import { toClientError, toVendorError, withAdvice } from "./errors.ts";
import type { EmbeddingsSettings, OllamaClient, OllamaEmbeddingsClient, ProviderSettings } from "./options.ts";
import type { WireEmbedRequest, WireLine, WireRequest } from "./wire-types.ts";

/** A connection that carries chat requests to Ollama. Their answers are always streamed. */
export type ChatConnection = Pick<Connection<WireRequest, WireLine>, "open">;

/** A connection that carries requests for embeddings to Ollama. Their answers are never streamed. */
export type EmbedConnection = Pick<Connection<WireEmbedRequest, never>, "send">;

/**
 * Returns the sources of an Ollama server's key besides its options. Only ollama.com needs a key, and only it gets
 * `OLLAMA_API_KEY`.
 */
export function keySourcesOf(baseURL: string): Pick<ModelCallStart, "environment" | "isForeign"> {
  const { protocol, hostname } = new URL(baseURL);
  const isCloud = protocol === "https:" && hostname === "ollama.com";
  return { environment: ["OLLAMA_API_KEY"], isForeign: !isCloud };
}

/** Makes the connection that sends chat requests to Ollama with our own HTTP client. */
export function httpConnection({ network, baseURL, timeoutMs, idleTimeoutMs }: ProviderSettings): ChatConnection {
  const endpoint = { url: `${baseURL}/api/chat`, accept: "application/x-ndjson", timeoutMs, idleTimeoutMs };
  const post = poster(network, endpoint);
  return {
    open: async (request, call) =>
      streamEvents<WireLine>(await post({ ...request, stream: true }, call, request.model), { format: "ndjson" }),
  };
}

/** Makes the connection that sends requests for embeddings to Ollama with our own HTTP client. */
export function httpEmbedConnection({ network, baseURL, timeoutMs }: EmbeddingsSettings): EmbedConnection {
  const endpoint = { url: `${baseURL}/api/embed`, accept: "application/json", timeoutMs, idleTimeoutMs: timeoutMs };
  const post = poster(network, endpoint);
  return { send: async (request, call) => await readJson(await post(request, call, request.model)) };
}

type Post = (body: unknown, call: CallContext, modelId: string) => Promise<HttpReply>;

type Endpoint = { url: string; accept: string; timeoutMs: number; idleTimeoutMs: number };

function poster(network: Network, { url, accept, timeoutMs, idleTimeoutMs }: Endpoint): Post {
  const timeouts = { headersTimeoutMs: timeoutMs, idleTimeoutMs };
  return async (body, call, modelId) => {
    const { key } = call;
    const headers = { accept, ...(key !== undefined && { authorization: `Bearer ${key.value}` }) };
    const request: JsonRequest = { url, headers, body, call, toError: toVendorError, ...timeouts };
    return await advised(postJson(network, request), call, modelId);
  };
}

/** The class of a client of the package `ollama`, by which the client can be copied. */
type ClientClass<Client> = new (config: object) => Client;

/** Returns true if a client of the package `ollama` can be copied with another key. A wrapped client cannot. */
export function takesKey(client: unknown): boolean {
  const { constructor, config } = readObject(client);
  return typeof constructor === "function" && constructor.name === "Ollama" && typeof config === "object";
}

/** Returns the client of the package `ollama`, or a copy of it that sends the call's own key. */
function withKey<Client extends object>(client: Client, { key }: CallContext): Client {
  if (key === undefined) return client;
  const { config, fetch: send } = client as Record<string, unknown>;
  const { host, headers: own } = readObject(config);
  const headers = new Headers(own as Record<string, string> | undefined);
  headers.set("authorization", `Bearer ${key.value}`);
  const Copy = client.constructor as ClientClass<Client>;
  return new Copy({ host, fetch: send, headers: Object.fromEntries(headers) });
}

/** Makes the connection over a client of the package `ollama`, which has its own address and headers. */
export function clientConnection(client: OllamaClient, { timeoutMs, idleTimeoutMs }: Timeouts): ChatConnection {
  return {
    open: async (request, call) => {
      const asked = { ...request, stream: true } as never;
      const limits = { signal: call.signal, timeoutMs, idleTimeoutMs, toError: toClientError };
      // The package `ollama` accepts no signal, so a stream that begins after the call's time limit is closed as soon
      // as it arrives.
      const opened = openSdkStream<WireLine>(() => withKey(client, call).chat(asked), limits);
      return await advised(opened, call, request.model);
    },
  };
}

type Timeouts = Pick<ProviderSettings, "timeoutMs" | "idleTimeoutMs">;

/** Makes the connection for embeddings over a client of the package `ollama`. */
export function clientEmbedConnection(client: OllamaEmbeddingsClient, timeoutMs: number): EmbedConnection {
  return {
    send: async (request, call) => {
      const limits = { signal: call.signal, timeoutMs, toError: toClientError };
      return await advised(
        callClient(() => withKey(client, call).embed(request as never), limits),
        call,
        request.model,
      );
    },
  };
}

async function advised<Result>(work: Promise<Result>, call: CallContext, modelId: string): Promise<Result> {
  return await work.catch((thrown: unknown) => {
    throw withAdvice(thrown, call, modelId);
  });
}
