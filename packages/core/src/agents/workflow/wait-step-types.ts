import type { ObjectSchema } from "../../schema/object-schema.ts";
import type { WorkflowState } from "./workflow-result.ts";

/** The time for which a step waits, and the outcome afterwards. */
export type WaitLimit = {
  /** Milliseconds to wait. @default no limit */
  waitMs?: number | undefined;
  /**
   * The outcome after `waitMs`: `"fail"` fails the step as `timeout`, `"continue"` continues with null as the step's
   * value, `{ value }` continues with that value. @default "fail"
   */
  onTimeout?: "fail" | "continue" | { value: unknown } | undefined;
};

/**
 * A step that asks a person. The answer becomes the state's value under the step's name. Only a `RunService` runs it:
 * the run waits with kind `question` until `RunService.answer` gives it `{ result }`.
 */
export type AskStep<State> = WaitLimit & {
  name: string;
  /** Returns the question, or a promise of it. */
  ask: (state: WorkflowState<State>) => string | Promise<string>;
  /** The schema of the answer. An answer that does not fit is rejected, and the run still waits. @default a string */
  schema?: ObjectSchema | undefined;
};

/**
 * A step that waits for an event. The data of the signal becomes the state's value under the step's name. Only a
 * `RunService` runs it: `RunService.signal` sends the event.
 */
export type WaitForStep = WaitLimit & {
  name: string;
  /** The name of the event. */
  waitFor: string;
};

/** A step that waits for a time. In the meantime no process performs a durable run; a plain run waits in memory. */
export type SleepStep<State> =
  | {
      name: string;
      /** Milliseconds to wait, or a function that returns them. */
      sleepMs: number | ((state: WorkflowState<State>) => number | Promise<number>);
      sleepUntil?: undefined;
    }
  | {
      name: string;
      /** The time: a `Date`, epoch milliseconds, an ISO 8601 string, or a function that returns one of them. */
      sleepUntil: SleepTime | ((state: WorkflowState<State>) => SleepTime | Promise<SleepTime>);
      sleepMs?: undefined;
    };

/** A time at which a `sleepUntil` step ends. */
type SleepTime = Date | number | string;
