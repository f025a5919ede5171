/** A signal that aborts with another one, until it is released. */
export type FollowedSignal = { signal: AbortSignal | undefined; release(): void };

/**
 * Follows the caller's signal. The library never takes its listeners off the signal that it is given when the raw answer
 * is read, so it gets one that ends with the call.
 */
export function followSignal(outer: AbortSignal | undefined): FollowedSignal {
  if (outer === undefined) return { signal: undefined, release: () => undefined };
  const controller = new AbortController();
  const follow = () => controller.abort(outer.reason);
  if (outer.aborted) follow();
  else outer.addEventListener("abort", follow, { once: true });
  return { signal: controller.signal, release: () => outer.removeEventListener("abort", follow) };
}
