import { clientEvents, postJson, readJson, streamEvents } from "@troupe/core/adapter";
import type { CallContext, Connection, HttpReply } from "@troupe/core/adapter";
import { toVendorError } from "./errors.ts";
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

/** Makes the connection over a client of Anthropic's SDK, which has an address and a key of its own. */
export function clientConnection({ messages }: AnthropicClient): MessagesConnection {
  const optionsOf = ({ version }: Request, signal: AbortSignal | undefined) => ({
    // Retries are the run's.
    maxRetries: 0,
    ...(signal !== undefined && { signal }),
    ...(version !== defaultVersion && { headers: { "anthropic-version": version } }),
  });
  return {
    send: async (request, { signal }) =>
      await messages.create(request.body as never, optionsOf(request, signal) as never),
    open: async (request, { signal }) => {
      const leave = new AbortController();
      const either = signal === undefined ? leave.signal : AbortSignal.any([signal, leave.signal]);
      const body = { ...request.body, stream: true };
      const stream = await messages.create(body as never, optionsOf(request, either) as never);
      return clientEvents(stream, () => leave.abort());
    },
  };
}
