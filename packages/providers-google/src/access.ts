import { accessByKey } from "@troupe-internal/gemini";
import type { OpenCall } from "@troupe-internal/gemini";
import type { Network } from "@troupe/core/adapter";
import { providerId } from "./options.ts";

const environment = ["GOOGLE_API_KEY", "GEMINI_API_KEY"];

/**
 * Returns the function that opens each call: with the key of the call, else of the options, else of the environment
 * (`GOOGLE_API_KEY`, then `GEMINI_API_KEY`). It rejects with `unauthorized` when there is none.
 */
export function createOpenCall({ network, baseURL }: { network: Network; baseURL: string }): OpenCall {
  return async ({ apiKey, signal }) => {
    const call = await network.openCall({ providerId, apiKey, signal, environment });
    return { call, access: accessByKey(`${baseURL}/v1beta`, call) };
  };
}
