import { abortedError } from "../errors/aborted-error.ts";
import { TroupeError } from "../errors/troupe-error.ts";
import type { Hold, PlaceInLine } from "./place-in-line.ts";
import { Waiting } from "./waiting.ts";

/** What becomes of a run that finds its session busy. */
export type BusyPolicy = {
  /** `reject` refuses it at once. @default "enqueue" */
  onBusy: "enqueue" | "reject";
  /** How many may wait; one more is refused. @default 10 */
  maxWaiting: number;
  /** How long one waits before it is refused. @default 60000 */
  waitMs: number;
};

/** How one joins a line: what is done when it is long, and when to give up. */
export type JoinOptions = BusyPolicy & { signal?: AbortSignal | undefined };

/** Where those who want the same thing line up, in the order in which they come. */
export interface Lines {
  /** How many sessions somebody of this process has or waits for. */
  readonly busySessions: number;
  /** Takes a place in the line for the key; when it returns, no one who comes later gets the turn earlier. */
  join(key: string, options: JoinOptions): PlaceInLine;
}

/** Tells the one whose place it is that the turn has come. */
type Begin = () => void;

const atOnce: Hold = { hadToWait: false };
const afterOthers: Hold = { hadToWait: true };

/**
 * Lets those who want the same session have it one after the other, in the order in which they came. The first of a line
 * has the turn; a line that is empty is forgotten.
 *
 * Nothing here knows who waits for whom: a run that starts another on its own session waits for itself, and is freed only
 * by the refusal of the inner run after `waitMs`.
 */
export class TurnQueue implements Lines {
  readonly #lines = new Map<string, Begin[]>();

  get busySessions(): number {
    return this.#lines.size;
  }

  join(key: string, options: JoinOptions): PlaceInLine {
    const line = this.#lines.get(key) ?? [];
    const refusal = refusalOf(line.length, options);
    if (refusal !== null) return refusedPlace(refusal);
    this.#lines.set(key, line);
    return line.length === 0 ? this.#begin(key, line) : this.#wait(key, line, options);
  }

  #begin(key: string, line: Begin[]): PlaceInLine {
    const begin = () => {};
    line.push(begin);
    return { granted: Promise.resolve(atOnce), leave: () => this.#leave(key, begin) };
  }

  #wait(key: string, line: Begin[], options: JoinOptions): PlaceInLine {
    const waiting = new Waiting<Hold>(options, () => this.#leave(key, begin));
    const begin = () => waiting.grant(afterOthers);
    line.push(begin);
    return { granted: waiting.granted, leave: () => waiting.leave() };
  }

  #leave(key: string, begin: Begin): void {
    const line = this.#lines.get(key);
    const index = line?.indexOf(begin) ?? -1;
    if (line === undefined || index === -1) return;
    line.splice(index, 1);
    if (line.length === 0) this.#lines.delete(key);
    else if (index === 0) line[0]?.();
  }
}

/** Why somebody may not join a line in which there are so many already, if they may not. */
export function refusalOf(inLine: number, { onBusy, maxWaiting, signal }: JoinOptions): TroupeError | null {
  if (signal?.aborted) return abortedError(signal.reason);
  if (inLine === 0) return null;
  if (onBusy === "reject") return new TroupeError("conflict", "The session is busy with another run.");
  if (inLine <= maxWaiting) return null;
  return new TroupeError(
    "conflict",
    `The session is busy and ${maxWaiting} runs wait for it already. Try again later.`,
  );
}

/** The place of somebody who got none. */
export function refusedPlace(refusal: TroupeError): PlaceInLine {
  const granted = Promise.reject<Hold>(refusal);
  granted.catch(() => {});
  return { granted, leave: () => {} };
}
