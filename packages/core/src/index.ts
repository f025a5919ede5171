import { checkRuntime } from "./base/util/check-runtime.ts";

// Agents.
export { Agent } from "./agents/agent/agent.ts";
export type { AgentOutput } from "./agents/agent/agent.ts";
export type { AgentConfig } from "./agents/agent/agent-config.ts";
export type { ModelCallChanges } from "./agents/agent/prepare-step.ts";
export type { AgentHooks } from "./agents/agent/agent-config.ts";

// Teams.
export { Team } from "./agents/team/team.ts";
export type { TeamConfig, TeamMode } from "./agents/team/team-config.ts";

// Workflows.
export { Workflow } from "./agents/workflow/workflow.ts";
export type { WorkflowRunOpts } from "./agents/workflow/workflow.ts";
export type { WorkflowConfig } from "./agents/workflow/workflow-config.ts";
export type { WorkflowStream } from "./agents/workflow/workflow-stream.ts";
export { WorkflowError } from "./agents/workflow/workflow-result.ts";
export type {
  WorkflowChunk,
  WorkflowResult,
  StepEvent,
  StepResult,
  StepStatus,
} from "./agents/workflow/workflow-result.ts";
export type { WorkflowRunnable } from "./agents/workflow/workflow-runnable.ts";
export type { WorkflowStep, AgentStep, StepContext } from "./agents/workflow/workflow-step.ts";

// Tools.
export { defineTool } from "./agents/tool/define-tool.ts";
export type { ToolDefinition } from "./agents/tool/define-tool.ts";
export { runnableAsTool } from "./agents/tool/runnable-as-tool.ts";
export type { RunnableToolOptions } from "./agents/tool/runnable-as-tool.ts";
export type {
  ExecutableTool,
  ToolCacheConfig,
  ToolContext,
  ToolDef,
  ToolResult,
  ToolReturn,
  ToolSource,
} from "./agents/run/tool.ts";
export type { Artifact, ToolArtifact, ToolCall, ToolCallResult, ToolEffect } from "./base/message/tool-call.ts";

// Guardrails.
export type { Guardrail, GuardrailConfig } from "./agents/guardrail/guardrail.ts";
export { GuardrailError } from "./base/errors/guardrail-error.ts";

// Runs.
export type { Runnable, RunStream } from "./agents/run/runnable.ts";
export type { PartialValue } from "./agents/run/stream-views.ts";
export type { RunContext } from "./agents/run/run-context.ts";
export { RunError } from "./agents/run/run-output.ts";
export type { RunEvents } from "./agents/run/run-events.ts";
export type { HostRunOptions } from "./agents/agent/host-run-options.ts";
export type { RunLimits, RunOpts } from "./agents/run/run-options.ts";
export type { RunAdditions } from "./agents/run/run-additions.ts";
export type {
  CompleteRunOutput,
  UnstructuredRunOutput,
  RunMetrics,
  RunOutput,
  StructuredRunOutput,
} from "./agents/run/run-output.ts";
export type { StreamChunk, TextChunk, WaitChunk } from "./agents/run/stream-chunk.ts";
export type { ApiKeys } from "./model/keys/api-keys.ts";
export { keyHeaders } from "./model/keys/key-headers.ts";
export type { Source } from "./base/message/source.ts";
export type { TokenUsage } from "./base/message/token-usage.ts";

// Durable runs.
export type { RunWait, WaitKind } from "./agents/run/run-wait.ts";

// Sessions.
export { SessionStore } from "./sessions/session/session-store.ts";
export type { TurnPartPosition } from "./sessions/session/read-turns.ts";
export type { SessionAccess } from "./sessions/session/session-access.ts";
export type { TurnCollector, TurnPage } from "./sessions/session/read-turn-page.ts";
export type { TurnPart } from "./sessions/session/turn-part.ts";
export type { SessionInfo } from "./sessions/session/session-record.ts";
export type { SessionOwner } from "./sessions/storage/session-owner.ts";
export type { SessionPage } from "./sessions/session/list-sessions.ts";
export type { OpenSession } from "./sessions/session/open-session.ts";
export type { PageOptions } from "./sessions/session/page.ts";
export type { StoredTurn, TurnRecord } from "./sessions/session/turn-record.ts";
export type { TurnToolResult } from "./sessions/session/turn-tool-result.ts";

