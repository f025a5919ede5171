import { accessByKey, takesKey } from "@troupe-internal/gemini";
import type { OpenCall } from "@troupe-internal/gemini";
import type { Network } from "@troupe/core/kit";
import { providerId } from "./options.ts";

type CallSettings = { network: Network; baseURL: string; client?: unknown };

const environment = ["GOOGLE_API_KEY", "GEMINI_API_KEY"];

/**
 * Returns the function that opens each call with a key: the key of the call, else of the options, else of the
 * environment (`GOOGLE_API_KEY`, then `GEMINI_API_KEY`). The function rejects with `unauthorized` if there is no key. A
 * server other than Google's may need no key, and gets the key of the environment only if the options allow it.
 */
export function createOpenCall({ network, baseURL, client }: CallSettings): OpenCall {
  const { hostname } = new URL(baseURL);
  const isForeign = hostname !== "generativelanguage.googleapis.com";
  const clientTakesKey = takesKey(client);
  return async ({ apiKey, signal }) => {
    const call = await network.openCall({ providerId, apiKey, signal, environment, isForeign, clientTakesKey });
    return { call, access: accessByKey(`${baseURL}/v1beta`, call) };
  };
}
