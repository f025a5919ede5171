import { readObject, streamEvents } from "@troupe/core/kit";
import { askClient, openClientStream, postJson, readJson } from "@troupe/core/provider";
import type { HttpReply } from "@troupe/core/kit";
import type { CallContext, ClientMethod, Connection } from "@troupe/core/provider";
import { toClientError, toVendorError } from "./errors.ts";
import type { AnthropicClient, ProviderSettings } from "./options.ts";
import { defaultVersion } from "./to-request.ts";
import type { Request } from "./to-request.ts";
import type { WireEvent } from "./wire-types.ts";

/** Carries requests of the Messages API, as `httpConnection` or `clientConnection` make it. */
export type MessagesConnection = Connection<Request, WireEvent>;

/** The settings of a model that its HTTP requests need. */
type HttpSettings = Pick<ProviderSettings, "network" | "baseURL" | "keyHeader" | "idleTimeoutMs">;

/** The vendor expects an hour for 128,000 tokens. */
const msPerToken = 3_600_000 / 128_000;

/** Returns the milliseconds within which the vendor expects to have answered a request as a whole. */
export function expectedMs({ body }: Request): number {
  return Math.ceil(body.max_tokens * msPerToken);
}

/** Makes the connection that sends requests over our own HTTP. */
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
 * Tells if a client of Anthropic's SDK takes a key for one request: the SDK's own class does. Those of clouds, and one that
 * something wrapped, have credentials that no key may stand beside.
 */
export function takesKey(client: unknown): boolean {
  const { constructor, withOptions } = readObject(client);
  return typeof constructor === "function" && constructor.name === "Anthropic" && typeof withOptions === "function";
}

/** Makes the connection over a client of Anthropic's SDK, which has an address and a key of its own. */
export function clientConnection({ messages }: AnthropicClient, idleTimeoutMs: number): MessagesConnection {
  const asking = ({ body, version }: Request, { key }: CallContext, stream: boolean): ClientMethod => {
    const headers = {
      ...(version !== defaultVersion && { "anthropic-version": version }),
      // In the place of all that the client would authenticate with.
      ...(key !== undefined && { authorization: `Bearer ${key.value}`, "x-api-key": null, "api-key": null }),
    };
    // Retries are the run's.
    const options = { maxRetries: 0, ...(Object.keys(headers).length > 0 && { headers }) };
    const asked = stream ? { ...body, stream } : body;
    return (signal) => messages.create(asked as never, { ...options, signal } as never);
  };
  return {
    send: async (request, call) => {
      const timeoutMs = Math.max(expectedMs(request), idleTimeoutMs);
      return await askClient(asking(request, call, false), { signal: call.signal, timeoutMs, toError: toClientError });
    },
    open: async (request, call) =>
      await openClientStream(asking(request, call, true), {
        signal: call.signal,
        timeoutMs: idleTimeoutMs,
        toError: toClientError,
      }),
  };
}
