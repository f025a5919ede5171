import { createA2AServer, createArtifact, questionTool, ProgrammaticAgent } from "@troupe/a2a";
import type { A2AServerOptions, ArtifactFields, QuestionToolOptions, ProgrammaticAgentOptions } from "@troupe/a2a";
import { createAgentRouter } from "@troupe/http";
import type { DocsOptions, FileUploadOptions, RouterOptions } from "@troupe/http";
import { Agent, createLogger, EventBus, InMemoryStorage, Memory, Team, UserMemory, Workflow } from "@troupe/core";
import type {
  AgentConfig,
  AgentHooks,
  AgentStep,
  EventBusOptions,
  Guardrail,
  GuardrailConfig,
  HostRunOptions,
  KnowledgeBaseConfig,
  LoggerOptions,
  MemoryOptions,
  ModelSettings,
  PageOptions,
  ReasoningConfig,
  RetryConfig,
  RunLimits,
  RunnableToolOptions,
  RunOpts,
  SessionAccess,
  ModelCallChanges,
  TeamConfig,
  ToolDef,
  ToolDefinition,
  UserMemoryOptions,
  VectorSearchOptions,
  WorkflowConfig,
  WorkflowRunOpts,
} from "@troupe/core";
import { ScriptedModel } from "@troupe/core/testing";
import { createMcpServer, McpToolServer } from "@troupe/mcp";
import type { McpOptions, McpServerOptions, McpToolServerOptions } from "@troupe/mcp";
import type { AnthropicOptions } from "@troupe/providers-anthropic";
import type { BedrockOptions } from "@troupe/providers-bedrock";
import type { GoogleOptions } from "@troupe/providers-google";
import type { OllamaOptions } from "@troupe/providers-ollama";
import type { OpenAIOptions } from "@troupe/providers-openai";
import type { VertexOptions } from "@troupe/providers-vertex";
import type { MongoOptions } from "@troupe/storage-mongodb";
import type { PostgresOptions } from "@troupe/storage-postgres";
import type { SqliteOptions } from "@troupe/storage-sqlite";
import type { MongoDbVectorOptions } from "@troupe/vector-mongodb";
import type { PgVectorOptions } from "@troupe/vector-pgvector";
import type { QdrantOptions } from "@troupe/vector-qdrant";
import type { SqliteVectorOptions } from "@troupe/vector-sqlite";
import type { DuckDuckGoOptions } from "@troupe/toolkits-duckduckgo";
import type { GmailOptions } from "@troupe/toolkits-gmail";
import type { HackerNewsOptions } from "@troupe/toolkits-hackernews";
import type { WebSearchOptions } from "@troupe/toolkits-web-search";
import type { WhatsAppOptions } from "@troupe/toolkits-whatsapp";
import { expect, expectTypeOf, it } from "vitest";

/** The names of optional options that a program with exactOptionalPropertyTypes cannot set to undefined. */
type Strict<Options> = {
  [Name in keyof Options]-?: object extends Pick<Options, Name>
    ? undefined extends Required<Options>[Name]
      ? never
      : Name
    : never;
}[keyof Options];

/** All options that a program may give, by the names of their types. */
type AllOptions = {
  RunOpts: RunOpts;
  RunLimits: RunLimits;
  ModelSettings: ModelSettings;
  ReasoningConfig: ReasoningConfig;
  WorkflowRunOpts: WorkflowRunOpts<object>;
  SessionAccess: SessionAccess;
  PageOptions: PageOptions<string>;
  ModelCallChanges: ModelCallChanges;
  AgentConfig: AgentConfig;
  AgentHooks: AgentHooks;
  Guardrail: Guardrail;
  GuardrailConfig: GuardrailConfig;
  TeamConfig: TeamConfig;
  WorkflowConfig: WorkflowConfig<object>;
  AgentStep: AgentStep<object>;
  ToolDef: ToolDef;
  ToolDefinition: ToolDefinition<Record<string, unknown>>;
  RunnableToolOptions: RunnableToolOptions;
  MemoryOptions: MemoryOptions;
  UserMemoryOptions: UserMemoryOptions;
  KnowledgeBaseConfig: KnowledgeBaseConfig;
  VectorSearchOptions: VectorSearchOptions;
  RetryConfig: RetryConfig;
  LoggerOptions: LoggerOptions;
  EventBusOptions: EventBusOptions;
  RouterOptions: RouterOptions;
  DocsOptions: DocsOptions;
  FileUploadOptions: FileUploadOptions;
  McpToolServerOptions: McpToolServerOptions;
  McpOptions: McpOptions;
  McpServerOptions: McpServerOptions;
  HostRunOptions: HostRunOptions;
  A2AServerOptions: A2AServerOptions;
  ProgrammaticAgentOptions: ProgrammaticAgentOptions;
  QuestionToolOptions: QuestionToolOptions;
  ArtifactFields: ArtifactFields;
  OpenAIOptions: OpenAIOptions;
  AnthropicOptions: AnthropicOptions;
  BedrockOptions: BedrockOptions;
  GoogleOptions: GoogleOptions;
  VertexOptions: VertexOptions;
  OllamaOptions: OllamaOptions;
  MongoOptions: MongoOptions;
  PostgresOptions: PostgresOptions;
  SqliteOptions: SqliteOptions;
  DuckDuckGoOptions: DuckDuckGoOptions;
  GmailOptions: GmailOptions;
  HackerNewsOptions: HackerNewsOptions;
  WebSearchOptions: WebSearchOptions;
  WhatsAppOptions: WhatsAppOptions;
  PgVectorOptions: PgVectorOptions;
  QdrantOptions: QdrantOptions;
  SqliteVectorOptions: SqliteVectorOptions;
  MongoDbVectorOptions: MongoDbVectorOptions;
};

