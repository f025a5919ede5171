/** The kinds of runnables. */
export type RunnableKind = "agent" | "team" | "workflow";

/** An agent, a team or a workflow of the service. */
export type RunnableInfo = {
  readonly kind: RunnableKind;
  readonly name: string;
  readonly description?: string;
  /** The accepted forms of input: `text`, `parts` (including files), `object`. */
  readonly input: readonly string[];
  /** The JSON Schema of an input object, if a workflow declares one. */
  readonly inputSchema?: unknown;
};

/**
 * The rules for the runs of a schedule: the times at which they begin (one of `cron`, `everyMs` and `at`), and the
 * treatment of runs that take long or are late.
 */
export type ScheduleRules = {
  readonly cron?: string;
  readonly timeZone?: string;
  readonly everyMs?: number;
  readonly at?: number;
  readonly overlap?: "skip" | "queue" | "cancel-running";
  readonly missed?: "skip" | "one" | "all";
  readonly maxMissed?: number;
  readonly jitterMs?: number;
};

/** A schedule to create. */
export type NewSchedule = ScheduleRules & {
  readonly kind: RunnableKind;
  readonly name: string;
  readonly input?: unknown;
  readonly sessionId?: string;
};

/** Changes of a schedule. Fields that are omitted keep their values. */
export type ScheduleChange = ScheduleRules & { readonly input?: unknown; readonly status?: "active" | "paused" };

/** A schedule of the caller. Times are milliseconds since 1970. */
export type ScheduleInfo = NewSchedule & {
  readonly id: string;
  readonly status: "active" | "paused" | "ended";
  readonly createdAt: number;
  readonly nextAt?: number;
  /** The times of the schedule that are due and wait for the start of a run. */
  readonly pending: readonly number[];
  /** The last times of the schedule, newest first, each with its outcome. */
  readonly history: readonly {
    readonly status: "begun" | "skipped" | "missed" | "failed";
    readonly at: number;
    readonly until?: number;
    readonly runId?: string;
    readonly error?: Failure;
  }[];
};

/** A conversation that the service stores. */
export type SessionInfo = {
  readonly sessionId: string;
  readonly title?: string;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly turns: number;
};

/** The tokens of a run. */
export type Usage = { readonly promptTokens: number; readonly completionTokens: number; readonly totalTokens: number };

/** An error as the service sends it to clients. */
export type Failure = {
  readonly code: string;
  readonly message: string;
  /** With the code `unauthorized`: the vendor whose API key is missing or was refused. */
  readonly vendor?: string;
  readonly runId?: string;
};

/** A page or a document that an answer is based on. */
export type Source = {
  readonly id: string;
  readonly url?: string;
  readonly title?: string;
  /** The place of the passage in its document: `page 4`, or the headings above it. */
  readonly place?: string;
  readonly passage?: string;
};

/** An artifact that a tool returned beside its result. */
export type Artifact = { readonly type: string; readonly data: unknown; readonly mimeType?: string };

/**
 * A question of a waiting run. It is about one of these: permission for a tool call, the result of a tool, the outcome
 * of an interrupted call, or another attempt after the service has changed.
 */
export type Wait = {
  readonly waitId: string;
  readonly kind: "approval" | "input" | "doubt" | "upgrade" | "question" | "event" | "sleep";
  readonly about: unknown;
  readonly toolCallId?: string;
};

/**
 * A piece of an answer's text or of the model's thinking. Text of a team's `member` is not part of the answer;
 * `speaker` names the member that gives the answer. `delegationId` is the tool call that handed over the task.
 */
export type TextEvent = {
  readonly type: "text" | "thinking";
  readonly text: string;
  readonly member?: string;
  readonly speaker?: string;
  readonly delegationId?: string;
};

/** A chunk of an agent's or team's answer. */
export type AnswerEvent =
  | TextEvent
  | ({ readonly type: "source" } & Source)
  | { readonly type: "tool_call_start"; readonly toolCall: { readonly id: string; readonly name: string } }
  | { readonly type: "tool_call_delta"; readonly toolCallId: string; readonly argumentsDelta: string }
  | { readonly type: "tool_progress"; readonly toolCallId: string; readonly progress: unknown }
  | ({ readonly type: "tool_result"; readonly toolCallId: string; readonly toolName: string } & ToolCallOutcome)
  | { readonly type: "tool_call_end"; readonly toolCallId: string }
  | ({ readonly type: "wait" } & Wait);

/** The outcome of a tool call. */
export type ToolCallOutcome = {
  readonly result: unknown;
  readonly error?: string;
  readonly artifacts?: readonly Artifact[];
  readonly durationMs?: number;
};

