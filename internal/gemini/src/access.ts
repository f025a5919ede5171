import type { ModelOptions } from "@troupe/core";
import type { CallContext } from "@troupe/core/provider";

/** The address of one call, and the headers that authenticate it. */
export type Access = {
  /** The URL of the API with its version, and with the project where the call belongs to one. */
  baseURL: string;
  headers: Readonly<Record<string, string>>;
};

/** A call that may be sent. Without `access`, the caller's own client has address and credentials. */
export type OpenedCall = { call: CallContext; access?: Access | undefined };

/**
 * Opens one call of a provider: finds its credentials, which are those for the key that came with it, else the
 * configured ones, else those of the environment. Rejects with `unauthorized` when there are none.
 */
export type OpenCall = (options: Pick<ModelOptions, "apiKey" | "signal">) => Promise<OpenedCall>;

/** Returns the access with the API key of a call, which is sent in the header `x-goog-api-key`. */
export function accessByKey(baseURL: string, { key }: CallContext): Access {
  return { baseURL, headers: { ...(key !== undefined && { "x-goog-api-key": key.value }) } };
}
