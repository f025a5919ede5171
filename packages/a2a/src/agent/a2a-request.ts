import type { RunContext } from "@troupe/core";
import type { A2AMessage } from "../wire/task.ts";
import { isObject } from "./parts.ts";

/** The A2A message that began a run, without its content. An agent finds it at `metadata.a2a` of its run. */
export type A2ARequest = Pick<A2AMessage, "messageId" | "metadata" | "extensions" | "referenceTaskIds"> & {
  /** Media types that the client accepts. Absent: any type. */
  acceptedOutputModes?: readonly string[];
};

/**
 * Returns the message that began a run, from the run's context or options. Undefined for a run that no A2A message
 * began.
 */
export function readA2ARequest({ metadata }: Partial<Pick<RunContext, "metadata">>): A2ARequest | undefined {
  const request = metadata?.["a2a"];
  return isObject(request) && typeof request["messageId"] === "string" ? (request as A2ARequest) : undefined;
}

/**
 * Returns the metadata of a run that an A2A message begins: the host's metadata, and the message without its content.
 */
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
