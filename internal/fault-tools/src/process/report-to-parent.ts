import type { ReachPoint } from "./kill-points.ts";

/** The parent's word to go on, when a child has said `{ killPoint }`. */
export const goOn = { goOn: true };

/** In a child: tells the parent of each kill point and waits for its word, or for the kill. */
export function reportToParent(): ReachPoint {
  const waiting: (() => void)[] = [];
  process.on("message", (message: unknown) => {
    if (typeof message === "object" && message !== null && "goOn" in message) waiting.shift()?.();
  });
  return async (killPoint) => {
    process.send?.({ killPoint });
    await new Promise<void>((resolve) => waiting.push(resolve));
  };
}
