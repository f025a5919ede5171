import { sleep } from "@troupe/core/kit";
import { isBusy } from "./sqlite-failure.ts";

const longestPauseMs = 25;

/**
 * Retries work on an SQLite file while another process locks it, at most for `timeoutMs`. Then throws the last error;
 * throws any other error immediately. SQLite's own busy timeout would block this process during the wait, and does not
 * apply when a file is switched to its write-ahead log.
 */
export async function retryWhileBusy<Result>(timeoutMs: number, attempt: () => Result): Promise<Result> {
  let endsAt: number | undefined;
  for (let pauseMs = 1; ; pauseMs = Math.min(2 * pauseMs, longestPauseMs)) {
    try {
      return attempt();
    } catch (error) {
      endsAt ??= performance.now() + timeoutMs;
      if (!isBusy(error) || performance.now() >= endsAt) throw error;
    }
    // The pause is random, so that waiting processes do not retry at the same time.
    await sleep(pauseMs * (0.5 + Math.random()));
  }
}
