import type { CardFacts } from "../card/agent-card.ts";
import type { A2AError, A2AErrorKind, RpcError } from "./a2a-error.ts";
import type { A2ACall, A2AOperation } from "./call.ts";
import type { PushPage, TaskPushConfig } from "./push-config.ts";
import type { A2AEvent, A2ATask, A2ATaskPage, A2ATaskState } from "./task.ts";

/** A version of A2A, without the patch number. */
export type A2AVersion = "0.2" | "0.3" | "1.0";

/** The answer to a message that was not streamed: a task, or a message instead of a task. */
type SendAnswer = Extract<A2AEvent, { type: "task" | "message" }>;

/** The body and the content type of a push notification. */
export type NotificationBody = { readonly contentType: string; readonly body: object };

/** Reads and writes one version of A2A. Everything that differs between versions is here. */
export interface Dialect {
  readonly version: A2AVersion;
  /** Reads the parameters of an A2A operation. Throws an `A2AError` that names a wrong parameter. */
  readCall(op: A2AOperation, params: Readonly<Record<string, unknown>>): A2ACall;
  /** Writes the result of the A2A operations `get` and `cancel`. */
  writeTask(task: A2ATask): object;
  /** Writes the result of the A2A operation `send`. */
  writeAnswer(answer: SendAnswer): object;
  /** Writes the result that one frame of a stream carries. */
  writeEvent(event: A2AEvent): object;
  /** Writes the result of the A2A operation `list`. */
  writePage(page: A2ATaskPage): object;
  /** Writes the result of the A2A operation `extended-card`. */
  writeCard(card: CardFacts): object;
  /** The error for a request for an extended card that no card declares. */
  readonly noExtendedCard: A2AErrorKind;
  /**
   * Writes the result of the A2A operations `set-push` and `get-push`, without the credentials of the notifications.
   */
  writePush(config: TaskPushConfig): object;
  /** Writes the result of the A2A operation `list-push`. */
  writePushPage(page: PushPage): object;
  /**
   * Writes the push notification for an event. `task` is the task after the event. Undefined for events without a
   * notification.
   */
  writeNotification(event: A2AEvent, task: A2ATask): NotificationBody | undefined;
  /** The result of the A2A operation `delete-push`. */
  readonly deletedPush: object | null;
  /** The id of a push config whose client chose no id; undefined to make a new id each time. */
  readonly defaultPushId: string | undefined;
  /** Writes the error object of a JSON-RPC response. */
  writeError(error: A2AError): RpcError;
  /** Returns true if a stream ends after a status with this state. */
  endsStream(state: A2ATaskState): boolean;
  /**
   * True if a request to cancel a task that is already canceled is answered with the task; false if it is answered with
   * the error `task-not-cancelable`.
   */
  readonly cancelsAgain: boolean;
  /**
   * True if a call that follows a task is always answered with a stream, even for a finished task, and with an error as
   * the only frame: clients of 0.x accept nothing else. False if such errors are sent as JSON, and a call that follows
   * a finished task is refused with `unsupported-operation`.
   */
  readonly resumesEnded: boolean;
  /** True if the last status of a task repeats the answer as its message, where clients of 0.x look for it. */
  readonly repeatsAnswer: boolean;
}
