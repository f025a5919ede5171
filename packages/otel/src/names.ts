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

/** The metrics, each with its unit. */
export const metricNames = {
  inferenceDuration: ["gen_ai.client.inference.duration", "s"],
  inferenceFirstChunk: ["gen_ai.client.inference.time_to_first_chunk", "s"],
  inputTokens: ["gen_ai.client.inference.usage.input_tokens", "{token}"],
  outputTokens: ["gen_ai.client.inference.usage.output_tokens", "{token}"],
  cacheReadTokens: ["gen_ai.client.inference.usage.cache_read.input_tokens", "{token}"],
  cacheWriteTokens: ["gen_ai.client.inference.usage.cache_write.input_tokens", "{token}"],
  reasoningTokens: ["gen_ai.client.inference.usage.reasoning.output_tokens", "{token}"],
  operationDuration: ["gen_ai.client.operation.duration", "s"],
  runDuration: ["gen_ai.invoke_agent.duration", "s"],
  runModelCalls: ["gen_ai.invoke_agent.inference_calls", "{call}"],
  runToolCalls: ["gen_ai.invoke_agent.tool_calls", "{call}"],
  toolDuration: ["gen_ai.execute_tool.duration", "s"],
  mcpClientDuration: ["mcp.client.operation.duration", "s"],
  mcpServerDuration: ["mcp.server.operation.duration", "s"],
  runs: ["troupe.runs", "{run}"],
  waits: ["troupe.run.waits", "{wait}"],
  takeovers: ["troupe.run.takeovers", "{takeover}"],
  openStreams: ["troupe.streams.open", "{stream}"],
  queueDepth: ["troupe.queue.depth", "{run}"],
  queueWait: ["troupe.queue.wait", "s"],
  refusals: ["troupe.admission.refusals", "{run}"],
  sessionWait: ["troupe.session.wait", "s"],
  eventLoopP50: ["nodejs.eventloop.delay.p50", "s"],
  eventLoopP99: ["nodejs.eventloop.delay.p99", "s"],
  eventLoopMax: ["nodejs.eventloop.delay.max", "s"],
} as const satisfies Record<string, readonly [name: string, unit: string]>;

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
