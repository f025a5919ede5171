import type { TroupeError } from "../../base/errors/troupe-error.ts";
import type { PublicOutput } from "../../agents/run/run-output.ts";
import type { WorkflowResult } from "../../agents/workflow/workflow-result.ts";
import type { RunChunk } from "../../agents/run/run-wait.ts";
import type { RunEvent, RunView } from "../../runs/record/run-view.ts";

/** The failure that ends the events of a run. */
export type FailureEvent = {
  readonly type: "failure";
  /** The id of the log's event that reports it; absent for a live run. */
  readonly id?: string | undefined;
  readonly error: TroupeError;
};

/** A chunk of a live run, which has no place in a log. */
type LiveChunk = {
  readonly type: "chunk";
  readonly id?: undefined;
  readonly step?: undefined;
  readonly chunk: RunChunk;
};

/** The end of a run without a failure. Only that of a stored run has an id. */
type EndEvent = {
  readonly type: "end";
  readonly id?: string | undefined;
  /** Returns the public output of the run. Rejects for a runnable of a third party whose stream has none. */
  readonly readOutput: () => Promise<PublicOutput | PublicResult>;
};

/** An event of a run for its client, before a protocol gives it a public form. The last one is an end or a failure. */
export type ServedEvent = Exclude<RunEvent, { type: "end" }> | LiveChunk | EndEvent | FailureEvent;

/** The result of a workflow in the form for clients. */
export type PublicResult = WorkflowResult<object>;

/** What a run has come to: its public output, or the questions that it waits for. */
export type SettledRun =
  | { readonly output: PublicOutput | PublicResult; readonly waiting?: undefined }
  | { readonly waiting: RunView; readonly output?: undefined };

/** Which events of a run its client wants. */
export type EventRange = {
  /** The id of the last event that the client has seen. Only for a stored run. @default from the beginning */
  readonly after?: string | undefined;
  /** True for a client that also wants the journal's events, and that can remove the text of a step again. */
  readonly isWhole?: boolean | undefined;
};
