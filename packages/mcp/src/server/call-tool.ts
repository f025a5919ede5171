import { TroupeError } from "@troupe/core";
import type { MessageContent, RunOpts, Telemetry } from "@troupe/core";
import { toTroupeError } from "@troupe/core/kit";
import { checkSessionId, readRunFields, toPublicError, toServiceRequest } from "@troupe/core/transport";
import type { Principal } from "@troupe/core/service";
import type { RequestedRun, RequestRecord, RequestSource, ServedRun, Service } from "@troupe/core/transport";
import type { CallToolResult } from "@modelcontextprotocol/server";
import { ProgressReport } from "./progress-report.ts";
import type { SendProgress } from "./progress-report.ts";
import { toResult } from "./tool-result.ts";
import type { EndedRun } from "./tool-result.ts";
import type { ServedTool } from "./served-tools.ts";

/** The caller of a tool: the user and the keys of its request, and the secrets that must not be logged. */
export type Caller = {
  /** The request of the caller, for the host's functions. Undefined for a caller without an HTTP request of its own. */
  readonly source?: RequestSource;
  /**
   * Facts about the HTTP request of the caller, for its log, and for platforms that wait for work that outlives an
   * answer.
   */
  readonly record?: RequestRecord;
  /** Aborts when the client has disconnected. */
  readonly signal?: AbortSignal;
  /** Resolves when the HTTP response is sent or the client has disconnected. */
  readonly answered?: Promise<void>;
  /** The session id that a client of an earlier revision sends over HTTP. It is a secret of that client. */
  readonly session?: string;
  /** The remote address of the caller, if the host trusts it. */
  readonly address?: string | undefined;
  readonly opts: Pick<RunOpts, "userId" | "tenantId" | "apiKey" | "apiKeys">;
  readonly secrets: readonly (string | undefined)[];
};

/** One call of a tool by a client. */
export type ToolCall = {
  readonly tool: ServedTool;
  readonly args: Readonly<Record<string, unknown>>;
  readonly caller: Caller;
  readonly signal: AbortSignal;
  /** Sends the progress of the call to the client. Undefined if the client did not ask for progress. */
  readonly sendProgress: SendProgress | undefined;
  readonly service: Service;
  readonly maxMediaBytes: number;
  readonly requestId?: string;
  /** The metadata of the request, which may name the trace of the client. */
  readonly meta?: Readonly<Record<string, unknown>> | undefined;
};

/** Error codes that describe a fault of the service, not of the request. */
const ownFaults: ReadonlySet<string | undefined> = new Set([
  "internal",
  "crashed",
  "invalid_config",
  "invalid_value",
  "storage_unavailable",
  "storage_corrupt",
]);

/** Returns the source of requests that did not come over HTTP, with the user of their connection. */
export function localSource(principal?: Principal): RequestSource {
  const facts = { protocol: "mcp", method: "", path: "", headers: {}, remoteAddress: undefined, native: undefined };
  return { remoteAddress: undefined, toRequest: () => toServiceRequest({ ...facts, principal }) };
}

/**
 * Runs the agent, team or workflow of a served tool and returns the tool's result. A failed run is also a result,
 * marked as an error, with its message for clients.
 */
export async function callServedTool(call: ToolCall): Promise<CallToolResult> {
  const telemetry = telemetryFor(call, call.service);
  if (telemetry === undefined) return await runServedTool(call);
  const operation = telemetry.begin("mcp", {
    side: "server",
    method: "tools/call",
    toolName: call.tool.definition.name,
    requestId: call.requestId,
    transport: call.caller.source === undefined ? "pipe" : "tcp",
  });
  const result = await operation.run(() => runServedTool(call));
  operation.end({ isToolError: result.isError === true });
  return result;
}

/** Returns the telemetry of a call, which belongs to the trace in its metadata, or else in its HTTP headers. */
function telemetryFor({ meta, caller }: Pick<ToolCall, "meta" | "caller">, service: Service): Telemetry | undefined {
  if (service.settings.telemetry === undefined) return undefined;
  if (meta?.["traceparent"] !== undefined || caller.source === undefined) return service.telemetryFor(meta ?? {});
  const { headers } = caller.source.toRequest();
  return service.telemetryFor({ traceparent: headers.get("traceparent"), tracestate: headers.get("tracestate") });
}

async function runServedTool(call: ToolCall): Promise<CallToolResult> {
  const { tool, caller, signal, service, maxMediaBytes } = call;
  const { record = {} } = caller;
  let runId: string | undefined;
  try {
    const requested = await readRequestedRun(call, service);
    ({ runId } = requested.opts);
    signal.throwIfAborted();
    const { kind, name } = tool.target;
    const run = await service.servedRuns.begin(requested, { kind, name, endsWithClient: true });
    record.runId = runId = run.runId;
    const ended = await untilOver(run, call);
    record.tokens = ended.output.usage.totalTokens;
    return toResult(ended, maxMediaBytes);
  } catch (thrown) {
    const error = toTroupeError(signal.aborted ? signal.reason : thrown);
    logFailure(error, runId, call);
    return { content: [{ type: "text", text: toPublicError(error).message }], isError: true };
  }
}

