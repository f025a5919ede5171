import type { Json } from "../../sessions/storage/json.ts";

/** A chunk of a durable run's stream: of an agent or a team, or an event of a workflow. */
export type RunChunk = { readonly type: string };

/**
 * The kind of a run's wait. `approval`: permission to call a tool. `input`: the result of a tool that the client
 * executes. `doubt`: the outcome of an interrupted call. `upgrade`: the tools of an earlier release.
 */
export type WaitKind = "approval" | "input" | "doubt" | "upgrade";

/** One wait of a run. `RunService.answer` answers it by its id. */
export type RunWait = {
  readonly id: string;
  readonly kind: WaitKind;
  /** Facts for the person who answers, such as the tool and its arguments. */
  readonly about: Json;
  /** Epoch milliseconds after which the wait ends without an answer: an approval as denied, others as `timeout`. */
  readonly until?: number;
  readonly toolCallId?: string;
  /** JSON Schema of the arguments that an approval may change. Clients do not see it. */
  readonly argsSchema?: Json;
  /** Epoch milliseconds at which the run began to wait. Missing in records of an earlier release. */
  readonly askedAt?: number;
};

/** A question as a step asks it: its kind, facts for the person who answers, and the time at which it ends. */
export type StepQuestion = Pick<RunWait, "kind" | "about" | "until" | "toolCallId" | "argsSchema">;
