import { toPublicError } from "../../base/errors/public-error.ts";
import { toTroupeError } from "../../base/errors/to-troupe-error.ts";
import type { ErrorCode } from "../../base/errors/troupe-error.ts";
import type { Logger } from "../../base/log/logger.ts";
import type { PublicError } from "../../base/errors/public-error.ts";
import { toLogged } from "../../agents/journal/log-entry.ts";
import type { RunChunk } from "../../agents/run/run-wait.ts";
import type { MessageContent } from "../../base/message/content.ts";
import { fillOutput } from "../../agents/run/complete-output.ts";
import { findRunnable, lookUp } from "../../agents/run/registry.ts";
import { RunError, toPublicOutput } from "../../agents/run/run-output.ts";
import type { AttemptRunOpts } from "../../agents/run/run-options.ts";
import type { Runnable } from "../../agents/run/runnable.ts";
import type { Json } from "../../sessions/storage/json.ts";
import { WorkflowError } from "../../agents/workflow/workflow-result.ts";
import type { WorkflowChunk, WorkflowResult } from "../../agents/workflow/workflow-result.ts";
import type { DurableWorkflow, Registries } from "./run-service-options.ts";
import type { RunKeys, RunKind } from "../record/run-view.ts";

/**
 * A run that has not begun. Reading its chunks drives it, and afterwards its public output is available. `innerOf`
 * returns the object within a chunk that the journal has tagged with its step: for a workflow's event, the inner chunk.
 */
export type StartedRun = {
  chunks: AsyncIterable<RunChunk>;
  innerOf: (chunk: RunChunk) => object;
  output: () => Promise<Json>;
};

/** An agent, a team or a workflow of a service. */
export type DurableTarget = Runnable | DurableWorkflow;

/** Returns the runnable of a kind and name. Throws `not_found` for an unknown runnable. */
export function findTarget(registries: Registries, kind: RunKind, name: string): DurableTarget {
  if (kind === "workflow") return findRunnable(registries.workflows, name, kind);
  return findRunnable(kind === "agent" ? registries.agents : registries.teams, name, kind);
}

/** Returns the runnable of a kind and name; undefined if unknown. */
export function lookUpTarget(registries: Registries, kind: RunKind, name: string): DurableTarget | undefined {
  if (kind === "workflow") return lookUp(registries.workflows, name);
  return lookUp(kind === "agent" ? registries.agents : registries.teams, name);
}

/**
 * Makes a run of a runnable. The run begins when its chunks are read. Throws for wrong input and options immediately.
 */
export function startRun(
  target: DurableTarget,
  { kind, input }: { kind: RunKind; input?: unknown },
  opts: AttemptRunOpts,
): StartedRun {
  return kind === "workflow"
    ? startWorkflow(target as DurableWorkflow, input, opts)
    : startRunnable(target as Runnable, input as MessageContent, opts);
}

function startRunnable(target: Runnable, input: MessageContent, opts: AttemptRunOpts): StartedRun {
  const startedAt = performance.now();
  const stream = target.stream(input, opts);
  return {
    chunks: stream,
    innerOf: (chunk) => chunk,
    output: async () => toJsonValue(toPublicOutput(fillOutput(await stream.output, opts, startedAt))),
  };
}

function startWorkflow(target: DurableWorkflow, input: unknown, opts: AttemptRunOpts): StartedRun {
  const stream = target.stream({ ...opts, ...(input !== undefined && { input: input as string }) });
  let result: WorkflowResult | undefined;
  async function* read(): AsyncGenerator<WorkflowChunk, void> {
    for await (const event of stream as AsyncIterable<WorkflowChunk>) {
      if (event.type === "finish") result = event.result;
      yield event;
    }
  }
  return {
    chunks: read(),
    innerOf: (event) => (event.type === "chunk" ? (event as WorkflowChunk & { type: "chunk" }).chunk : event),
    output: async () => (result === undefined ? null : toPublicResult(result)),
  };
}

/** Returns the end of a failed run: its error, and its public output up to the failure. */
export function toFailedEnd(error: unknown): { error: PublicError; output: Json } {
  const output =
    error instanceof WorkflowError
      ? toPublicResult(error.result)
      : error instanceof RunError
        ? toJsonValue(toPublicOutput(error.output))
        : null;
  return { error: toJsonValue(toPublicError(error)) as PublicError, output };
}

function toPublicResult({ runId, status, state, steps, usage, durationMs, stored }: WorkflowResult): Json {
  return toJsonValue({ runId, status, state, steps, usage, durationMs, ...(stored === false && { stored }) });
}

function toJsonValue(value: unknown): Json {
  return toLogged(value) as Json;
}

/** Codes of failures that only the operator can correct. */
const operatorCodes: readonly ErrorCode[] = ["internal", "invalid_config", "invalid_value"];

/** Logs the cause of a failed run, which its record does not contain, without the caller's API keys. */
export function logFailedRun(
  logger: Logger | undefined,
  thrown: unknown,
  { runId, keys }: { runId: string; keys: RunKeys },
): void {
  const { apiKey, apiKeys = {} } = keys;
  const error = toTroupeError(thrown);
  const redacting = logger?.withSecrets([apiKey, ...Object.values<string | undefined>(apiKeys)]);
  if (operatorCodes.includes(error.code)) redacting?.error("A durable run failed.", { runId, error });
  else redacting?.info("A durable run failed.", { runId, error });
}
