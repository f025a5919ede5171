import { accessByKey, takesKey } from "@troupe-internal/gemini";
import type { OpenCall } from "@troupe-internal/gemini";
import type { Network } from "@troupe/core/kit";
import { providerId } from "./options.ts";

type CallSettings = { network: Network; baseURL: string; client?: unknown };

const environment = ["GOOGLE_API_KEY", "GEMINI_API_KEY"];

/**
 * Returns the function that opens each call with the key of the call, else of the options, else of the environment
 * (`GOOGLE_API_KEY`, then `GEMINI_API_KEY`). It rejects with `unauthorized` if there is no key.
 */
export function createOpenCall({ network, baseURL, client }: CallSettings): OpenCall {
  return async ({ apiKey, signal }) => {
    const call = await network.openCall({ providerId, apiKey, signal, environment, clientTakesKey: takesKey(client) });
    return { call, access: accessByKey(`${baseURL}/v1beta`, call) };
  };
}
