import type { ModelOptions } from "@troupe/core";
import type { CallContext } from "@troupe/core/provider";

/** The URL for a request to Gemini, and the headers that authenticate it. */
export type Access = {
  /** The URL of the API with its version, and with the project if the call belongs to one. */
  baseURL: string;
  headers: Readonly<Record<string, string>>;
};

/** A call to Gemini that may be sent. Without `access`, the caller's own client has the address and the credentials. */
export type OpenedCall = { call: CallContext; access?: Access | undefined };

/**
 * Opens a call to Gemini: finds its credentials in the call's own key, the configuration, or the environment. Rejects
 * with `unauthorized` if there are none.
 */
export type OpenCall = (options: Pick<ModelOptions, "apiKey" | "signal">) => Promise<OpenedCall>;

/** Returns the URL for a request to Gemini, with the call's API key, if it has one, in the header `x-goog-api-key`. */
export function accessByKey(baseURL: string, { key }: CallContext): Access {
  return { baseURL, headers: { ...(key !== undefined && { "x-goog-api-key": key.value }) } };
}
