import { checkRuntime } from "./util/check-runtime.ts";

// Agents.
export { Agent } from "./agent/agent.ts";
export type { AgentOutput } from "./agent/agent.ts";
export type { AgentConfig } from "./agent/agent-config.ts";
export type { PrepareStep, StepChanges, UpcomingModelCall } from "./agent/prepare-step.ts";
export type { AgentHooks } from "./agent/agent-config.ts";

// Teams.
export { Team } from "./team/team.ts";
export type { TeamConfig, TeamMode } from "./team/team-config.ts";

// Workflows.
export { Workflow } from "./workflow/workflow.ts";
export type { WorkflowRunOpts } from "./workflow/workflow.ts";
export type { WorkflowConfig, RetryPolicy } from "./workflow/workflow-config.ts";
export type { WorkflowStream } from "./workflow/workflow-stream.ts";
export { WorkflowError } from "./workflow/workflow-result.ts";
export type { WorkflowChunk, WorkflowResult, StepEvent, StepResult, StepStatus } from "./workflow/workflow-result.ts";
export type { WorkflowInput, WorkflowRunnable } from "./workflow/workflow-runnable.ts";
export type {
  PlannedStep,
  WorkflowStep,
  AgentStep,
  ConditionStep,
  FunctionStep,
  ParallelStep,
  StepContext,
} from "./workflow/workflow-step.ts";

// Tools.
export { defineTool } from "./tool/define-tool.ts";
export type { ApprovalVerdict } from "./tool/approve-call.ts";
export type { ToolDefinition } from "./tool/define-tool.ts";
export { runnableAsTool } from "./tool/runnable-as-tool.ts";
export type { RunnableToolOptions } from "./tool/runnable-as-tool.ts";
export type {
  ApprovalCheck,
  DoubtPolicy,
  ExecutableTool,
  ToolCacheConfig,
  ToolContent,
  ToolContext,
  ToolDef,
  ToolResult,
  ToolReturn,
  ToolSource,
} from "./run/tool.ts";
export type { Artifact, ToolArtifact, ToolCall, ToolCallResult, ToolEffect } from "./message/tool-call.ts";

// Guardrails.
export type { Guardrail, GuardrailConfig, GuardrailVerdict } from "./guardrail/guardrail.ts";
export { GuardrailError } from "./errors/guardrail-error.ts";
export type { GuardrailRefusal } from "./errors/guardrail-error.ts";

// Runs.
export type { Runnable, RunStream } from "./run/runnable.ts";
export type { PartialValue } from "./run/stream-views.ts";
export type { RunContext } from "./run/run-context.ts";
export { RunError } from "./run/run-output.ts";
export type { RunEvents } from "./run/run-events.ts";
export type { RunLimits, RunOpts, StorageFailurePolicy } from "./run/run-options.ts";
export type {
  CompleteRunOutput,
  PlainRunOutput,
  RunMetrics,
  RunOutput,
  StructuredRunOutput,
} from "./run/run-output.ts";
export type { StreamChunk, WaitChunk } from "./run/stream-chunk.ts";
export type { ApiKeys } from "./keys/api-keys.ts";
export { keyHeaders } from "./keys/key-headers.ts";
export type { Source } from "./message/source.ts";
export type { TokenUsage } from "./message/token-usage.ts";

// Durable runs.
export { RunService } from "./durable/run-service.ts";
export type {
  AdmissionOptions,
  DurableWorkflow,
  RetentionOptions,
  RunServiceOptions,
  ServeOptions,
} from "./attempts/run-service-options.ts";
export type { RunSchedule, RunSchedules, ScheduledRequest } from "./durable/run-schedules.ts";
export type {
  HeldSubscription,
  RunSubscription,
  RunSubscriptions,
  SubscriptionRequest,
} from "./durable/run-subscriptions.ts";
export type { SubscriptionPlace } from "./run-store/subscription-record.ts";
export { LocalEngine } from "./attempts/local-engine.ts";
export type {
  EngineServeOptions,
  HandedBack,
  Perform,
  RunEngine,
  RunJob,
  Schedule,
  ScheduleTimes,
  Schedules,
  Serving,
} from "./attempts/run-engine.ts";
export type {
  AcceptedRun,
  DurableRunOptions,
  LocalRunOptions,
  RunCaller,
  RunEvent,
  RunKeys,
  RunKind,
  RunListOptions,
  RunPage,
  RunRequest,
  RunStatus,
  RunView,
  UpgradeFinding,
} from "./run-store/run-view.ts";
export type { RunChunk, RunWait, WaitKind } from "./journal/log-entry.ts";

