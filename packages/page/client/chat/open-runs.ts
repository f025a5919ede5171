import type { RunnableKind } from "../api/wire.ts";
import type { Shelf } from "../ui/browser-storage.ts";

/** A run that is under way, as a tab remembers it: enough to show its question and to follow it after a reload. */
export type OpenRun = {
  readonly runId: string;
  readonly sessionId: string;
  readonly kind: RunnableKind;
  readonly name: string;
  readonly text: string;
  readonly files: readonly { readonly name: string; readonly type: string }[];
};

/** Characters of a question that are remembered. */
const longestQuestion = 20_000;
const mostRuns = 20;

/** The runs under way that this tab has begun, one for each session. They are forgotten when they end, and with the tab. */
export class OpenRuns {
  readonly #shelf: Shelf;

  constructor(shelf: Shelf) {
    this.#shelf = shelf;
  }

  /** Returns the run of a session, if one is remembered. */
  find(sessionId: string): OpenRun | undefined {
    return this.all().find((run) => run.sessionId === sessionId);
  }

  /** Returns all runs that are remembered, the newest first. */
  all(): readonly OpenRun[] {
    return this.#shelf.read(isOpenRuns) ?? [];
  }

  /** Remembers a run that begins. */
  add(run: OpenRun): void {
    const others = this.all().filter(({ sessionId }) => sessionId !== run.sessionId);
    this.#shelf.write([{ ...run, text: run.text.slice(0, longestQuestion) }, ...others].slice(0, mostRuns));
  }

  /** Forgets a run that is over. */
  remove(runId: string): void {
    const left = this.all().filter((run) => run.runId !== runId);
    this.#shelf.write(left.length === 0 ? undefined : left);
  }
}

function isOpenRuns(value: unknown): value is OpenRun[] {
  return Array.isArray(value) && value.every(isOpenRun);
}

function isOpenRun(value: unknown): value is OpenRun {
  if (typeof value !== "object" || value === null) return false;
  const run = value as Partial<Record<keyof OpenRun, unknown>>;
  const strings = [run.runId, run.sessionId, run.kind, run.name, run.text];
  return strings.every((field) => typeof field === "string") && Array.isArray(run.files);
}
