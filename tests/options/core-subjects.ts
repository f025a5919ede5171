import {
  Agent,
  createLogger,
  defineTool,
  EventBus,
  InMemoryStorage,
  InMemoryVectorStore,
  KnowledgeBase,
  Memory,
  runnableAsTool,
  Team,
  UserMemory,
  Workflow,
} from "@troupe/core";
import type { AgentConfig, RunOpts } from "@troupe/core";
import { RunService } from "@troupe/core/runs";
import { FakeEmbeddings, ScriptedModel } from "@troupe/core/testing";
import type { Subject } from "./subject.ts";
import { steadyAgent } from "./visit.ts";

/** Lets an agent call a tool in its first run and recall it in its second, and returns all that its model received. */
async function runAgent(config: Partial<AgentConfig> = {}, options: RunOpts = {}): Promise<unknown> {
  const call = { toolCalls: [{ id: "c", name: "look", arguments: { at: "x" } }] };
  const model = new ScriptedModel(call, { text: "Seen." }).respond(() => "Yes.");
  const { tools = [lookTool()] } = config;
  const agent = new Agent({ name: "helper", model, ...config, tools });
  const { text, toolCalls, sessionId } = await agent.run("Look.", options);
  const again = await agent.run("Again.", { ...options, sessionId, runId: undefined });
  return [text, toolCalls.map(({ durationMs: _ms, ...facts }) => facts), again.text, model.calls, agent.description];
}

const answerNothing = (): string => "nothing";

function lookTool(options: object = {}) {
  return {
    name: "look",
    description: "Looks at a place.",
    parameters: { type: "object", properties: { at: { type: "string" } } } as const,
    execute: answerNothing,
    ...options,
  };
}

const workflow = { name: "flow", initialState: { count: 0 }, steps: [{ name: "one", run: () => ({ count: 1 }) }] };

const given = { storage: "given", agents: "given" };

/** Runs of a service that stores them, with the options of the service or of its list. */
async function acceptRun(options: object, request: object = {}, list: object = {}): Promise<unknown> {
  const service = new RunService({ storage: new InMemoryStorage(), agents: { helper: steadyAgent() }, ...options });
  try {
    await service.accept({ kind: "agent", name: "helper", input: "Hi", ...request } as never);
    return await service.list("host", list);
  } finally {
    await service.close();
  }
}

/** Subjects of the core: what a program makes without a service. */
export const coreSubjects: readonly Subject[] = [
  {
    page: "core",
    type: "AgentConfig",
    base: { model: "given" },
    observe: ({ model: _model, ...rest }: { model: string }) => runAgent(rest),
  },
  { page: "core", type: "RunOpts", observe: (options: RunOpts) => runAgent({}, options) },
  { page: "core", type: "ModelSettings", observe: (modelOptions: object) => runAgent({ modelOptions }) },
  { page: "core", type: "RunLimits", observe: (limits: object) => runAgent({ limits }) },
  { page: "core", type: "RetryConfig", observe: (retry: object) => runAgent({ retry }) },
  { page: "core", type: "AgentHooks", observe: (hooks: object) => runAgent({ hooks }) },
  { page: "core", type: "GuardrailConfig", observe: (guardrails: object) => runAgent({ guardrails }) },
  {
    page: "core",
    type: "ReasoningConfig",
    base: { enabled: true },
    observe: (reasoning: { enabled: boolean }) => runAgent({ reasoning }),
  },
  {
    page: "core",
    type: "ToolDefinition",
    base: { execute: answerNothing },
    observe: (tool: object) => runAgent({ tools: [defineTool(lookTool(tool))] }),
  },
  {
    page: "core",
    type: "ToolDef",
    base: { execute: answerNothing },
    observe: (tool: object) => runAgent({ tools: [lookTool(tool)] }),
  },
  { page: "core", type: "UserMemoryOptions", observe: (own: object) => runAgent({ userMemory: new UserMemory(own) }) },
  {
    page: "core",
    type: "MemoryOptions",
    observe: (own: object) => runAgent({ memory: new Memory({ storage: new InMemoryStorage(), ...own }) }),
  },
  { page: "core", type: "EventBusOptions", observe: (own: object) => runAgent({ eventBus: new EventBus(own) }) },
  {
    page: "core",
    type: "RunnableToolOptions",
    observe: (options: object) => runnableAsTool(steadyAgent(), options),
  },
  {
    page: "core",
    type: "TeamConfig",
    base: { name: "team", mode: "coordinate", members: "given", model: "given" },
    observe: async (options: { name: string; mode: "coordinate" }) => {
      const model = new ScriptedModel().respond(() => "Yes.");
      const team = new Team({ ...options, members: [steadyAgent()], model });
      const { text } = await team.run("Hi");
      return [text, model.calls, team.description];
    },
  },
  {
    page: "core",
    type: "WorkflowConfig",
    base: workflow,
    observe: async (config: typeof workflow) => {
      const flow = new Workflow(config);
      const { state, status } = (await flow.run()) as { state?: unknown; status?: unknown };
      return [state, status, flow.name, flow.description];
    },
  },
  {
    page: "core",
    type: "WorkflowRunOpts",
    observe: async (options: object) => ((await new Workflow(workflow).run(options)) as { state?: unknown }).state,
  },
  {
    page: "core",
    type: "KnowledgeBaseConfig",
    base: { name: "docs", vectorStore: "given", embeddings: "given" },
    observe: async (options: object) => {
      const store = { vectorStore: new InMemoryVectorStore(), embeddings: new FakeEmbeddings() };
      const base = new KnowledgeBase({ name: "docs", ...options, ...store });
      await base.addDocuments([
        { id: "a", content: "rain in Oslo" },
        { id: "b", content: "sun in Rome" },
      ]);
      return await base.search("rain", { topK: 1 });
    },
  },
  {
    page: "core",
    type: "VectorSearchOptions",
    observe: async (options: object) => {
      const embeddings = new FakeEmbeddings();
      const base = new KnowledgeBase({ name: "docs", vectorStore: new InMemoryVectorStore(), embeddings });
      await base.addDocuments(["a", "b", "c"].map((id) => ({ id, content: `rain of ${id}` })));
      return await base.search("rain", options);
    },
  },
  {
    page: "core",
    type: "LoggerOptions",
    base: { write: "given" },
    observe: (options: object) => {
      const lines: string[] = [];
      const logger = createLogger({ ...options, write: (line) => lines.push(line) });
      logger.debug("a");
      logger.info("b", { c: 1 });
      logger.child("x").error("d");
      return lines;
    },
  },
  {
    page: "core",
    type: "RunServiceOptions",
    base: given,
    observe: ({ storage: _storage, agents: _agents, ...own }: typeof given) => acceptRun(own),
  },
  { page: "core", type: "AdmissionOptions", observe: (admission: object) => acceptRun({ admission }) },
  { page: "core", type: "RetentionOptions", observe: (retention: object) => acceptRun({ retention }) },
  { page: "core", type: "DurableRunOptions", observe: (options: object) => acceptRun({}, { options }) },
  { page: "core", type: "RunListOptions", observe: (list: object) => acceptRun({}, {}, list) },
  {
    page: "core",
    type: "WebhookOptions",
    base: { targets: [] },
    observe: (webhooks: object) => acceptRun({ webhooks }),
  },
];