// Sessions.
export { SessionStore } from "./session/session-store.ts";
export type { SessionAccess, SessionListener, TurnPartPlace } from "./session/session-store.ts";
export type { TakeTurn, TurnPage } from "./session/read-turn-page.ts";
export type { TurnPart } from "./session/turn-part.ts";
export type { SessionInfo } from "./session/session-record.ts";
export type { SessionOwner, UserOwner, UserScope } from "./storage/session-owner.ts";
export type { SessionPage } from "./session/list-sessions.ts";
export type { OpenSession } from "./session/open-session.ts";
export type { PageOptions } from "./session/page.ts";
export type { BusyPolicy } from "./lock/busy-policy.ts";
export type { NewTurn, StoredTurn, TurnRecord } from "./session/turn-record.ts";
export type { TurnToolResult } from "./session/turn-tool-result.ts";

// Memory and facts about users.
export type { AgentMemory } from "./memory/agent-memory.ts";
export type { AgentUserMemory } from "./memory/agent-user-memory.ts";
export { Memory } from "./memory/memory.ts";
export type {
  AddMessagesOptions,
  ClearOptions,
  MemoryModelOptions,
  MemoryOptions,
  MemoryScope,
  UserMemoryScope,
  RecalledMemory,
  RecallScope,
} from "./memory/memory-options.ts";
export type { RecallToolConfig } from "./memory/recall-tool.ts";
export { UserMemory } from "./memory/user-memory.ts";
export type { UserMemoryOptions, ExtractOptions } from "./memory/user-memory.ts";
export type { FactSource, UserFact } from "./memory/user-fact.ts";

// Knowledge.
export { KnowledgeBase } from "./knowledge/knowledge-base.ts";
export type { KnowledgeSearchOptions } from "./knowledge/knowledge-base.ts";
export type { KnowledgeBaseConfig } from "./knowledge/knowledge-base-config.ts";
export type { Chunking, ChunkingOptions } from "./knowledge/chunking.ts";
export type { TextRange } from "./knowledge/split-text.ts";
export type { Rerank } from "./knowledge/rerank-results.ts";
export type { KnowledgeCallOptions } from "./knowledge/knowledge-call-options.ts";
export { AddDocumentsError } from "./knowledge/add-documents-error.ts";
export type { SearchToolConfig } from "./knowledge/search-tool.ts";
export { InMemoryVectorStore } from "./vector/in-memory-vector-store.ts";
export type { InMemoryVectorStoreOptions } from "./vector/in-memory-vector-store.ts";
export type {
  VectorChange,
  VectorDocument,
  VectorSearchOptions,
  VectorSearchResult,
  VectorStore,
} from "./vector/vector-store.ts";
export type { EmbeddingProvider, EmbedOptions } from "./vector/embedding-provider.ts";

// Storage.
export { InMemoryStorage } from "./storage/in-memory-storage.ts";
export type {
  StorageDriver,
  StorageEntry,
  AppendOptions,
  Listing,
  ListOptions,
  Write,
} from "./storage/storage-driver.ts";
export type { Json } from "./storage/json.ts";

// Models.
export { fallbackModel } from "./model/fallback-model.ts";
export type { ModelProvider } from "./model/model-provider.ts";
export type { NetworkOptions } from "./model/network.ts";
export type { EmbeddingProviderOptions, ModelProviderOptions } from "./model/provider-options.ts";
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
export { ModelError } from "./errors/model-error.ts";
export type { ModelFailure } from "./errors/model-error.ts";
export { isRetryable } from "./retry/is-retryable.ts";
export { withRetry } from "./retry/with-retry.ts";
export type { Attempt, RetryContext } from "./retry/with-retry.ts";
export type { RetryConfig } from "./retry/retry-config.ts";

// Messages.
export type { ChatMessage, MessageRole } from "./message/message.ts";
export { getTextContent, isMultiModal } from "./message/content.ts";
export type { MessageContent, ContentPart, TextPart, ImagePart, AudioPart, FilePart } from "./message/content.ts";

// Schemas.
export type { InferSchema, JsonSchema, ObjectSchema } from "./schema/object-schema.ts";
export type { StandardJsonSchema, StandardSchema } from "./schema/standard-schema.ts";
export { SchemaError } from "./schema/schema-error.ts";
export type { SchemaIssue } from "./schema/schema-issue.ts";

// Errors.
export { errorCodes, TroupeError } from "./errors/troupe-error.ts";
export type { ErrorCode, ErrorFields, TroupeErrorOptions } from "./errors/troupe-error.ts";

// Events and logs.
export { RunEventBus as EventBus } from "./run/run-event-bus.ts";
export type { EventBusOptions, EventHandler } from "./events/event-bus.ts";
export { createLogger } from "./log/logger.ts";
export type { Logger, LoggerOptions, LogFields } from "./log/logger.ts";
export type { LogLevel } from "./log/log-level.ts";

// At import: a runtime that is too old would fail in each run.
checkRuntime();
