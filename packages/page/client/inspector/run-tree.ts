import type {
  DeclaredStep,
  InspectedEvent,
  InspectedRun,
  InspectedRunDetails,
  InspectedWait,
  ShownError,
  ShownJson,
  ShownUsage,
  StepFacts,
} from "../../src/inspector/inspected-run.ts";
import type { PathPart, StepKind } from "./step-path.ts";

/**
 * The state of a step. `interrupted`: an attempt or the run ended before the step did. `repeated`: the step failed and
 * was repeated.
 */
export type NodeStatus =
  | "running"
  | "waiting"
  | "completed"
  | "failed"
  | "skipped"
  | "cancelled"
  | "interrupted"
  | "repeated";

/** A step in the tree of a run. Times are epoch milliseconds. */
export type TreeStep = {
  readonly key: string;
  /** The key of a model call in the log of the run. The key in the tree may be shorter. */
  readonly logKey?: string | undefined;
  readonly kind: StepKind;
  readonly name: string;
  /** More about the step, such as the model that answered or the kind of a workflow step. */
  readonly detail?: string | undefined;
  readonly status: NodeStatus;
  /** The first attempt at the run that reached the step. */
  readonly attempt: number;
  readonly startMs?: number | undefined;
  /** True if the log does not contain the step's start time. */
  readonly isStartEstimated?: true | undefined;
  readonly endMs?: number | undefined;
  /** Milliseconds of work according to the log, without the time that the step waited. */
  readonly durationMs?: number | undefined;
  readonly usage?: ShownUsage | undefined;
  readonly input?: ShownJson | undefined;
  readonly output?: ShownJson | undefined;
  readonly thinking?: string | undefined;
  /** The text of an active model call. */
  readonly liveText?: string | undefined;
  readonly error?: ShownError | undefined;
  readonly effect?: string | undefined;
  readonly wait?: InspectedWait | undefined;
  readonly children: readonly TreeStep[];
};

/** An attempt at a run. There are several after an answer or a takeover. */
type TreeAttempt = { readonly number: number; readonly node: string; readonly at?: number | undefined };

/** A run as a tree of steps. */
export type RunTree = {
  readonly steps: readonly TreeStep[];
  readonly attempts: readonly TreeAttempt[];
  readonly startMs: number;
  /** The end of the run; absent while the run is active. */
  readonly endMs?: number | undefined;
  readonly usage?: ShownUsage | undefined;
  readonly output?: ShownJson | undefined;
  readonly error?: ShownError | undefined;
  /** True once the run's log contains its end, or the run's record shows that it is over. */
  readonly isOver: boolean;
};

/** A step of the tree while the events are being read. */
export type OpenStep = {
  readonly part: PathPart;
  readonly children: OpenStep[];
  readonly attempt: number;
  /** The declaration of a workflow step; for a round or an item, the declaration of its repeated step. */
  declared?: DeclaredStep;
  /** The last time in the log before the step was first seen. */
  readonly seenMs: number | undefined;
  /** The key of the step in the log, once an event of the step itself was read. */
  logKey?: string;
  done?: Extract<InspectedEvent, { type: "done" }>;
  call?: Extract<InspectedEvent, { type: "call" }>;
  /** The status with which a workflow step ended, according to the stream of the run. */
  stepStatus?: string;
  containerEnd?: Extract<InspectedEvent, { type: "done" }>;
  turn?: StepFacts;
  liveText: string;
  liveThinking: string;
  startedCalls: string[];
  wait?: InspectedWait;
  /** The time at which the step's question ended. */
  waitOverMs?: number | undefined;
  isWaitOver?: boolean;
  /** True if an attempt has left the step, and no later attempt has reached it. */
  isLeft?: boolean;
};

/** Everything that was read from a run's events. */
export type UnfoldedRun = {
  readonly details: InspectedRunDetails;
  readonly root: OpenStep;
  readonly byKey: Map<string, OpenStep>;
  readonly attempts: TreeAttempt[];
  clockMs: number | undefined;
  end?: Extract<InspectedEvent, { type: "end" }>;
};

/** Returns true for the status of a finished run. */
export function isOver({ status }: Pick<InspectedRun, "status">): boolean {
  return status === "completed" || status === "error" || status === "cancelled";
}
