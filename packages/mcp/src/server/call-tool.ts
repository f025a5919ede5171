import { TroupeError } from "@troupe/core";
import type { Logger, MessageContent, RunOpts, RunOutput, TokenUsage } from "@troupe/core";
import { createId, toTroupeError } from "@troupe/core/kit";
import { checkSessionId, completeOutput, readHostRunOptions, toPublicError } from "@troupe/core/transport";
import type { CallToolResult } from "@modelcontextprotocol/server";
import type { McpRequest } from "./answer-request.ts";
import { readMedia } from "./media-content.ts";
import type { ServedTool } from "./served-tools.ts";

/** The caller of a tool: the user and keys of its request, and the values of it that must not be logged. */
export type Caller = {
  /** Undefined over stdio. */
  readonly request?: McpRequest;
  /** Aborts when the client has left. */
  readonly signal?: AbortSignal;
  /** Resolves when the response over HTTP is sent, or the client has left. */
  readonly answered?: Promise<void>;
  /** The session that a client of an earlier revision names over HTTP. It is a secret of that client. */
  readonly session?: string;
  /** The remote address, where the host trusts it. */
  readonly address?: string | undefined;
  readonly opts: Pick<RunOpts, "userId" | "tenantId" | "apiKey" | "apiKeys">;
  readonly secrets: readonly (string | undefined)[];
};

/**
 * The option `runOptions`: returns options of the run that a request asks for. The request is undefined over stdio. An error
 * that it throws is the result.
 */
export type McpRunOptions = (
  request: McpRequest | undefined,
) => McpHostRunOptions | undefined | Promise<McpHostRunOptions | undefined>;

/** Options that the host gives to a run, over the agent's own. */
export type McpHostRunOptions = Pick<
  RunOpts,
  "metadata" | "limits" | "modelOptions" | "model" | "instructions" | "tools"
>;

/** Function that tells a client of progress: a number that grows, and what is new. */
export type SendProgress = (progress: { progress: number; message?: string }) => Promise<void>;

/** One call of a tool by a client. */
export type ToolCall = {
  readonly tool: ServedTool;
  readonly args: Readonly<Record<string, unknown>>;
  readonly caller: Caller;
  readonly signal: AbortSignal;
  /** Undefined if the client did not ask for progress. */
  readonly sendProgress: SendProgress | undefined;
  readonly settings: CallSettings;
};

/** The settings of the server that concern the call of a tool. */
type CallSettings = {
  readonly logger: Logger;
  readonly runOptions?: McpRunOptions;
  readonly maxMediaBytes: number;
};

/** The shortest time between two messages of progress, in milliseconds. */
const progressPauseMs = 250;
/** The longest: clients that hear nothing for a minute give a call up. */
const progressPulseMs = 10_000;

/** Codes that speak of the service and not of the request. */
const ownFaults: ReadonlySet<string | undefined> = new Set([
  "internal",
  "crashed",
  "invalid_config",
  "invalid_value",
  "storage_unavailable",
  "storage_corrupt",
]);

/**
 * Runs the runnable of a tool and returns its result. A run that fails is a result too, marked as an error, with the
 * message that clients may see.
 */
export async function callServedTool(call: ToolCall): Promise<CallToolResult> {
  const { caller, signal, settings } = call;
  const runId = createId();
  try {
    const { input, sessionId } = readArguments(call.tool, call.args);
    const session = sessionId === undefined ? { sessionId: createId(), isNewSession: true } : { sessionId };
    const hostOptions = settings.runOptions && readHostRunOptions(await settings.runOptions(caller.request));
    const opts: RunOpts = { ...hostOptions, ...caller.opts, ...session, runId, fromOutside: true, signal };
    const startedAt = performance.now();
    const output = completeOutput(await run(call, input, opts), opts, startedAt);
    return toResult(output, settings.maxMediaBytes);
  } catch (thrown) {
    logFailure(toTroupeError(thrown, signal), runId, call);
    return { content: [{ type: "text", text: toPublicError(toTroupeError(thrown, signal)).message }], isError: true };
  }
}

/** Tells whether a code speaks of the service and not of the request. */
export function isOwnFault(code: string | undefined): boolean {
  return ownFaults.has(code);
}

/** Reads the arguments of a call. Throws `invalid_request` for one that is unknown or of a wrong type. */
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
    input: argument === "message" ? readMessage(args["message"]) : readWorkflowInput(args["input"]),
    sessionId: sessionId === undefined || sessionId === null ? undefined : checkSessionId(sessionId),
  };
}

function readMessage(message: unknown): string {
  if (typeof message === "string") return message;
  throw new TroupeError("invalid_request", "message must be a string.");
}

function readWorkflowInput(input: unknown): MessageContent {
  if (input === undefined || input === null) return {} as MessageContent;
  // A workflow takes an object too: see `WorkflowInput`.
  if (typeof input === "string" || (typeof input === "object" && !Array.isArray(input))) return input as MessageContent;
  throw new TroupeError("invalid_request", "input must be an object or a string.");
}

async function run({ tool, sendProgress }: ToolCall, input: MessageContent, opts: RunOpts): Promise<RunOutput> {
  if (sendProgress === undefined) return await tool.runnable.run(input, opts);
  const stream = tool.runnable.stream(input, opts);
  const report = new ProgressReport(sendProgress);
  try {
    for await (const chunk of stream) if (chunk.type === "text") report.add(chunk.text);
    return await stream.output;
  } finally {
    report.end();
  }
}

/** The progress of one run: its new text, at most four times a second, and a sign of life where there is none. */
class ProgressReport {
  readonly #send: SendProgress;
  readonly #pulse: NodeJS.Timeout;
  #count = 0;
  #text = "";
  #sentAt = -Infinity;

  constructor(send: SendProgress) {
    this.#send = send;
    this.#pulse = setInterval(() => this.#flush(), progressPulseMs).unref();
  }

  add(text: string): void {
    this.#text += text;
    if (performance.now() - this.#sentAt >= progressPauseMs) this.#flush();
  }

  end(): void {
    clearInterval(this.#pulse);
  }

  #flush(): void {
    const message = this.#text;
    this.#text = "";
    this.#sentAt = performance.now();
    // A client that is gone ends the run by its signal.
    this.#send({ progress: ++this.#count, ...(message !== "" && { message }) }).catch(() => {});
  }
}

/** Makes the result of a call from the output of its run. */
export function toResult(output: RunOutput, maxMediaBytes: number): CallToolResult {
  const { text, structured, sessionId, runId, usage } = output;
  const structuredContent = {
    text,
    ...(structured !== undefined && structured !== null && { structured }),
    sessionId,
    runId,
    usage: toPublicUsage(usage),
  };
  return { content: [{ type: "text", text }, ...readMedia(output, maxMediaBytes)], structuredContent };
}

/** The counts alone: what the vendor sent beside them is for the service. */
function toPublicUsage({ providerMetrics: _metrics, ...counts }: TokenUsage): Omit<TokenUsage, "providerMetrics"> {
  return counts;
}

function logFailure(error: TroupeError, runId: string, { tool, caller, settings }: ToolCall): void {
  if (error.code === "cancelled" || error.code === "invalid_request") return;
  const redacting = settings.logger.withSecrets([...caller.secrets]);
  const fields = { tool: tool.definition.name, runId, error };
  if (isOwnFault(error.code)) redacting.error("A run for an MCP client failed by a fault of the service.", fields);
  else redacting.warn("A run for an MCP client failed.", fields);
}
