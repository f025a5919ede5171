import type { MessageContent, Runnable, RunOpts, SessionOwner } from "@troupe/core";
import type { Request, Response } from "express";
import type { RouterSettings } from "./router-options.ts";
import type { ServedWorkflow } from "./served-workflow.ts";

/** A request on its way through the router. */
export type Exchange = {
  readonly request: Request;
  readonly response: Response;
  readonly requestId: string;
  readonly settings: RouterSettings;
  /** What the run is told, once that is known: there may be keys in it that no log is to show. */
  opts?: CallOpts;
};

/** What a checked request says of its run: these are always there, and the signal comes with the answer. */
export type CallOpts = Omit<RunOpts, "runId" | "sessionId" | "fromOutside" | "signal"> & {
  readonly runId: string;
  readonly sessionId: string;
  readonly fromOutside: true;
};

/** A run that was asked for, with all that was said about it, checked. */
export type RunCall<Subject, Input> = {
  readonly subject: Subject;
  /** The name that the subject is registered under. */
  readonly name: string;
  readonly input: Input;
  readonly opts: CallOpts;
  /** Who may cancel it: the principal alone, or without one whoever knows the run's id. A claim in the body counts for nothing here. */
  readonly owner: SessionOwner;
};

/** A call of an agent or a team. */
export type RunnableCall = RunCall<Runnable, MessageContent>;

/** A call of a workflow; without an input it starts from its initial state alone. */
export type WorkflowCall = RunCall<ServedWorkflow, object | undefined>;
