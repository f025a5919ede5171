/** The fields of the API's answers and events that the page reads. */

/** The kind of something that can be run. */
export type RunnableKind = "agent" | "team" | "workflow";

/** An agent, a team or a workflow that the service offers. */
export type RunnableInfo = {
  readonly kind: RunnableKind;
  readonly name: string;
  readonly description?: string;
  /** The forms of input that it takes: `text`, `parts` (files too), `object`. */
  readonly input: readonly string[];
};

/** A conversation that the service keeps. */
export type SessionInfo = {
  readonly sessionId: string;
  readonly title?: string;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly turns: number;
};

/** The tokens of a run. */
export type Usage = { readonly promptTokens: number; readonly completionTokens: number; readonly totalTokens: number };

/** A failure as the service tells it to clients. */
export type Failure = {
  readonly code: string;
  readonly message: string;
  /** The vendor whose key is missing or was refused, beside the code `unauthorized`. */
  readonly vendor?: string;
};

/** A page or a document that an answer is based on. */
export type Source = { readonly id: string; readonly url?: string; readonly title?: string };

/** Something that a tool made beside its result. */
export type Artifact = { readonly type: string; readonly data: unknown; readonly mimeType?: string };

/** A question that a run waits for: may a tool be called, what is its result, did a call that was cut off happen. */
export type Wait = {
  readonly waitId: string;
  readonly kind: "approval" | "input" | "doubt" | "upgrade";
  readonly about: unknown;
  readonly toolCallId?: string;
};

/** A chunk of an agent's or team's answer. */
export type AnswerEvent =
  | { readonly type: "text" | "thinking"; readonly text: string }
  | ({ readonly type: "source" } & Source)
  | { readonly type: "tool_call_start"; readonly toolCall: { readonly id: string; readonly name: string } }
  | { readonly type: "tool_call_delta"; readonly toolCallId: string; readonly argumentsDelta: string }
  | { readonly type: "tool_progress"; readonly toolCallId: string; readonly progress: unknown }
  | ({ readonly type: "tool_result"; readonly toolCallId: string; readonly toolName: string } & ToolOutcome)
  | { readonly type: "tool_call_end"; readonly toolCallId: string }
  | ({ readonly type: "wait" } & Wait);

/** The outcome of a tool call. */
export type ToolOutcome = {
  readonly result: unknown;
  readonly error?: string;
  readonly artifacts?: readonly Artifact[];
  readonly durationMs?: number;
};

/** The status of a workflow's step. */
export type StepStatus = "completed" | "skipped" | "error" | "cancelled";

/** The last event of a run that completed. That of a workflow has its result. */
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

/** A part of a stored message: text, an address, or a reference to data that the service sends when asked. */
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

/** A run that outlives its connection. */
export type RunInfo = {
  readonly runId: string;
  readonly kind: RunnableKind;
  readonly name: string;
  readonly sessionId: string;
  readonly status: string;
};

const openStatuses = new Set(["queued", "running", "waiting"]);

/** Returns true for the status of a run that is not over. */
export function isOpenStatus(status: string): boolean {
  return openStatuses.has(status);
}
