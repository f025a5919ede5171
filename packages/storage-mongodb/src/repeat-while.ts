import { sleep } from "@troupe/core/adapter";

const longestPauseMs = 100;

/** For which errors work is done again, and for how long. */
export type Repetition = { readonly isPassing: (error: unknown) => boolean; readonly timeoutMs: number };

/** Does the work until it goes well or its error will not pass, with random pauses that grow; its last error is the end. */
export async function repeatWhile<Result>(work: () => Promise<Result>, repetition: Repetition): Promise<Result> {
  const deadline = performance.now() + repetition.timeoutMs;
  for (let pauseMs = 1; ; pauseMs = Math.min(pauseMs * 2, longestPauseMs)) {
    try {
      return await work();
    } catch (error) {
      if (!repetition.isPassing(error) || performance.now() > deadline) throw error;
      await sleep(Math.random() * pauseMs);
    }
  }
}