it("each constructor lets every option be undefined, which is the same as leaving it out [types.undefined-options]", async () => {
  expectTypeOf<Strict<{ a?: string; b?: string | undefined; c: string }>>().toEqualTypeOf<"a">();
  expectTypeOf<{ [Name in keyof AllOptions]: Strict<AllOptions[Name]> }[keyof AllOptions]>().toBeNever();

  const none = undefined;
  const model = new ScriptedModel().respond(() => "Hi.");
  const memory = new Memory({ storage: none, maxShortTermMessages: none, enableLongTerm: none });
  const userMemory = new UserMemory({ storage: none, model: none, maxFacts: none, enabled: none });
  const agent = new Agent({
    name: "a",
    model,
    memory,
    userMemory,
    instructions: none,
    tools: none,
    storage: none,
    sessionId: none,
    userId: none,
    maxToolRoundtrips: none,
    modelOptions: { temperature: none, toolChoice: none },
    prepareStep: () => ({ model: none, instructions: none, tools: none, toolChoice: none, stop: none }),
    structuredOutput: none,
    hooks: { beforeRun: none, afterRun: none },
    guardrails: { input: none, output: none },
    maxContextTokens: none,
    limits: { durationMs: none, totalTokens: none },
  });
  const opts: RunOpts = {
    sessionId: none,
    userId: none,
    metadata: none,
    apiKey: none,
    limits: none,
    modelOptions: none,
  };
  const team = new Team({ name: "t", mode: "route", model, members: [agent], instructions: none, maxRounds: none });
  const flow = new Workflow({
    name: "w",
    initialState: {},
    retryPolicy: none,
    steps: [{ name: "s", agent, inputFrom: none }],
  });

  expect((await agent.run("Hi", opts)).text).toBe("Hi.");
  expect((await team.run("Hi", opts)).text).toBe("Hi.");
  expect((await flow.run({ ...opts, input: none })).state).toEqual({ s: "Hi." });
  expect(() => createAgentRouter({ agents: none, teams: none, swagger: none, fileUpload: none })).not.toThrow();
  const mcp = { agents: { agent }, teams: none, extend: none, maxSessions: none, runOptions: none };
  expect(() => createMcpServer(mcp)).not.toThrow();
  const a2a = {
    agents: { agent },
    basePath: none,
    provider: none,
    version: none,
    runs: none,
    mayAnswerByMessage: none,
  };
  expect(() => createA2AServer({ ...a2a, middleware: none, maxBodyBytes: none })).not.toThrow();
  const said = async () => await Promise.resolve();
  expect(
    () => new ProgrammaticAgent({ name: "t", answer: said, description: none, effect: none, logger: none }),
  ).not.toThrow();
  expect([questionTool({ name: none }), createArtifact({ parts: "x", name: none, append: none })]).toHaveLength(2);
  const box = { name: "box", transport: "http", url: "http://127.0.0.1/mcp", headers: none, tools: none, logger: none };
  expect(() => new McpToolServer({ ...box, transport: "http", command: none, onSampling: none })).not.toThrow();
  expect([new InMemoryStorage(), new EventBus({ onHandlerError: none }), createLogger({ level: none })]).toHaveLength(
    3,
  );
});
