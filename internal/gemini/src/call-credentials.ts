import type { ResolvedKey } from "@troupe/core/adapter";

/** The credentials of one model call: the headers that authenticate it, and the key or token to mask in errors. */
export type CallCredentials = {
  /** The key or token, which errors must not show. */
  key: ResolvedKey | undefined;
  headers: Readonly<Record<string, string>>;
};

/**
 * Returns the credentials of one model call: those for the key that came with it, else the configured ones, else those
 * of the environment. Throws `unauthorized` when there are none.
 */
export type FindCredentials = (
  apiKey: string | undefined,
  signal: AbortSignal | undefined,
) => CallCredentials | Promise<CallCredentials>;

/** Returns the credentials for an API key, which is sent in the header `x-goog-api-key`. */
export function credentialsOfKey(key: ResolvedKey): CallCredentials {
  return { key, headers: { "x-goog-api-key": key.value } };
}
