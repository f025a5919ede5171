/**
 * State of a task, in the words of A2A 0.x. `input-required` pauses a task until its next message, `auth-required`
 * until it gets credentials. The last four states end a task.
 */
export type A2ATaskState =
  | "submitted"
  | "working"
  | "input-required"
  | "auth-required"
  | "completed"
  | "canceled"
  | "failed"
  | "rejected";

/** Fields of every part of a message or an artifact. */
type PartFields = { mediaType?: string; filename?: string; metadata?: Record<string, unknown> };

/** A part of a message or an artifact: text, the base64 of a file, the address of a file, or JSON. */
export type A2APart =
  | (PartFields & { kind: "text"; text: string })
  | (PartFields & { kind: "bytes"; base64: string })
  | (PartFields & { kind: "url"; url: string })
  | (PartFields & { kind: "data"; data: unknown });

/** A message of the client (`user`) or of the agent. */
export type A2AMessage = {
  messageId: string;
  role: "user" | "agent";
  parts: readonly A2APart[];
  contextId?: string;
  taskId?: string;
  metadata?: Record<string, unknown>;
  extensions?: string[];
  referenceTaskIds?: string[];
};

/** An artifact, which is a result of a task: one part or more. */
export type A2AArtifact = {
  artifactId: string;
  name?: string;
  description?: string;
  parts: readonly A2APart[];
  metadata?: Record<string, unknown>;
  extensions?: string[];
};

/** The state of a task, the time of its change in epoch milliseconds, and an optional message, such as a question. */
export type A2AStatus = { state: A2ATaskState; at: number; message?: A2AMessage };

/**
 * A task as its client sees it. `id` is the id of the run, `contextId` is the id of the session. `history` is in order
 * of time.
 */
export type A2ATask = {
  id: string;
  contextId: string;
  status: A2AStatus;
  artifacts: readonly A2AArtifact[];
  history: readonly A2AMessage[];
  metadata?: Record<string, unknown>;
};

/** An event in the stream of a task. A stream has a single message, or a task followed by its changes. */
export type A2AEvent =
  | { type: "task"; task: A2ATask }
  | { type: "message"; message: A2AMessage }
  /** `metadata` has the usage of a finished run. */
  | { type: "status"; taskId: string; contextId: string; status: A2AStatus; metadata?: Record<string, unknown> }
  /** `append` adds the parts to the earlier parts of the artifact; `isLast` marks the last piece of the artifact. */
  | {
      type: "artifact";
      taskId: string;
      contextId: string;
      artifact: A2AArtifact;
      append: boolean;
      isLast: boolean;
    };

/** A page of a client's tasks, newest first. `nextPageToken` is empty on the last page. */
export type A2ATaskPage = { tasks: readonly A2ATask[]; nextPageToken: string; pageSize: number; totalSize: number };

/** The next states that each state of a task allows. Terminal states allow none. */
const moves: Readonly<Record<A2ATaskState, readonly A2ATaskState[]>> = {
  submitted: ["working", "input-required", "auth-required", "completed", "canceled", "failed", "rejected"],
  working: ["working", "input-required", "auth-required", "completed", "canceled", "failed", "rejected"],
  "input-required": ["working", "completed", "canceled", "failed", "rejected"],
  "auth-required": ["working", "completed", "canceled", "failed", "rejected"],
  completed: [],
  canceled: [],
  failed: [],
  rejected: [],
};

/**
 * Returns true if a task may move from one state to another. A task stays `working` over many updates; a terminal state
 * never changes.
 */
export function mayMove(from: A2ATaskState, to: A2ATaskState): boolean {
  return moves[from].includes(to);
}

/** Returns true if a task in this state is over. */
export function isTerminal(state: A2ATaskState): boolean {
  return moves[state].length === 0;
}

/** Returns true if a task waits for its client: for an answer, or for credentials. */
export function isInterrupted(state: A2ATaskState): boolean {
  return state === "input-required" || state === "auth-required";
}

/** Returns the last messages of a history; all of them if `length` is undefined. */
export function lastMessages(history: readonly A2AMessage[], length: number | undefined): readonly A2AMessage[] {
  if (length === undefined || length >= history.length) return history;
  return length === 0 ? [] : history.slice(-length);
}
