import type { PushConfig } from "./push-config.ts";
import type { A2AMessage, A2ATaskState } from "./task.ts";

/** Fields that any call may have: `tenant` and the client's `metadata`, by which an agent can be chosen. */
type CallFields = { tenant?: string; metadata?: Record<string, unknown> };

/** A message for an agent, which begins a task or goes on with one. */
export type SendCall = CallFields & {
  op: "send" | "stream";
  message: A2AMessage;
  /** True if the answer is the task after its end, or when it waits for the client; false for the task as it begins. */
  waits: boolean;
  /** Media types that the client takes; absent for any. */
  outputModes?: string[];
  historyLength?: number;
  /** The address at which the client wants to be notified of the task. */
  push?: PushConfig;
};

/** A call about the push configs of the task with the id. */
export type PushCall = CallFields & { id: string } & (
    | { op: "set-push"; config: PushConfig }
    /** Without `configId`, it asks for the first one. */
    | { op: "get-push"; configId?: string }
    | { op: "list-push"; pageSize?: number; pageToken?: string }
    | { op: "delete-push"; configId: string }
  );

/** A question for a client's tasks. Times are epoch milliseconds. */
export type ListCall = CallFields & {
  op: "list";
  contextId?: string;
  state?: A2ATaskState;
  pageSize: number;
  pageToken?: string;
  historyLength?: number;
  /** Only tasks whose status is from this time or later. */
  since?: number;
  hasArtifacts: boolean;
};

/** A call of a client, in the form that all versions of the protocol share. Everything in it has been checked. */
export type A2ACall =
  | SendCall
  | (CallFields & { op: "get"; id: string; historyLength?: number })
  | (CallFields & { op: "cancel"; id: string })
  | (CallFields & { op: "subscribe"; id: string })
  | (CallFields & { op: "extended-card" })
  | ListCall
  | PushCall;

/** The operation that a client asks for, without its parameters. */
export type A2AOperation = A2ACall["op"];

/** Returns the agent that a call names: by its tenant, else by `agent` in the metadata of the message or of the call. */
export function namedAgent(call: A2ACall): string | undefined {
  if (call.tenant !== undefined) return call.tenant;
  const ofMessage = "message" in call ? call.message.metadata?.["agent"] : undefined;
  const named = ofMessage ?? call.metadata?.["agent"];
  return typeof named === "string" && named !== "" ? named : undefined;
}
