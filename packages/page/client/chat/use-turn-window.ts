import { useEffect, useState } from "preact/hooks";
import type { Turn } from "./turn.ts";

/** The number of turns that are shown of a chat that is opened, and that are added each time that more are asked for. */
const step = 20;
/** The maximum number of turns that are drawn at once, however long a chat has become. */
const mostTurns = 100;

/** The drawn part of a chat. `to` is undefined for a part that goes on with the chat. */
type Window = { readonly from: number; readonly to: number | undefined };

/** Returns the part of a chat that is drawn, and functions that move it. A new question brings its end back. */
export function useTurnWindow(turns: readonly Turn[]) {
  const { length } = turns;
  const [shown, setShown] = useState<Window>(() => ({ from: Math.max(0, length - step), to: undefined }));
  const last = turns.at(-1)?.key;
  useEffect(() => setShown(({ from }) => ({ from, to: undefined })), [last]);
  const to = Math.min(shown.to ?? length, length);
  const from = Math.max(0, to - mostTurns, Math.min(shown.from, to - 1));
  return {
    from,
    to,
    showEarlier: () => {
      const earlier = Math.max(0, from - step);
      setShown({ from: earlier, to: to - earlier > mostTurns ? earlier + mostTurns : shown.to });
    },
    showLater: () => {
      const later = Math.min(length, to + step);
      setShown({ from: Math.max(from, later - mostTurns), to: later === length ? undefined : later });
    },
  };
}