/** Reads a tool call as a request for a run. Throws the error of a call that cannot begin. */
export async function readRequestedRun(
  { tool, args, caller, meta }: Pick<ToolCall, "tool" | "args" | "caller" | "meta">,
  service: Service,
): Promise<RequestedRun<unknown, unknown>> {
  const { input, sessionId } = readArguments(tool, args);
  const { address, source = localSource() } = caller;
  const { userId, tenantId, apiKeys = {}, apiKey } = caller.opts;
  const hostOptions = await service.runOptionsFor(source);
  return readRunFields(
    { sessionId },
    {
      subject: tool.target.entry,
      readInput: () => input,
      principal: userId === undefined ? undefined : { userId, ...(tenantId !== undefined && { tenantId }) },
      bodyUserId: service.settings.bodyUserId,
      hostOptions,
      readKeys: () => ({ apiKeys, ...(apiKey !== undefined && { apiKey }) }),
      address,
      telemetry: telemetryFor({ caller, meta }, service),
    },
  );
}

/** Waits until a run is over, and cancels it when its client cancels the call. Rejects with the failure of the run. */
async function untilOver(run: ServedRun, { signal, sendProgress }: ToolCall): Promise<EndedRun> {
  const { runId, sessionId } = run;
  const leave = (): void => run.disconnect();
  signal.addEventListener("abort", leave);
  if (signal.aborted) leave();
  try {
    const settled = sendProgress === undefined ? await run.settled() : await untilReported(run, sendProgress);
    if (settled?.output !== undefined) return { output: settled.output, runId, sessionId };
  } finally {
    signal.removeEventListener("abort", leave);
  }
  // A durable run would wait for its answer, but no client would get its result.
  run.disconnect();
  throw new TroupeError("cancelled", "The run needs an answer, such as an approval. Only a task can wait for one.");
}

/**
 * Reads the events of a run and sends its progress. Resolves with no output if the run waits or the client has left.
 */
async function untilReported(run: ServedRun, send: SendProgress): Promise<Partial<Pick<EndedRun, "output">>> {
  const report = new ProgressReport(send);
  try {
    for await (const event of run.events()) {
      if (event.type === "chunk") report.add(textOf(event.chunk));
      else if (event.type === "failure") throw event.error;
      else if (event.type === "end") return { output: await event.readOutput() };
      else if (event.type === "wait") return {};
    }
    return {};
  } finally {
    report.end();
  }
}

/** Returns the text of a chunk, which comes from an agent, a team, or an agent step of a workflow. */
function textOf(given: object): string {
  const { type, text, chunk, member } = given as { type?: unknown; text?: unknown; chunk?: unknown; member?: unknown };
  if (type === "chunk") return textOf(Object(chunk) as object);
  return type === "text" && typeof text === "string" && member === undefined ? text : "";
}

/** Returns true if an error code describes a fault of the service, not of the request. */
export function isOwnFault(code: string | undefined): boolean {
  return ownFaults.has(code);
}

/** Reads the arguments of a tool call. Throws `invalid_request` for an unknown argument or a wrong type. */
export function readArguments(
  { argument }: ServedTool,
  args: Readonly<Record<string, unknown>>,
): { input: MessageContent; sessionId: string | undefined } {
  const unknown = Object.keys(args).find((name) => name !== argument && name !== "sessionId");
  if (unknown !== undefined) {
    const message = `Unknown argument ${JSON.stringify(unknown.slice(0, 64))}. Expected ${argument} and sessionId.`;
    throw new TroupeError("invalid_request", message);
  }
  const { sessionId } = args;
  return {
    input: argument === "message" ? readMessage(args["message"]) : readTextOrState(args["input"]),
    sessionId: sessionId === undefined || sessionId === null ? undefined : checkSessionId(sessionId),
  };
}

function readMessage(message: unknown): string {
  if (typeof message === "string") return message;
  throw new TroupeError("invalid_request", "message must be a string.");
}

function readTextOrState(input: unknown): MessageContent {
  if (input === undefined || input === null) return {} as MessageContent;
  // A workflow also accepts an object: see `WorkflowInput`.
  if (typeof input === "string" || (typeof input === "object" && !Array.isArray(input))) return input as MessageContent;
  throw new TroupeError("invalid_request", "input must be an object or a string.");
}

function logFailure(error: TroupeError, runId: string | undefined, { tool, caller, service }: ToolCall): void {
  if (error.code === "cancelled" || error.code === "invalid_request") return;
  const redacting = service.logger.withSecrets([...caller.secrets]);
  const fields = { tool: tool.definition.name, ...(runId !== undefined && { runId }), error };
  if (isOwnFault(error.code)) redacting.error("A run for an MCP client failed by a fault of the service.", fields);
  else redacting.warn("A run for an MCP client failed.", fields);
}
