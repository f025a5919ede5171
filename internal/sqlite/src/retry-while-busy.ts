import { sleep } from "@troupe/core/kit";
import { isBusy } from "./sqlite-failure.ts";

const longestPauseMs = 25;

/**
 * Tries until no other process has locked the file, for `timeoutMs` at most, and then throws. SQLite's own busy timeout
 * would block this process meanwhile, and does not apply when a file is switched to its write-ahead log.
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
    // Random, so that waiting processes do not try again at the same time.
    await sleep(pauseMs * (0.5 + Math.random()));
  }
}
