import { readProperty } from "../../base/util/read-property.ts";
import type { Json } from "../../sessions/storage/json.ts";

/** A chunk of a durable run's stream: of an agent or a team, or an event of a workflow. */
export type RunChunk = { readonly type: string };

/**
 * The kind of a run's wait. `approval`: permission to call a tool. `input`: the result of a tool that the client
 * executes. `doubt`: the outcome of an interrupted call. `upgrade`: a release that has the tools of the run.
 * `question`: an answer to a question of a workflow. `event`: a signal to a workflow. `sleep`: the time at which a
 * workflow continues.
 */
export type WaitKind = "approval" | "input" | "doubt" | "upgrade" | "question" | "event" | "sleep";

/** One wait of a run. `RunService.answer` answers it by its id. */
export type RunWait = {
  readonly id: string;
  readonly kind: WaitKind;
  /** Facts for the person who answers, such as the tool and its arguments. */
  readonly about: Json;
  /**
   * Epoch milliseconds after which the wait ends without an answer: an approval as denied, a sleep as over, others as
   * `timeout`.
   */
  readonly until?: number;
  readonly toolCallId?: string;
  /** JSON Schema of the arguments that an approval may change. Clients do not see it. */
  readonly argsSchema?: Json;
  /** Epoch milliseconds at which the run began to wait. Missing in records of an earlier release. */
  readonly askedAt?: number;
  /**
   * For the kind `event`: the number of the last signal that arrived before the wait; only later signals end it.
   * Clients do not see it.
   */
  readonly seen?: number;
};

/**
 * A signal to a run: an event that a step of its workflow waits for, with data. Signals are numbered from 1, in the
 * order of their arrival.
 */
export type RunSignal = {
  readonly number: number;
  readonly event: string;
  readonly data: Json;
  /** Epoch milliseconds at which the signal arrived. */
  readonly at: number;
};

/** Returns the event of a wait for an event; undefined for waits of other kinds. */
function eventOf({ kind, about }: Pick<RunWait, "kind" | "about">): string | undefined {
  const event = kind === "event" ? readProperty(about, "event") : undefined;
  return typeof event === "string" ? event : undefined;
}

/**
 * Returns true if a signal ends a wait: it has the event of the wait, and arrived after the signals that were there
 * before the wait, and before the wait ended.
 */
export function takesSignal(wait: Pick<RunWait, "kind" | "about" | "until" | "seen">, signal: RunSignal): boolean {
  const { until = Infinity, seen = 0 } = wait;
  return eventOf(wait) === signal.event && signal.number > seen && signal.at <= until;
}

/** A question that a step asks: its kind, facts for the person who answers, and the time at which it ends. */
export type StepQuestion = Pick<RunWait, "kind" | "about" | "until" | "toolCallId" | "argsSchema">;
