import { streamEvents } from "@troupe/core/kit";
import { postJson, readJson } from "@troupe/core/provider";
import type { HttpReply } from "@troupe/core/kit";
import type { CallContext, Connection } from "@troupe/core/provider";
import { toVendorError } from "./errors.ts";
import type { ProviderSettings } from "./options.ts";
import type { WireEvent, WireRequest } from "./wire-types.ts";

/** Makes the connection that sends requests over core's HTTP. */
export function httpConnection({ network, ...settings }: ProviderSettings): Connection<WireRequest, WireEvent> {
  const { baseURL, timeoutMs, idleTimeoutMs } = settings;
  const post = async (request: WireRequest, call: CallContext, stream: boolean): Promise<HttpReply> =>
    await postJson(network, {
      url: `${baseURL}/talk`,
      headers: { "tide-key": call.key?.value ?? "" },
      body: { ...request, stream },
      call,
      headersTimeoutMs: stream ? idleTimeoutMs : timeoutMs,
      idleTimeoutMs,
      toError: toVendorError,
    });
  return {
    send: async (request, call) => await readJson(await post(request, call, false)),
    open: async (request, call) => streamEvents(await post(request, call, true), { format: "sse" }),
  };
}
