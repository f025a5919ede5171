import type { PushConfig } from "./push-config.ts";
import type { A2AMessage, A2ATaskState } from "./task.ts";

/** Fields that any call may have: `tenant` and the client's `metadata`. Both can name an agent. */
type CallFields = { tenant?: string; metadata?: Record<string, unknown> };

/** A message that begins or continues a task of an agent. */
export type SendCall = CallFields & {
  op: "send" | "stream";
  message: A2AMessage;
  /** True to answer once the task of the message is over or waits for the client; false to answer at once. */
  waits: boolean;
  /** Media types that the client accepts. Absent: any type. */
  outputModes?: string[];
  historyLength?: number;
  /** The push config to set for the task of the message. */
  push?: PushConfig;
};

/** A call about the push configs of the task with this id. */
export type PushCall = CallFields & { id: string } & (
    | { op: "set-push"; config: PushConfig }
    /** Without `configId`, returns the first push config. */
    | { op: "get-push"; configId?: string }
    | { op: "list-push"; pageSize?: number; pageToken?: string }
    | { op: "delete-push"; configId: string }
  );

/** A call that lists a client's tasks. Times are epoch milliseconds. */
export type ListCall = CallFields & {
  op: "list";
  contextId?: string;
  state?: A2ATaskState;
  pageSize: number;
  pageToken?: string;
  historyLength?: number;
  /** Lists only tasks whose status is from this time or later. */
  since?: number;
  hasArtifacts: boolean;
};

/** A call of a client in the form that all A2A versions share. All fields have been checked. */
export type A2ACall =
  | SendCall
  | (CallFields & { op: "get"; id: string; historyLength?: number })
  | (CallFields & { op: "cancel"; id: string })
  | (CallFields & { op: "subscribe"; id: string })
  | (CallFields & { op: "extended-card" })
  | ListCall
  | PushCall;

/** The operation of a call, without its parameters. */
export type A2AOperation = A2ACall["op"];

/** Returns the agent that a call names: its tenant, else `agent` in the metadata of the message or the call. */
export function namedAgent(call: A2ACall): string | undefined {
  if (call.tenant !== undefined) return call.tenant;
  const ofMessage = "message" in call ? call.message.metadata?.["agent"] : undefined;
  const named = ofMessage ?? call.metadata?.["agent"];
  return typeof named === "string" && named !== "" ? named : undefined;
}
