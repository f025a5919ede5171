import { isOpenStatus } from "@troupe-internal/client";
import type { RunnableKind } from "@troupe-internal/client";
import type { Api } from "../api/api.ts";
import type { WorkflowFields } from "../api/workflow-input.ts";
import type { StoredValue } from "../ui/browser-storage.ts";
import { cutText } from "../ui/cut-text.ts";

import type { KeptTurns } from "./kept-turns.ts";

/** An active run as a tab remembers it: enough to show its question and follow it after a reload. */
export type OpenRun = {
  readonly runId: string;
  readonly sessionId: string;
  readonly kind: RunnableKind;
  readonly name: string;
  readonly text: string;
  readonly fields?: WorkflowFields;
  readonly files: readonly { readonly name: string; readonly type: string }[];
  /** True if the run began its session. */
  readonly isFirst?: true;
  /** True if the question is known only in part or not at all. */
  readonly isPartial?: true;
};

/** The maximum number of characters of a question that are remembered. */
const longestQuestion = 20_000;
const mostRuns = 20;

/**
 * The active runs that this tab has started, at most one per session. They are forgotten when they end, and with the
 * tab.
 */
export class OpenRuns {
  readonly #stored: StoredValue;

  constructor(stored: StoredValue) {
    this.#stored = stored;
  }

  /** Returns the remembered run of a session, if any. */
  find(sessionId: string): OpenRun | undefined {
    return this.all().find((run) => run.sessionId === sessionId);
  }

  /** Returns all remembered runs, newest first. */
  all(): readonly OpenRun[] {
    return this.#stored.read(isOpenRuns) ?? [];
  }

  /** Remembers a run that has started. */
  add(run: OpenRun): void {
    const others = this.all().filter(({ sessionId }) => sessionId !== run.sessionId);
    const { fields: _, ...other } = run;
    const isLong = run.text.length > longestQuestion;
    const remembered = isLong ? { ...other, text: cutText(run.text, longestQuestion), isPartial: true } : run;
    this.#stored.write([remembered, ...others].slice(0, mostRuns));
  }

  /** Forgets a finished run. */
  remove(runId: string): void {
    const left = this.all().filter((run) => run.runId !== runId);
    this.#stored.write(left.length === 0 ? undefined : left);
  }
}

/** Finds the active run of a session: started in this tab, or listed by the service. */
export async function findOpenRun(
  sessionId: string,
  openRuns: OpenRuns,
  api: Pick<Api, "newestRuns">,
): Promise<OpenRun | undefined> {
  const known = openRuns.find(sessionId);
  if (known !== undefined) return known;
  const runs = await api.newestRuns().catch(() => []);
  const run = runs.find((each) => each.sessionId === sessionId && isOpenStatus(each.status));
  return run && { ...run, text: "", files: [], isPartial: true };
}

/**
 * Returns true if a tab knows that a session has workflows alone. The service does not have such a session, and a browser
 * reports each answer that nothing was found.
 */
export function isOfWorkflows(
  sessionId: string,
  { openRuns, keptTurns }: { openRuns: OpenRuns; keptTurns: KeptTurns },
): boolean {
  const { kind, isFirst } = openRuns.find(sessionId) ?? {};
  return (kind === "workflow" && isFirst === true) || keptTurns.isOfWorkflows(sessionId);
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
