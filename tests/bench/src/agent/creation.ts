import { Agent, defineTool } from "@troupe/core";
import type { AgentConfig } from "@troupe/core";
import { openai } from "@troupe/providers-openai";
import { answerRounds } from "../answer-rounds.ts";
import { FixedModel } from "./fixed-model.ts";

/** A class with an agent's fields, which checks nothing and does nothing. */
class PlainAgent {
  declare readonly name: AgentConfig["name"];
  declare readonly description: AgentConfig["description"];
  declare readonly model: AgentConfig["model"];
  declare readonly instructions: AgentConfig["instructions"];
  declare readonly tools: AgentConfig["tools"];
  declare readonly memory: AgentConfig["memory"];
  declare readonly storage: AgentConfig["storage"];
  declare readonly sessionId: AgentConfig["sessionId"];
  declare readonly userId: AgentConfig["userId"];
  declare readonly addHistoryToMessages: AgentConfig["addHistoryToMessages"];
  declare readonly numHistoryRuns: AgentConfig["numHistoryRuns"];
  declare readonly maxToolRoundtrips: AgentConfig["maxToolRoundtrips"];
  declare readonly temperature: AgentConfig["temperature"];
  declare readonly structuredOutput: AgentConfig["structuredOutput"];
  declare readonly hooks: AgentConfig["hooks"];
  declare readonly guardrails: AgentConfig["guardrails"];
  declare readonly eventBus: AgentConfig["eventBus"];
  declare readonly reasoning: AgentConfig["reasoning"];
  declare readonly userMemory: AgentConfig["userMemory"];
  declare readonly logLevel: AgentConfig["logLevel"];
  declare readonly retry: AgentConfig["retry"];
  declare readonly maxContextTokens: AgentConfig["maxContextTokens"];
  declare readonly limits: AgentConfig["limits"];
  declare readonly onBusy: AgentConfig["onBusy"];

  constructor(config: AgentConfig) {
    this.name = config.name;
    this.description = config.description;
    this.model = config.model;
    this.instructions = config.instructions;
    this.tools = config.tools;
    this.memory = config.memory;
    this.storage = config.storage;
    this.sessionId = config.sessionId;
    this.userId = config.userId;
    this.addHistoryToMessages = config.addHistoryToMessages;
    this.numHistoryRuns = config.numHistoryRuns;
    this.maxToolRoundtrips = config.maxToolRoundtrips;
    this.temperature = config.temperature;
    this.structuredOutput = config.structuredOutput;
    this.hooks = config.hooks;
    this.guardrails = config.guardrails;
    this.eventBus = config.eventBus;
    this.reasoning = config.reasoning;
    this.userMemory = config.userMemory;
    this.logLevel = config.logLevel;
    this.retry = config.retry;
    this.maxContextTokens = config.maxContextTokens;
    this.limits = config.limits;
    this.onBusy = config.onBusy;
  }
}

const model = new FixedModel();
const instructions = "Answer in one sentence.";
const parameters = { type: "object", properties: { city: { type: "string" } }, required: ["city"] };

function createTool() {
  const execute = async ({ city }: Record<string, unknown>) => `Rain in ${String(city)}.`;
  return defineTool({ name: "weather", description: "Tells the weather.", parameters, execute });
}

const makers: Record<string, (at: number) => object> = {
  plain: (at) => new PlainAgent({ name: `agent-${at}`, model, instructions }),
  agent: (at) => new Agent({ name: `agent-${at}`, model, instructions }),
  "agent with a model of its own": (at) =>
    new Agent({ name: `agent-${at}`, model: openai("gpt-6.1-sol", { apiKey: "none" }), instructions }),
  "agent with a tool of its own": (at) =>
    new Agent({ name: `agent-${at}`, model, instructions, tools: [createTool()] }),
};

const make = makers[process.env["BENCH_CANDIDATE"] ?? ""];
if (make === undefined) throw new Error("BENCH_CANDIDATE names no unit of this file.");

/** Kept, so that the memory that each retains shows as growth of the heap. */
const kept: object[][] = [];
answerRounds((count) => {
  kept.push(Array.from({ length: count }, (_, at) => make(at)));
});