// Memory and facts about users.
export type { AgentMemory } from "./agents/memory/agent-memory.ts";
export type { AgentUserMemory } from "./agents/memory/agent-user-memory.ts";
export { Memory } from "./agents/memory/memory.ts";
export type { MemoryOptions, RecalledMemory } from "./agents/memory/memory-options.ts";
export { UserMemory } from "./agents/memory/user-memory.ts";
export type { UserMemoryOptions } from "./agents/memory/user-memory.ts";
export type { UserFact } from "./agents/memory/user-fact.ts";

// Knowledge.
export { KnowledgeBase } from "./knowledge/knowledge-base.ts";
export type { KnowledgeBaseConfig } from "./knowledge/knowledge-base-config.ts";
export type { Chunking } from "./knowledge/chunking.ts";
export type { TextRange } from "./knowledge/split-text.ts";
export type { DocumentPosition } from "./knowledge/pieces.ts";
export type { KnowledgeSearchResult } from "./knowledge/join-results.ts";
export type { Rerank } from "./knowledge/rerank-results.ts";
export type {
  DocumentContent,
  SyncDocument,
  SyncDocuments,
  SyncOptions,
  SyncProgress,
} from "./knowledge/sync-documents.ts";
export { AddDocumentsError } from "./knowledge/add-documents-error.ts";
export { InMemoryVectorStore } from "./knowledge/vector/in-memory-vector-store.ts";
export type {
  VectorDocument,
  VectorSearchOptions,
  VectorSearchResult,
  VectorStore,
} from "./knowledge/vector/vector-store.ts";
export type { EmbeddingProvider, EmbedOptions } from "./knowledge/vector/embedding-provider.ts";

// Storage.
export { InMemoryStorage } from "./sessions/storage/in-memory-storage.ts";
export type { StorageDriver } from "./sessions/storage/storage-driver.ts";
export type { Json } from "./sessions/storage/json.ts";

// Models.
export { fallbackModel } from "./model/fallback-model.ts";
export type { ModelProvider } from "./model/model-provider.ts";
export type { NetworkOptions } from "./provider/network.ts";
export type { FetchFunction } from "./provider/wire/fetch-sender.ts";
export type { UndiciDispatcher } from "./provider/wire/proxy-sender.ts";
export type { EmbeddingProviderOptions, ModelProviderOptions } from "./provider/provider-options.ts";
export type { ModelResponse } from "./model/model-response.ts";
export type {
  ModelConfig,
  ModelOptions,
  ModelSettings,
  ReasoningConfig,
  ReasoningEffort,
  ResponseFormat,
  ToolChoice,
  ToolSpec,
  VendorOptions,
} from "./model/model-config.ts";
export type { FinishReason } from "./model/model-chunk.ts";
export { ModelError } from "./base/errors/model-error.ts";
export { isRetryable } from "./base/retry/is-retryable.ts";
export { withRetry } from "./base/retry/with-retry.ts";
export type { RetryConfig } from "./base/retry/retry-config.ts";

// Messages.
export type { ChatMessage, MessageRole } from "./base/message/message.ts";
export { getTextContent, isMultiModal } from "./base/message/content.ts";
export type { MessageContent, ContentPart, TextPart, ImagePart, AudioPart, FilePart } from "./base/message/content.ts";

// Schemas.
export type { InferSchema, JsonSchema, ObjectSchema } from "./schema/object-schema.ts";
export { SchemaError } from "./schema/schema-error.ts";
export type { SchemaIssue } from "./schema/schema-issue.ts";

// Errors.
export { errorCodes, TroupeError } from "./base/errors/troupe-error.ts";
export type { ErrorCode, ErrorFields } from "./base/errors/troupe-error.ts";

// Events and logs.
export { RunEventBus as EventBus } from "./agents/run/run-event-bus.ts";
export type { EventBusOptions } from "./base/events/event-bus.ts";
export { createLogger } from "./base/log/logger.ts";
export type { Logger, LoggerOptions } from "./base/log/logger.ts";
export type { Telemetry } from "./base/telemetry/telemetry.ts";
export type { LogLevel } from "./base/log/log-level.ts";

// The runtime is checked at import, because a runtime that is too old would fail in each run.
checkRuntime();
