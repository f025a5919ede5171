/**
 * All names in this package's traces and metrics: the GenAI conventions of OpenTelemetry, version 0.1.0 (November
 * 2026), and our own names, which begin with `troupe.`. The schema URL of the instrumentation scope contains the
 * version.
 */
export const conventions = {
  version: "0.1.0",
  schemaUrl: "https://opentelemetry.io/schemas/gen-ai/0.1.0",
  scope: "@troupe/otel",
} as const;

/** The values of `gen_ai.operation.name`. */
export const operationNames = {
  run: "invoke_agent",
  workflow: "invoke_workflow",
  model: "chat",
  tool: "execute_tool",
  embeddings: "embeddings",
  retrieval: "retrieval",
  memorySearch: "search_memory",
  memoryUpsert: "upsert_memory",
} as const;

/** The first words of the names of spans that have no operation name in the conventions. */
export const spanNames = { step: "step", accept: "accept_run" } as const;

/** The attributes of spans and metrics. */
export const attributes = {
  operation: "gen_ai.operation.name",
  provider: "gen_ai.provider.name",
  agentName: "gen_ai.agent.name",
  conversationId: "gen_ai.conversation.id",
  outputType: "gen_ai.output.type",
  requestModel: "gen_ai.request.model",
  requestStream: "gen_ai.request.stream",
  requestTemperature: "gen_ai.request.temperature",
  requestTopP: "gen_ai.request.top_p",
  requestMaxTokens: "gen_ai.request.max_tokens",
  requestStop: "gen_ai.request.stop_sequences",
  requestSeed: "gen_ai.request.seed",
  requestReasoning: "gen_ai.request.reasoning.level",
  responseId: "gen_ai.response.id",
  responseModel: "gen_ai.response.model",
  finishReasons: "gen_ai.response.finish_reasons",
  timeToFirstChunk: "gen_ai.response.time_to_first_chunk",
  inputTokens: "gen_ai.usage.input_tokens",
  outputTokens: "gen_ai.usage.output_tokens",
  cacheReadTokens: "gen_ai.usage.cache_read.input_tokens",
  cacheWriteTokens: "gen_ai.usage.cache_write.input_tokens",
  reasoningTokens: "gen_ai.usage.reasoning.output_tokens",
  systemInstructions: "gen_ai.system_instructions",
  inputMessages: "gen_ai.input.messages",
  outputMessages: "gen_ai.output.messages",
  toolDefinitions: "gen_ai.tool.definitions",
  toolName: "gen_ai.tool.name",
  toolCallId: "gen_ai.tool.call.id",
  toolType: "gen_ai.tool.type",
  toolDescription: "gen_ai.tool.description",
  toolArguments: "gen_ai.tool.call.arguments",
  toolResult: "gen_ai.tool.call.result",
  dataSource: "gen_ai.data_source.id",
  topK: "gen_ai.retrieval.top_k",
  query: "gen_ai.retrieval.query.text",
  documents: "gen_ai.retrieval.documents",
  dimensions: "gen_ai.embeddings.dimension.count",
  memoryStore: "gen_ai.memory.store.id",
  memoryCount: "gen_ai.memory.record.count",
  mcpMethod: "mcp.method.name",
  mcpRequestId: "jsonrpc.request.id",
  networkTransport: "network.transport",
  mcpProtocolVersion: "mcp.protocol.version",
  serverAddress: "server.address",
  errorType: "error.type",
  runId: "troupe.run.id",
  runKind: "troupe.run.kind",
  status: "troupe.status",
  runInputTokens: "troupe.run.usage.input_tokens",
  runOutputTokens: "troupe.run.usage.output_tokens",
  attempt: "troupe.attempt",
  attemptDuration: "troupe.attempt.duration",
  waitKind: "troupe.wait.kind",
  takeoverKind: "troupe.takeover.kind",
  stepName: "troupe.step.name",
  stepKind: "troupe.step.kind",
  refusalReason: "troupe.refusal.reason",
} as const;

/** The names that backends from before September 2026 read. The option `compat` adds them to the new names. */
export const earlierAttributes = {
  system: "gen_ai.system",
  cacheWriteTokens: "gen_ai.usage.cache_creation.input_tokens",
  workflowName: "gen_ai.workflow.name",
} as const;

/** The events of spans. */
export const eventNames = {
  attempt: "troupe.model.attempt",
  wait: "troupe.run.wait",
  takeover: "troupe.run.takeover",
} as const;

/** The definition of a metric. Backends show its description. */
type MetricDefinition = { readonly name: string; readonly unit: string; readonly description: string };

