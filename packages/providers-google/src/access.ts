import { accessByKey } from "@troupe-internal/gemini";
import type { OpenCall } from "@troupe-internal/gemini";
import type { Network } from "@troupe/core/adapter";
import { providerId } from "./google-options.ts";
import type { ConnectionOptions } from "./google-options.ts";

const environment = ["GOOGLE_API_KEY", "GEMINI_API_KEY"];

/**
 * Returns the function that opens each call: with the key of the call, else of the options, else of the environment
 * (`GOOGLE_API_KEY`, then `GEMINI_API_KEY`). It rejects with `unauthorized` when there is none.
 */
export function createOpenCall(network: Network, { apiKey: config, baseURL }: ConnectionOptions): OpenCall {
  const origin = baseURL ?? "https://generativelanguage.googleapis.com";
  const address = `${origin.replace(/\/+$/, "")}/v1beta`;
  return async ({ apiKey: request, signal }) => {
    const call = await network.openCall({ providerId, request, config, environment, signal });
    return { call, access: accessByKey(address, call) };
  };
}
