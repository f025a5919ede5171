import type { MessageContent } from "../message/content.ts";
import type { StreamChunk } from "./stream-chunk.ts";
import type { TroupeError } from "../errors/troupe-error.ts";
import type { RunOutput } from "./run-output.ts";

type OfRun<Data> = { runId: string; parentRunId?: string } & Data;

/**
 * The events that runs emit on an event bus, each name with its data. Every run has one `run.start` and one of
 * `run.complete` and `run.error`.
 */
export type RunEvents = {
  "run.start": OfRun<{ agentName: string; input: MessageContent }>;
  "run.complete": OfRun<{ output: RunOutput }>;
  "run.error": OfRun<{ error: TroupeError }>;
  "run.stream.chunk": OfRun<{ chunk: StreamChunk }>;
  "tool.call": OfRun<{ toolCallId: string; toolName: string; args: Record<string, unknown> }>;
  "tool.result": OfRun<{ toolCallId: string; toolName: string; result: string }>;
};
