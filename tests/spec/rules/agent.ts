import { rulesOf } from "../rule.ts";

/** Agents and tools. */
export const agentRules = rulesOf("@troupe/core", {
  "agent.name": { text: "an agent needs a name", test: "packages/core/src/agent/agent.config.test.ts" },
  "agent.model": { text: "an agent needs a model", test: "packages/core/src/agent/agent.config.test.ts" },
  "agent.instructions-text": {
    text: "instructions may be text",
    test: "packages/core/src/agent/agent.instructions.test.ts",
  },
  "agent.instructions-function": {
    text: "instructions may be a function of the run context",
    test: "packages/core/src/agent/agent.instructions.test.ts",
  },
  "agent.tools": { text: "an agent may have tools", test: "packages/core/src/agent/agent.config.test.ts" },
  "agent.memory": { text: "an agent may have a memory", test: "packages/core/src/agent/agent.memory.test.ts" },
  "agent.storage-default": {
    text: "an agent's storage is in memory by default",
    test: "packages/core/src/agent/agent.config.test.ts",
  },
  "agent.session-default": {
    text: "an agent may have a default session, which RunOpts.sessionId overrides",
    test: "packages/core/src/agent/agent.sessions.test.ts",
  },
  "agent.user-default": {
    text: "an agent may have a default user",
    test: "packages/core/src/agent/agent.sessions.test.ts",
  },
  "agent.history-default": {
    text: "history is added to messages by default",
    test: "packages/core/src/agent/agent.sessions.test.ts",
  },
  "agent.num-history-runs": {
    text: "numHistoryRuns bounds the past turns",
    test: "packages/core/src/agent/agent.sessions.test.ts",
  },
  "agent.max-tool-roundtrips": {
    text: "a run makes at most 10 tool round trips by default",
    test: "packages/core/src/agent/agent.loop.test.ts",
  },
  "agent.temperature": { text: "temperature reaches the model", test: "packages/core/src/agent/agent.config.test.ts" },
  "agent.structured-output": {
    text: "structuredOutput enforces a structured answer",
    test: "packages/core/src/agent/agent.structured.test.ts",
  },
  "agent.hooks": {
    text: "beforeRun, afterRun, onToolCall and onError are called",
    test: "packages/core/src/agent/agent.hooks.test.ts",
  },
  "agent.on-error": { text: "onError is called on errors", test: "packages/core/src/agent/agent.hooks.test.ts" },
  "agent.guardrails-input": {
    text: "input guardrails check the input",
    test: "packages/core/src/agent/agent.guardrails.test.ts",
  },
  "agent.guardrails-output": {
    text: "output guardrails check the answer",
    test: "packages/core/src/agent/agent.guardrails.test.ts",
  },
  "agent.event-bus": {
    text: "an agent may be given its event bus",
    test: "packages/core/src/agent/agent.events.test.ts",
  },
  "agent.reasoning": {
    text: "the reasoning configuration reaches the model",
    test: "packages/core/src/agent/agent.config.test.ts",
  },
  "agent.user-memory": {
    text: "an agent may have a user memory",
    test: "packages/core/src/agent/agent.user-memory.test.ts",
  },
  "agent.log-level": { text: "logLevel is silent by default", test: "packages/core/src/agent/agent.config.test.ts" },
  "agent.retry": {
    text: "retry configures the retry of model calls",
    test: "packages/core/src/agent/agent.retry.test.ts",
  },
  "agent.max-context-tokens": {
    text: "history is trimmed oldest-first to maxContextTokens",
    test: "packages/core/src/agent/agent.sessions.test.ts",
  },
  "agent.run": {
    text: "run takes content and options and returns the output",
    test: "packages/core/src/agent/agent.loop.test.ts",
  },
  "agent.stream": {
    text: "stream takes content and options and yields chunks",
    test: "packages/core/src/agent/agent.loop.test.ts",
  },
  "agent.properties": {
    text: "name, eventBus, tools, modelId, providerId and hasStructuredOutput can be read",
    test: "packages/core/src/agent/agent.config.test.ts",
  },
  "run-opts.session": {
    text: "RunOpts.sessionId names the session",
    test: "packages/core/src/agent/agent.sessions.test.ts",
  },
  "run-opts.user": { text: "RunOpts.userId names the user", test: "packages/core/src/agent/agent.sessions.test.ts" },
  "run-opts.metadata": {
    text: "RunOpts.metadata reaches the run context",
    test: "packages/core/src/run/read-run-opts.test.ts",
  },
  "run-opts.api-key": {
    text: "RunOpts.apiKey is the vendor key of the run",
    test: "packages/core/src/agent/agent.as-tool.test.ts",
  },
  "run.status-error": {
    text: "a failed run's output has status error",
    test: "packages/core/src/agent/agent.output.test.ts",
  },
  "run.retry-inside": {
    text: "the model-call loop retries transient failures by itself",
    test: "packages/core/src/agent/agent.retry.test.ts",
  },
  "tool.definition": {
    text: "a tool has name, description, parameters and execute",
    test: "packages/core/src/tool/define-tool.test.ts",
  },
  "tool.execute": {
    text: "execute gets the arguments and the run context",
    test: "packages/core/src/agent/agent.loop.test.ts",
  },
  "tool.result-text": { text: "a tool may return text", test: "packages/core/src/tool/execute-tool-calls.test.ts" },
  "tool.result-artifacts": {
    text: "a tool may return content with artifacts",
    test: "packages/core/src/tool/execute-tool-calls.test.ts",
  },
  "tool.artifact": {
    text: "an artifact has a type, data and perhaps a mime type",
    test: "packages/core/src/tool/read-tool-result.test.ts",
  },
  "tool.cache": {
    text: "a tool's results are cached for its ttl",
    test: "packages/core/src/tool/execute-tool-calls.cache.test.ts",
  },
});
