import type { ResolvedKey } from "@troupe/core/adapter";

/** The credentials of one call. */
export type Identity = {
  /** The key or token, which errors must not show. */
  key: ResolvedKey | undefined;
  headers: Readonly<Record<string, string>>;
};

/** Returns the credentials of a call: the key that came with it, else the configured ones. */
export type Identify = (apiKey: string | undefined, signal: AbortSignal | undefined) => Identity | Promise<Identity>;

/** Returns the credentials for an API key. */
export function ownerOf(key: ResolvedKey): Identity {
  return { key, headers: { "x-goog-api-key": key.value } };
}
