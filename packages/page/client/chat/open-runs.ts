import type { RunnableKind } from "../api/wire.ts";
import type { StoredValue } from "../ui/browser-storage.ts";
import { cutText } from "../ui/cut-text.ts";

/** A run that is under way, as a tab remembers it: enough to show its question and to follow it after a reload. */
export type OpenRun = {
  readonly runId: string;
  readonly sessionId: string;
  readonly kind: RunnableKind;
  readonly name: string;
  readonly text: string;
  readonly files: readonly { readonly name: string; readonly type: string }[];
  /** True when the text is a part of the question, or the question is not known at all. */
  readonly isPartial?: true;
};

/** Characters of a question that are remembered. */
const longestQuestion = 20_000;
const mostRuns = 20;

/** The runs under way that this tab has begun, one for each session. They are forgotten when they end, and with the tab. */
export class OpenRuns {
  readonly #stored: StoredValue;

  constructor(stored: StoredValue) {
    this.#stored = stored;
  }

  /** Returns the run of a session, if one is remembered. */
  find(sessionId: string): OpenRun | undefined {
    return this.all().find((run) => run.sessionId === sessionId);
  }

  /** Returns all runs that are remembered, the newest first. */
  all(): readonly OpenRun[] {
    return this.#stored.read(isOpenRuns) ?? [];
  }

  /** Remembers a run that begins. */
  add(run: OpenRun): void {
    const others = this.all().filter(({ sessionId }) => sessionId !== run.sessionId);
    const isLong = run.text.length > longestQuestion;
    const remembered = isLong ? { ...run, text: cutText(run.text, longestQuestion), isPartial: true } : run;
    this.#stored.write([remembered, ...others].slice(0, mostRuns));
  }

  /** Forgets a run that is over. */
  remove(runId: string): void {
    const left = this.all().filter((run) => run.runId !== runId);
    this.#stored.write(left.length === 0 ? undefined : left);
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
