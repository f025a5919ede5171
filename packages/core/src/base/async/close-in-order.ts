/** A function that ends something. Its return value is awaited. */
export type Closing = () => unknown;

/**
 * Calls closing functions one after the other, regardless of failures. After all have ended, rejects with the first
 * failure.
 */
export async function closeInOrder(...closings: readonly Closing[]): Promise<void> {
  const failures: unknown[] = [];
  for (const close of closings) {
    try {
      await close();
    } catch (error) {
      failures.push(error);
    }
  }
  if (failures.length > 0) throw failures[0];
}

/**
 * Calls closing functions at the same time. After all have ended, rejects with the failure of the first function that
 * failed, in the order of the arguments.
 */
export async function closeTogether(...closings: readonly Closing[]): Promise<void> {
  const ended = await Promise.allSettled(closings.map(async (close) => await close()));
  const failed = ended.find((result) => result.status === "rejected");
  if (failed !== undefined) throw failed.reason;
}
