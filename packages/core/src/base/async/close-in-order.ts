/** Something to end. What it returns is waited for. */
export type Closing = () => unknown;

/**
 * Ends things one after the other, each of them whatever has become of those before it. Rejects with the first failure, when all
 * are over.
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

/** Ends things at the same time. Rejects with the first failure, when all are over, and not before: a slow one is waited for. */
export async function closeTogether(...closings: readonly Closing[]): Promise<void> {
  const ended = await Promise.allSettled(closings.map(async (close) => await close()));
  const failed = ended.find((result) => result.status === "rejected");
  if (failed !== undefined) throw failed.reason;
}
