import type { TroupeError } from "../../base/errors/troupe-error.ts";
import type { PublicOutput } from "../../agents/run/run-output.ts";
import type { WorkflowResult } from "../../agents/workflow/workflow-result.ts";
import type { RunChunk } from "../../agents/run/run-wait.ts";
import type { RunEvent, RunView } from "../../runs/record/run-view.ts";

/** The failure that ends a run's events. */
export type FailureEvent = {
  readonly type: "failure";
  /** The id of the event in the run's log; absent for a live run. */
  readonly id?: string | undefined;
  readonly error: TroupeError;
};

/** A chunk of a live run, which has no log and therefore no id. */
type LiveChunk = {
  readonly type: "chunk";
  readonly id?: undefined;
  readonly step?: undefined;
  readonly chunk: RunChunk;
};

/** The end of a run without a failure. Only the end of a stored run has an id. */
type EndEvent = {
  readonly type: "end";
  readonly id?: string | undefined;
  /** Returns the public output of the run. Rejects if a third party's runnable returned a stream without an output. */
  readonly readOutput: () => Promise<PublicOutput | PublicResult>;
};

/**
 * An event of a run for its client, before a protocol converts it to its public form. The last event is an end or a
 * failure.
 */
export type ServedEvent = Exclude<RunEvent, { type: "end" }> | LiveChunk | EndEvent | FailureEvent;

/** The result of a workflow in the form for clients. */
export type PublicResult = WorkflowResult<object>;

/** The outcome of a run: its public output, or the questions that it waits for. */
export type SettledRun =
  | { readonly output: PublicOutput | PublicResult; readonly waiting?: undefined }
  | { readonly waiting: RunView; readonly output?: undefined };

/** The events of a run that its client wants. */
export type EventRange = {
  /** The id of the last event that the client has received. Only for a stored run. @default from the beginning */
  readonly after?: string | undefined;
  /** True for a client that also wants the journal's events, and can remove the text of a step that is repeated. */
  readonly isWhole?: boolean | undefined;
};
