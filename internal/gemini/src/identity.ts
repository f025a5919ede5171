import type { ResolvedKey } from "@troupe/core/adapter";

/** Who asks, for one call. */
export type Identity = {
  /** The key or the token of the call, which is kept out of errors. */
  key: ResolvedKey | undefined;
  headers: Readonly<Record<string, string>>;
};

/** Finds out who asks: whoever owns the key that came with the call, else whom the configuration names. */
export type Identify = (apiKey: string | undefined, signal: AbortSignal | undefined) => Identity | Promise<Identity>;

/** The owner of a key. */
export function ownerOf(key: ResolvedKey): Identity {
  return { key, headers: { "x-goog-api-key": key.value } };
}
