import type { CardFacts } from "../card/agent-card.ts";
import type { A2AError, A2AErrorKind, RpcError } from "./a2a-error.ts";
import type { A2ACall, A2AOperation } from "./call.ts";
import type { PushPage, TaskPushConfig } from "./push-config.ts";
import type { A2AEvent, A2ATask, A2ATaskPage, A2ATaskState } from "./task.ts";

/** A version of the protocol, without its patch. */
export type A2AVersion = "0.2" | "0.3" | "1.0";

/** The answer to a message that was not streamed: the task, or a message where there is no task. */
type SendAnswer = Extract<A2AEvent, { type: "task" | "message" }>;

/** The body of a push notification, and its content type. */
type NotificationBody = { readonly contentType: string; readonly body: object };

/** Reads and writes one version of the protocol: everything that depends on the version. */
export interface Dialect {
  readonly version: A2AVersion;
  /** Reads the parameters of an operation. Throws an `A2AError` that names the parameter that is wrong. */
  readCall(op: A2AOperation, params: Readonly<Record<string, unknown>>): A2ACall;
  /** Writes the result of `get` and `cancel`. */
  writeTask(task: A2ATask): object;
  /** Writes the result of `send`. */
  writeAnswer(answer: SendAnswer): object;
  /** Writes the result in one frame of a stream. */
  writeEvent(event: A2AEvent): object;
  /** Writes the result of `list`. */
  writePage(page: A2ATaskPage): object;
  /** Writes the result of `extended-card`. */
  writeCard(card: CardFacts): object;
  /** The error for a client that asks for an extended card where no card declares one. */
  readonly noExtendedCard: A2AErrorKind;
  /** Writes the result of `set-push` and `get-push`. What authenticates the notifications is not told. */
  writePush(config: TaskPushConfig): object;
  /** Writes the result of `list-push`. */
  writePushPage(page: PushPage): object;
  /** Writes the push notification of an event of a task, which is as the task says; undefined for one that has none. */
  writeNotification(event: A2AEvent, task: A2ATask): NotificationBody | undefined;
  /** The result of `delete-push`. */
  readonly deletedPush: object | null;
  /** The id of a config for which the client has chosen none; undefined for a new one each time. */
  readonly defaultPushId: string | undefined;
  /** Writes the error object of a JSON-RPC response. */
  writeError(error: A2AError): RpcError;
  /** Tells if a stream ends after a status of this state. */
  endsStream(state: A2ATaskState): boolean;
  /** True if the cancel of a canceled task answers with the task again; false if it is `task-not-cancelable`. */
  readonly cancelsAgain: boolean;
  /**
   * True if a stream for a task that is over brings its task and ends, and its errors are frames of the stream: clients of 0.x
   * take nothing else. False if it is `unsupported-operation`, as JSON.
   */
  readonly resumesEnded: boolean;
  /** True if the last status has the answer as its message too, where clients of 0.x look for it. */
  readonly repeatsAnswer: boolean;
}
