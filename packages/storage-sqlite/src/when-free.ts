import { sleep } from "@troupe/core/adapter";
import { isBusy } from "./sqlite-failure.ts";

const longestPauseMs = 25;

/**
 * Tries until the file is not locked by another process, for so long at most. SQLite could wait by itself, but would stop
 * this whole process meanwhile, and does not wait at all when a file is first switched to its log.
 */
export async function whenFree<Result>(timeoutMs: number, attempt: () => Result): Promise<Result> {
  let deadline: number | undefined;
  for (let pauseMs = 1; ; pauseMs = Math.min(2 * pauseMs, longestPauseMs)) {
    try {
      return attempt();
    } catch (error) {
      deadline ??= performance.now() + timeoutMs;
      if (!isBusy(error) || performance.now() >= deadline) throw error;
    }
    // By chance, so that those who wait do not come back together.
    await sleep(pauseMs * (0.5 + Math.random()));
  }
}
