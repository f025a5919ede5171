import { readObject, streamEvents } from "@troupe/core/kit";
import { callClient, openSdkStream, postJson, readJson } from "@troupe/core/provider";
import type { HttpReply } from "@troupe/core/kit";
import type { CallContext, ClientMethod, Connection } from "@troupe/core/provider";
import { toClientError, toVendorError } from "./errors.ts";
import type { AnthropicClient, ProviderSettings } from "./options.ts";
import { defaultVersion } from "./to-request.ts";
import type { Request } from "./to-request.ts";
import type { WireEvent } from "./wire-types.ts";

/** A connection that carries requests of the Messages API, made by `httpConnection` or `clientConnection`. */
export type MessagesConnection = Connection<Request, WireEvent>;

/** The settings of a Claude model that its HTTP requests use. */
type HttpSettings = Pick<ProviderSettings, "network" | "baseURL" | "keyHeader" | "idleTimeoutMs">;

/** Milliseconds per token of an answer: Anthropic estimates one hour for 128,000 tokens. */
const msPerToken = 3_600_000 / 128_000;

/** Returns the milliseconds that the vendor expects to need for a whole answer to this request. */
export function expectedMs({ body }: Request): number {
  return Math.ceil(body.max_tokens * msPerToken);
}

/** Makes the connection that sends requests to the Messages API with our own HTTP client. */
export function httpConnection({ network, baseURL, keyHeader, idleTimeoutMs }: HttpSettings): MessagesConnection {
  const post = async (request: Request, call: CallContext, stream: boolean): Promise<HttpReply> => {
    const key = call.key?.value ?? "";
    return await postJson(network, {
      url: `${baseURL}/v1/messages`,
      headers: {
        accept: "application/json",
        "anthropic-version": request.version,
        [keyHeader]: keyHeader === "authorization" ? `Bearer ${key}` : key,
      },
      body: { ...request.body, stream },
      call,
      headersTimeoutMs: stream ? idleTimeoutMs : Math.max(expectedMs(request), idleTimeoutMs),
      idleTimeoutMs,
      toError: toVendorError,
    });
  };
  return {
    send: async (request, call) => await readJson(await post(request, call, false)),
    open: async (request, call) => streamEvents(await post(request, call, true), { format: "sse" }),
  };
}

/**
 * Returns true if a client of Anthropic's SDK accepts a key for a single request, as the SDK's own class does. Clients
 * of clouds and wrapped clients have credentials that a key must not accompany.
 */
export function takesKey(client: unknown): boolean {
  const { constructor, withOptions } = readObject(client);
  return typeof constructor === "function" && constructor.name === "Anthropic" && typeof withOptions === "function";
}

/** Makes the connection over a client of Anthropic's SDK, which has its own address and key. */
export function clientConnection({ messages }: AnthropicClient, idleTimeoutMs: number): MessagesConnection {
  const asking = ({ body, version }: Request, { key }: CallContext, stream: boolean): ClientMethod => {
    const headers = {
      ...(version !== defaultVersion && { "anthropic-version": version }),
      // The caller's key replaces all credentials that the SDK's client would send.
      ...(key !== undefined && { authorization: `Bearer ${key.value}`, "x-api-key": null, "api-key": null }),
    };
    // The SDK's client must not retry, because the run does.
    const options = { maxRetries: 0, ...(Object.keys(headers).length > 0 && { headers }) };
    const asked = stream ? { ...body, stream } : body;
    return (signal) => messages.create(asked as never, { ...options, signal } as never);
  };
  return {
    send: async (request, call) => {
      const timeoutMs = Math.max(expectedMs(request), idleTimeoutMs);
      return await callClient(asking(request, call, false), { signal: call.signal, timeoutMs, toError: toClientError });
    },
    open: async (request, call) =>
      await openSdkStream(asking(request, call, true), {
        signal: call.signal,
        timeoutMs: idleTimeoutMs,
        toError: toClientError,
      }),
  };
}