/** The metrics. The conventions define some of them: those have the descriptions that the conventions give. */
export const metricDefinitions = {
  inferenceDuration: {
    name: "gen_ai.client.inference.duration",
    unit: "s",
    description: "Duration of a model call over all of its attempts.",
  },
  inferenceFirstChunk: {
    name: "gen_ai.client.inference.time_to_first_chunk",
    unit: "s",
    description: "Time from the beginning of a streamed model call to its first chunk.",
  },
  inferencePerChunk: {
    name: "gen_ai.client.inference.time_per_output_chunk",
    unit: "s",
    description: "Time from one chunk of a streamed model call to the next.",
  },
  inputTokens: {
    name: "gen_ai.client.inference.usage.input_tokens",
    unit: "{token}",
    description: "Input tokens of model calls, with those that were read from a cache or written to it.",
  },
  outputTokens: {
    name: "gen_ai.client.inference.usage.output_tokens",
    unit: "{token}",
    description: "Output tokens of model calls, with those of reasoning.",
  },
  cacheReadTokens: {
    name: "gen_ai.client.inference.usage.cache_read.input_tokens",
    unit: "{token}",
    description: "Input tokens of model calls that were read from the vendor's cache.",
  },
  cacheWriteTokens: {
    name: "gen_ai.client.inference.usage.cache_write.input_tokens",
    unit: "{token}",
    description: "Input tokens of model calls that were written to the vendor's cache.",
  },
  reasoningTokens: {
    name: "gen_ai.client.inference.usage.reasoning.output_tokens",
    unit: "{token}",
    description: "Output tokens of model calls that were spent on reasoning.",
  },
  operationDuration: {
    name: "gen_ai.client.operation.duration",
    unit: "s",
    description: "Duration of an embedding request, a search of a knowledge base, or an access to memory.",
  },
  runDuration: {
    name: "gen_ai.invoke_agent.duration",
    unit: "s",
    description: "Duration of a run, or of one attempt at a durable run.",
  },
  runModelCalls: {
    name: "gen_ai.invoke_agent.inference_calls",
    unit: "{call}",
    description: "Model calls of a run, without those of its child runs.",
  },
  runToolCalls: {
    name: "gen_ai.invoke_agent.tool_calls",
    unit: "{call}",
    description: "Tool calls of a run, without those of its child runs.",
  },
  toolDuration: { name: "gen_ai.execute_tool.duration", unit: "s", description: "Duration of a tool call." },
  mcpClientDuration: {
    name: "mcp.client.operation.duration",
    unit: "s",
    description: "Duration of a request to an MCP server, as its client has observed it.",
  },
  mcpServerDuration: {
    name: "mcp.server.operation.duration",
    unit: "s",
    description: "Duration of a request of an MCP client, as the server has observed it.",
  },
  mcpClientSession: {
    name: "mcp.client.session.duration",
    unit: "s",
    description: "Duration of an MCP session, as its client has observed it.",
  },
  mcpServerSession: {
    name: "mcp.server.session.duration",
    unit: "s",
    description: "Duration of an MCP session, as the server has observed it.",
  },
  runs: {
    name: "troupe.runs",
    unit: "{run}",
    description: "Runs that have ended, and attempts at durable runs that have paused.",
  },
  waits: { name: "troupe.run.waits", unit: "{wait}", description: "Waits of durable runs for an answer." },
  takeovers: {
    name: "troupe.run.takeovers",
    unit: "{takeover}",
    description: "Attempts that have continued a durable run.",
  },
  openStreams: { name: "troupe.streams.open", unit: "{stream}", description: "Open streams of events to clients." },
  queueDepth: {
    name: "troupe.queue.depth",
    unit: "{run}",
    description: "Durable runs that wait to be performed.",
  },
  queueAge: {
    name: "troupe.queue.age",
    unit: "s",
    description: "Time for which the oldest waiting durable run could have been performed.",
  },
  queueWait: {
    name: "troupe.queue.wait",
    unit: "s",
    description: "Time that a durable run has waited to be performed.",
  },
  refusals: {
    name: "troupe.admission.refusals",
    unit: "{run}",
    description: "Runs that were refused, because the queue or the caller's share of it was full.",
  },
  sessionWait: {
    name: "troupe.session.wait",
    unit: "s",
    description: "Time that a run has waited for its session.",
  },
  eventLoopP50: {
    name: "nodejs.eventloop.delay.p50",
    unit: "s",
    description: "Median delay of the event loop since the last collection.",
  },
  eventLoopP99: {
    name: "nodejs.eventloop.delay.p99",
    unit: "s",
    description: "99th percentile of the event loop's delay since the last collection.",
  },
  eventLoopMax: {
    name: "nodejs.eventloop.delay.max",
    unit: "s",
    description: "Longest delay of the event loop since the last collection.",
  },
} as const satisfies Record<string, MetricDefinition>;

/** Vendor names in the conventions, by the id of our provider. Other vendors keep their ids. */
const providerNames: Readonly<Record<string, string>> = {
  google: "gcp.gemini",
  vertex: "gcp.vertex_ai",
  bedrock: "aws.bedrock",
  azure: "azure.ai.openai",
  mistral: "mistral_ai",
  xai: "x_ai",
  watsonx: "ibm.watsonx.ai",
  moonshot: "moonshot_ai",
};

/** Returns the name of a vendor in the conventions. */
export function providerName(providerId: string): string {
  return Object.hasOwn(providerNames, providerId) ? (providerNames[providerId] ?? providerId) : providerId;
}
