import type {
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

/** The state of a step. `interrupted` is one that an attempt or the run has left unfinished. */
export type StepStatus =
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
  readonly kind: StepKind;
  readonly name: string;
  /** More about the step, such as the model that answered or the kind of a workflow step. */
  readonly detail?: string | undefined;
  readonly status: StepStatus;
  /** The attempt at the run that came to the step first. */
  readonly attempt: number;
  readonly startMs?: number | undefined;
  /** True where the log does not say when the step began. */
  readonly isStartEstimated?: true | undefined;
  readonly endMs?: number | undefined;
  /** Milliseconds of work as the log has them, without the time that the step waited. */
  readonly durationMs?: number | undefined;
  readonly usage?: ShownUsage | undefined;
  readonly input?: ShownJson | undefined;
  readonly output?: ShownJson | undefined;
  readonly thinking?: string | undefined;
  /** The text of a model call that is under way. */
  readonly liveText?: string | undefined;
  readonly error?: ShownError | undefined;
  readonly effect?: string | undefined;
  readonly wait?: InspectedWait | undefined;
  readonly children: readonly TreeStep[];
};

/** One attempt at a run: more than one after an answer or a takeover. */
type TreeAttempt = { readonly number: number; readonly node: string; readonly at?: number | undefined };

/** A run as a tree of steps. */
export type RunTree = {
  readonly steps: readonly TreeStep[];
  readonly attempts: readonly TreeAttempt[];
  readonly startMs: number;
  /** Absent while the run is under way. */
  readonly endMs?: number | undefined;
  readonly usage?: ShownUsage | undefined;
  readonly output?: ShownJson | undefined;
  readonly error?: ShownError | undefined;
  /** True once the log has the end of the run. */
  readonly isOver: boolean;
};

/** A step while the events are read. */
export type OpenStep = {
  readonly part: PathPart;
  readonly children: OpenStep[];
  readonly attempt: number;
  /** The last time in the log before the step was first seen. */
  readonly seenMs: number | undefined;
  done?: Extract<InspectedEvent, { type: "done" }>;
  call?: Extract<InspectedEvent, { type: "call" }>;
  /** The end of a workflow step as its stream told it, and that of one with steps in it. */
  stepStatus?: string;
  containerEnd?: Extract<InspectedEvent, { type: "done" }>;
  turn?: StepFacts;
  liveText: string;
  liveThinking: string;
  startedCalls: string[];
  wait?: InspectedWait;
  /** The time at which a question was over. */
  waitOverMs?: number | undefined;
  isWaitOver?: boolean;
  /** True when an attempt has left the step, and no other has come to it since. */
  isLeft?: boolean;
};

/** All that was read of a run's events. */
export type OpenRun = {
  readonly details: InspectedRunDetails;
  readonly root: OpenStep;
  readonly byKey: Map<string, OpenStep>;
  readonly attempts: TreeAttempt[];
  clockMs: number | undefined;
  end?: Extract<InspectedEvent, { type: "end" }>;
};

/** The statuses of a run after its end. */
export function isOver({ status }: Pick<InspectedRun, "status">): boolean {
  return status === "completed" || status === "error" || status === "cancelled";
}
