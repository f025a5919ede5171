import type { ToolEffect } from "../../base/message/tool-call.ts";
import type { Runnable } from "../run/runnable.ts";

/** The kind of a workflow step. */
type StepKindName =
  | "agent"
  | "function"
  | "condition"
  | "parallel"
  | "loop"
  | "choose"
  | "forEach"
  | "workflow"
  | "ask"
  | "waitFor"
  | "sleep";

/** A step of a workflow as listed by `Workflow.plannedSteps`: its name, its kind, and the runnable of an agent step. */
export type PlannedStep = {
  readonly name: string;
  readonly kind: StepKindName;
  /** The runnable of an agent step, of a workflow step, or of the items of a `forEach`. */
  readonly agent?: Runnable;
  /** The effect that a function step declares. */
  readonly effect?: ToolEffect;
  /** The name of the enclosing step; undefined at the top level. */
  readonly within?: string;
  /** The key of the case of the enclosing `choose` step; undefined for the steps of its `otherwise`. */
  readonly case?: string;
};
