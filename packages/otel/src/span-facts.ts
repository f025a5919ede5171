import { SpanKind } from "@opentelemetry/api";
import type { Attributes } from "@opentelemetry/api";
import type { TokenUsage } from "@troupe/core";
import type { Operations } from "@troupe/core/service";
import { attributes as names, earlierAttributes, operationNames, providerName, spanNames } from "./names.ts";

/** The beginning of a span. Samplers see these attributes. */
type SpanStart = { readonly name: string; readonly kind: SpanKind; readonly attributes: Attributes };

/** The run that an operation belongs to. */
export type RunState = {
  readonly name: string;
  readonly conversation: string | undefined;
  modelCalls: number;
  toolCalls: number;
};

/** The option for writing spans: `compat` adds earlier attribute names. */
export type SpanRules = { readonly compat: boolean };

type Starts = {
  readonly [Name in keyof Operations]: (
    facts: Operations[Name]["begin"],
    run: RunState | undefined,
    rules: SpanRules,
  ) => SpanStart;
};

/** The functions that begin the span of each operation. */
export const spanStarts: Starts = {
  run(facts, _run, { compat }) {
    const isWorkflow = facts.kind === "workflow";
    const operation = isWorkflow ? operationNames.workflow : operationNames.run;
    return {
      name: `${operation} ${facts.name}`,
      kind: facts.kind === "remote" ? SpanKind.CLIENT : SpanKind.INTERNAL,
      attributes: defined({
        [names.operation]: operation,
        [names.agentName]: facts.name,
        [names.conversationId]: facts.sessionId,
        [names.requestModel]: facts.model?.modelId,
        [names.provider]: facts.kind === "remote" ? "a2a" : undefined,
        [names.runId]: facts.runId,
        [names.runKind]: facts.kind,
        [names.attempt]: facts.attempt,
        [earlierAttributes.workflowName]: compat && isWorkflow ? facts.name : undefined,
      }),
    };
  },
  model({ model, isStream, settings }, run, { compat }) {
    return {
      name: `${operationNames.model} ${model.modelId}`,
      kind: SpanKind.CLIENT,
      attributes: defined({
        [names.operation]: operationNames.model,
        [names.provider]: providerName(model.providerId),
        [names.requestModel]: model.modelId,
        [names.agentName]: run?.name,
        [names.conversationId]: run?.conversation,
        [names.requestStream]: isStream ? true : undefined,
        [names.requestTemperature]: settings.temperature,
        [names.requestTopP]: settings.topP,
        [names.requestMaxTokens]: settings.maxTokens,
        [names.requestStop]: settings.stop === undefined ? undefined : [...settings.stop],
        [names.requestSeed]: settings.seed,
        [names.requestReasoning]: settings.reasoningEffort,
        [names.outputType]: settings.outputType,
        [earlierAttributes.system]: compat ? providerName(model.providerId) : undefined,
      }),
    };
  },
  tool({ name, isKnown, toolCallId, description }, run) {
    return {
      name: isKnown ? `${operationNames.tool} ${name}` : operationNames.tool,
      kind: SpanKind.INTERNAL,
      attributes: defined({
        [names.operation]: operationNames.tool,
        // A name that the model has made up is content, which may quote a key.
        [names.toolName]: isKnown ? name : "unknown",
        [names.toolCallId]: toolCallId,
        [names.toolType]: isKnown ? "function" : undefined,
        [names.toolDescription]: description,
        [names.agentName]: run?.name,
      }),
    };
  },
  step({ name, kind }, run) {
    return {
      name: `${spanNames.step} ${name}`,
      kind: SpanKind.INTERNAL,
      attributes: defined({ [names.stepName]: name, [names.stepKind]: kind, [names.agentName]: run?.name }),
    };
  },
  memory({ action, store }, run) {
    const operation = memoryOperation(action);
    return {
      name: operation,
      kind: SpanKind.INTERNAL,
      attributes: defined({ [names.operation]: operation, [names.memoryStore]: store, [names.agentName]: run?.name }),
    };
  },
  embeddings({ model }) {
    return {
      name: model.modelId === undefined ? operationNames.embeddings : `${operationNames.embeddings} ${model.modelId}`,
      kind: SpanKind.CLIENT,
      attributes: defined({
        [names.operation]: operationNames.embeddings,
        [names.provider]: providerName(model.providerId ?? "unknown"),
        [names.requestModel]: model.modelId,
      }),
    };
  },
  retrieval({ source, topK }) {
    return {
      name: `${operationNames.retrieval} ${source}`,
      kind: SpanKind.CLIENT,
      attributes: defined({
        [names.operation]: operationNames.retrieval,
        [names.dataSource]: source,
        [names.topK]: topK,
      }),
    };
  },
  mcp({ side, method, toolName, requestId, transport, address }) {
    return {
      name: toolName === undefined ? method : `${method} ${toolName}`,
      kind: side === "client" ? SpanKind.CLIENT : SpanKind.SERVER,
      attributes: defined({
        [names.mcpMethod]: method,
        [names.operation]: toolName === undefined ? undefined : operationNames.tool,
        [names.toolName]: toolName,
        [names.mcpRequestId]: requestId,
        [names.networkTransport]: transport,
        [names.serverAddress]: address,
      }),
    };
  },
  accept({ kind, name, runId }) {
    return {
      name: `${spanNames.accept} ${name}`,
      kind: SpanKind.PRODUCER,
      attributes: { [names.runId]: runId, [names.runKind]: kind, [names.agentName]: name },
    };
  },
};

/** Returns the name in the conventions of an access to memory. */
export function memoryOperation(action: Operations["memory"]["begin"]["action"]): string {
  return action === "search" ? operationNames.memorySearch : operationNames.memoryUpsert;
}

/** Returns token counts as attributes. */
export function usageAttributes(usage: TokenUsage, { compat }: SpanRules): Attributes {
  return defined({
    [names.inputTokens]: usage.promptTokens,
    [names.outputTokens]: usage.completionTokens,
    [names.cacheReadTokens]: usage.cachedTokens,
    [names.cacheWriteTokens]: usage.cacheWriteTokens,
    [names.reasoningTokens]: usage.reasoningTokens,
    [earlierAttributes.cacheWriteTokens]: compat ? usage.cacheWriteTokens : undefined,
  });
}

/** Returns attributes without undefined values. */
export function defined(given: Attributes): Attributes {
  // The attributes are copied: an object from which members were deleted is slow to read, and the SDK reads it several
  // times.
  const kept: Attributes = {};
  for (const name in given) if (given[name] !== undefined) kept[name] = given[name];
  return kept;
}