/** The status of a workflow's step. */
export type StepStatus = "completed" | "skipped" | "error" | "cancelled";

/** The last event of a completed run. For a workflow it contains the result. */
export type FinishEvent = {
  readonly type: "finish";
  readonly usage?: Usage;
  readonly stored?: false;
  readonly result?: { readonly state: unknown; readonly usage: Usage; readonly stored?: false };
};

/** An event of the stream of a run. */
export type RunEvent =
  | AnswerEvent
  | { readonly type: "step_start" | "step_retry"; readonly step: string }
  | { readonly type: "chunk"; readonly step: string; readonly chunk: AnswerEvent | FinishEvent }
  | { readonly type: "step_end"; readonly step: string; readonly status: StepStatus; readonly durationMs: number }
  | FinishEvent
  | { readonly type: "error"; readonly error: Failure };

/** A part of a stored message: text or a file. `stored` refers to data that the service sends on request. */
export type StoredPart = {
  readonly type: string;
  readonly text?: string;
  readonly mimeType?: string;
  readonly filename?: string;
  readonly stored?: { readonly index: number; readonly bytes: number };
};

/** The content of a stored message. */
export type StoredContent = string | readonly StoredPart[] | null;

/** A turn of a session as the service stores it. */
export type StoredTurn = {
  readonly seq: number;
  readonly runId: string;
  readonly runnable: string;
  readonly status: "completed" | "interrupted";
  readonly createdAt: number;
  readonly input: StoredContent;
  readonly messages: readonly {
    readonly role: string;
    readonly content: StoredContent;
    readonly toolCalls?: readonly { readonly id: string; readonly name: string; readonly arguments: unknown }[];
    readonly toolCallId?: string;
  }[];
  readonly usage: Usage;
  readonly toolResults?: readonly {
    readonly toolCallId: string;
    readonly error?: string;
    readonly artifacts?: readonly Artifact[];
  }[];
  readonly sources?: readonly Source[];
};

/** A durable run: a run that outlives its connection. */
export type RunInfo = {
  readonly runId: string;
  readonly kind: RunnableKind;
  readonly name: string;
  readonly sessionId: string;
  readonly status: string;
  /** Milliseconds since 1970. */
  readonly createdAt?: number;
  /** The questions of the run while it waits. */
  readonly waits?: readonly Wait[];
};

/** The status of a stored run. */
export type RunStatus = "queued" | "running" | "waiting" | "completed" | "error" | "cancelled";

/** A stored run, with its questions while it waits, and its output or error once it is over. */
export type PublicRun = Omit<RunInfo, "status"> & {
  readonly status: RunStatus;
  readonly createdAt: number;
  readonly waits?: readonly Wait[];
  readonly output?: unknown;
  readonly error?: Failure;
};

/** A part of a message: text, or data as base64 or a URL. */
export type ContentPart =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "image" | "audio"; readonly data: string; readonly mimeType?: string }
  | { readonly type: "file"; readonly data: string; readonly mimeType: string; readonly filename?: string };

/** The input of an agent or a team: a string, or content parts. */
export type MessageContent = string | readonly ContentPart[];

/** A tool call of a run, with its result. */
type ToolCallResult = ToolCallOutcome & {
  readonly toolCallId: string;
  readonly toolName: string;
  readonly args: Readonly<Record<string, unknown>>;
};

/** The output of a completed run of an agent or a team. `structured` is null if it has no structured output. */
export type RunOutput<Structured = unknown> = {
  readonly status: "completed";
  readonly text: string;
  readonly structured: Structured;
  readonly toolCalls: readonly ToolCallResult[];
  readonly usage: Usage;
  readonly runId: string;
  readonly sessionId: string;
  readonly durationMs: number;
  readonly thinking?: string;
  readonly sources?: readonly Source[];
  readonly artifacts?: readonly (Artifact & { readonly toolCallId: string; readonly toolName: string })[];
  readonly model?: string;
  readonly modelProvider?: string;
  readonly stored?: false;
};

/** The result of a completed workflow. */
export type WorkflowOutput<State = Readonly<Record<string, unknown>>> = {
  readonly status: "completed";
  readonly runId: string;
  readonly state: State;
  readonly steps: readonly {
    readonly name: string;
    readonly status: StepStatus;
    readonly durationMs: number;
    readonly output?: unknown;
    readonly error?: Failure;
  }[];
  readonly usage: Usage;
  readonly durationMs: number;
  readonly stored?: false;
};

const openStatuses = new Set(["queued", "running", "waiting"]);

/** Returns true for the status of an unfinished run. */
export function isOpenStatus(status: string): boolean {
  return openStatuses.has(status);
}
