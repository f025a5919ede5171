/** A server that has said all ends its answer at once; one that does not is not waited for. */
const longestWaitMs = 1000;

/**
 * Reads what follows a complete answer, so that its connection can serve the next request. Nothing in it matters any
 * more, not even a failure.
 */
export async function readToEnd(bytes: AsyncIterator<unknown, unknown>): Promise<void> {
  const timer = setTimeout(() => void bytes.return?.(), longestWaitMs);
  try {
    while ((await bytes.next()).done !== true);
  } catch {
    // The answer had come by then.
  } finally {
    clearTimeout(timer);
  }
}
