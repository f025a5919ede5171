// Types of the data that the routes of the inspector send and its view reads. Times are epoch milliseconds. The view is
// compiled for a browser, so this file imports nothing from core.

/** JSON of bounded size. */
export type ShownJson =
  | null
  | boolean
  | number
  | string
  | readonly ShownJson[]
  | { readonly [name: string]: ShownJson };

/** Token counts of a run or a step. */
export type ShownUsage = {
  readonly promptTokens: number;
  readonly completionTokens: number;
  readonly totalTokens: number;
  readonly reasoningTokens?: number | undefined;
  readonly cachedTokens?: number | undefined;
};

/** A run in the list of runs. */
export type InspectedRun = {
  readonly runId: string;
  readonly kind: "agent" | "team" | "workflow";
  readonly name: string;
  readonly sessionId: string;
  readonly status: "queued" | "running" | "waiting" | "completed" | "error" | "cancelled";
  readonly createdAt: number;
  readonly startedAt?: number;
  readonly endedAt?: number;
  /** The time at which the run is removed. */
  readonly expiresAt?: number;
  readonly attempts: number;
  /** The process that made the last attempt at the run. */
  readonly node?: string;
  readonly error?: ShownError;
  /** The beginning of the run's question, in the list of runs. */
  readonly question?: string;
  /** The tokens of an ended run, in the list of runs. */
  readonly tokens?: number;
  readonly tags?: readonly string[];
  /** The questions that the run waits for, in the list of runs. */
  readonly openWaits?: readonly InspectedQuestion[];
};

/** A question that a run in the list waits for. */
export type InspectedQuestion = {
  readonly waitId: string;
  readonly kind: "approval" | "input" | "doubt" | "upgrade" | "question" | "event" | "sleep";
  readonly about: ShownJson;
  /** True if a part of `about` is hidden or cut, so that it is no basis for other arguments. */
  readonly isCut?: true;
};

/** An error in the form that the inspector shows. */
export type ShownError = { readonly code: string; readonly message: string };

/** A page of runs. `sees` shows whose runs they are: the runs of all users, or only the caller's own runs. */
export type InspectedRunPage = {
  readonly runs: readonly InspectedRun[];
  readonly next?: string;
  readonly sees: "all" | "own";
};

/** A declared step of a workflow, and the step that it is nested in. */
export type DeclaredStep = {
  readonly name: string;
  readonly kind: string;
  readonly within?: string;
  /** The key of the case of the enclosing `choose` step; absent for the steps of its `otherwise`. */
  readonly case?: string;
  /** The name of the agent, team or workflow that the step runs. */
  readonly runnable?: string;
  /** The steps of the workflow that the step runs. */
  readonly steps?: readonly DeclaredStep[];
};

/** A run as the inspector reads it, without its events. */
export type InspectedRunDetails = {
  readonly run: InspectedRun;
  /** The input of the run. Absent if the run had no input, or the input is no longer stored. */
  readonly input?: ShownJson;
  /** The steps of the workflow as declared in this process. */
  readonly steps?: readonly DeclaredStep[];
  /** The deliveries of the run's events to webhooks, the oldest first. Absent if there are none. */
  readonly deliveries?: readonly InspectedDelivery[];
  /** True if the viewer may see the model calls of the run as they were sent. */
  readonly hasModelCalls?: true;
  /** The names of the models with which the viewer may make a model call again. Absent if there are none. */
  readonly models?: readonly string[];
};

/** A model call as it was sent, with the messages in their order. */
export type InspectedModelCall = {
  readonly providerId: string;
  readonly modelId: string;
  readonly isStream: boolean;
  /** The settings of the call, such as `temperature`. Settings that were not given are absent. */
  readonly settings: ShownJson;
  /** The contents of the system messages. */
  readonly system: readonly ShownJson[];
  readonly messages: readonly ShownJson[];
  /** The tools that the model may call, each with its name, description and parameters. */
  readonly tools: readonly ShownJson[];
  /** True if a part is hidden or cut, so that the call cannot be made again as it was. */
  readonly isCut?: true;
};

/** The answer to a model call that was made again. */
export type RepeatedModelCall = {
  /** The id of the model that answered. */
  readonly model: string;
  readonly text: string;
  readonly thinking?: string;
  /** The tools that the model asked for. None of them was called. */
  readonly calls: readonly { readonly tool: string; readonly args: ShownJson }[];
  readonly usage: ShownUsage;
  readonly durationMs: number;
};

/** The delivery of an event of a run to a webhook. */
export type InspectedDelivery = {
  readonly id: string;
  readonly type: string;
  readonly at: number;
  readonly webhook: "run" | "service" | "subscription";
  readonly status: "pending" | "delivered" | "failed" | "disabled";
  readonly attempts: number;
  readonly lastAt?: number;
  readonly problem?: string;
  readonly nextAt?: number;
};

/** The result of a step, read from its value in the journal. The fields depend on the kind of step. */
export type StepFacts = {
  readonly output?: ShownJson;
  readonly error?: ShownError;
  readonly thinking?: string;
  /** The tool calls that a model requested. */
  readonly calls?: readonly { readonly name: string; readonly args: ShownJson }[];
  readonly model?: string;
  readonly finishReason?: string;
  /** For a tool call: the tool and its arguments. */
  readonly toolName?: string;
  readonly args?: ShownJson;
  /** For a child run: its runnable and its input. */
  readonly runnable?: string;
  readonly input?: ShownJson;
  /** True for a failure after which the step was repeated. */
  readonly isRepeated?: true;
};

/** A question that a run waits for, or has waited for. */
export type InspectedWait = {
  readonly waitId: string;
  readonly kind: string;
  readonly about: ShownJson;
  readonly until?: number;
  readonly askedAt?: number;
};

/** An event of a run's log. Text that arrived in many chunks is one event. */
export type InspectedEvent =
  | { readonly type: "attempt"; readonly attempt: number; readonly node: string; readonly at?: number }
  | { readonly type: "reset"; readonly step: string }
  | { readonly type: "text"; readonly step: string; readonly text: string; readonly isThinking?: true }
  | { readonly type: "chunk"; readonly step: string; readonly chunk: ShownJson }
  | {
      readonly type: "call";
      readonly step: string;
      readonly toolName: string;
      readonly args: ShownJson;
      readonly effect: string;
      readonly at?: number;
    }
  | {
      readonly type: "done";
      readonly step: string;
      readonly facts: StepFacts;
      readonly usage?: ShownUsage;
      readonly durationMs: number;
      readonly at?: number;
    }
  | { readonly type: "wait"; readonly wait: InspectedWait }
  | { readonly type: "end"; readonly output: ShownJson; readonly error?: ShownError };

/** An event with its position in the log, after which a reader continues. */
export type PlacedEvent = { readonly id: string; readonly event: InspectedEvent };
