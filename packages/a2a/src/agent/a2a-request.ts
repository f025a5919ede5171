import type { RunContext } from "@troupe/core";
import type { A2AMessage } from "../wire/task.ts";
import { isObject } from "./parts.ts";

/** The message of a client beside its content, as the agent finds it at `metadata.a2a` of its run. */
export type A2ARequest = Pick<A2AMessage, "messageId" | "metadata" | "extensions" | "referenceTaskIds"> & {
  /** Media types that the client takes; absent for any. */
  acceptedOutputModes?: readonly string[];
};

/** Returns the message that began a run, from its context or its options: undefined for a run of another protocol. */
export function readA2ARequest({ metadata }: Partial<Pick<RunContext, "metadata">>): A2ARequest | undefined {
  const request = metadata?.["a2a"];
  return isObject(request) && typeof request["messageId"] === "string" ? (request as A2ARequest) : undefined;
}

/** Returns the metadata of the run that a message begins: those of the host, and the message. */
export function toRunMetadata(
  message: A2AMessage,
  { outputModes, ofHost }: { outputModes: string[] | undefined; ofHost: Record<string, unknown> | undefined },
): Record<string, unknown> {
  const { messageId, metadata, extensions, referenceTaskIds } = message;
  const request: A2ARequest = {
    messageId,
    ...(metadata !== undefined && { metadata }),
    ...(extensions !== undefined && { extensions }),
    ...(referenceTaskIds !== undefined && { referenceTaskIds }),
    ...(outputModes !== undefined && { acceptedOutputModes: outputModes }),
  };
  return { ...ofHost, a2a: request };
}
