/**
 * State of a task, in the words of A2A 0.x. `input-required` and `auth-required` interrupt a task until its next message;
 * the last four end it.
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

/** A part of a message or an artifact: text, the bytes of a file in base64, the address of a file, or JSON. */
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

/** A result of a task: one part or more. */
export type A2AArtifact = {
  artifactId: string;
  name?: string;
  description?: string;
  parts: readonly A2APart[];
  metadata?: Record<string, unknown>;
  extensions?: string[];
};

/** The state of a task at a time in epoch milliseconds, with a message that says more, such as a question. */
export type A2AStatus = { state: A2ATaskState; at: number; message?: A2AMessage };

/** A task as its client sees it: `id` is the id of the run, `contextId` that of the session. `history` is in order of time. */
export type A2ATask = {
  id: string;
  contextId: string;
  status: A2AStatus;
  artifacts: readonly A2AArtifact[];
  history: readonly A2AMessage[];
  metadata?: Record<string, unknown>;
};

/** An event of the stream of a task. A stream holds a single message, or a task and then what changes it. */
export type A2AEvent =
  | { type: "task"; task: A2ATask }
  | { type: "message"; message: A2AMessage }
  /** `metadata` has the usage of a run that is over. */
  | { type: "status"; taskId: string; contextId: string; status: A2AStatus; metadata?: Record<string, unknown> }
  /** `append` adds the parts to those of the artifact that came before; `isLast` says that no more of it follow. */
  | {
      type: "artifact";
      taskId: string;
      contextId: string;
      artifact: A2AArtifact;
      append: boolean;
      isLast: boolean;
    };

/** A page of a client's tasks, the newest first. `nextPageToken` is empty on the last page. */
export type A2ATaskPage = { tasks: readonly A2ATask[]; nextPageToken: string; pageSize: number; totalSize: number };

/** The states to which a task may move from each state. Terminal states have none. */
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

/** Tells if a task may move from one state to another. A task stays `working` over many updates; a terminal state never changes. */
export function mayMove(from: A2ATaskState, to: A2ATaskState): boolean {
  return moves[from].includes(to);
}

/** Tells if a state ends a task. */
export function isTerminal(state: A2ATaskState): boolean {
  return moves[state].length === 0;
}

/** Tells if a task waits for its client: for an answer, or for credentials. */
export function isInterrupted(state: A2ATaskState): boolean {
  return state === "input-required" || state === "auth-required";
}

/** Returns the last messages of a history, all when no number is given. */
export function lastMessages(history: readonly A2AMessage[], length: number | undefined): readonly A2AMessage[] {
  if (length === undefined || length >= history.length) return history;
  return length === 0 ? [] : history.slice(-length);
}
