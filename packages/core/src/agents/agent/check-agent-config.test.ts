import { describe, expect, it } from "vitest";
import { EventBus } from "../../base/events/event-bus.ts";
import type { RunEvents } from "../run/run-events.ts";
import { InMemoryStorage } from "../../sessions/storage/in-memory-storage.ts";
import { createLogger } from "../../base/log/logger.ts";
import { ScriptedModel } from "../../testing/scripted-model.ts";
import type { AgentConfig } from "./agent-config.ts";
import { checkAgentConfig } from "./check-agent-config.ts";
import { look } from "./test/agents.ts";

const model = new ScriptedModel();
const check = (more: object) => () => checkAgentConfig({ name: "a", model, ...more });
const refusal = (message: unknown) => expect.objectContaining({ code: "invalid_config", message });
const methods = (...names: string[]) => Object.fromEntries(names.map((name) => [name, () => {}]));

describe("checkAgentConfig", () => {
  it.each<[option: string, values: unknown[]]>([
    ["name", ["a".repeat(128), " a", "ä"]],
    ["description", [" "]],
    ["instructions", ["", () => ""]],
    ["tools", [[], [look], [{ getTools: () => [] }], () => []]],
    ["memory", [methods("addMessages", "getMessages", "getSummaries", "getContextString", "clear")]],
    ["storage", [new InMemoryStorage(), methods("get", "set", "delete", "list")]],
    ["sessionId", ["s-1"]],
    ["userId", ["ann@example.org"]],
    ["addHistoryToMessages", [true, false]],
    ["numHistoryRuns", [0, 1]],
    ["maxToolRoundtrips", [0, 1]],
    ["maxParallelTools", [1]],
    ["prepareStep", [() => {}]],
    ["modelOptions", [{}, { seed: 1 }]],
    ["temperature", [0, 2, 0.5]],
    ["structuredOutput", [{ type: "object" }]],
    ["hooks", [{}, methods("beforeRun", "afterRun", "onToolCall", "onApproval", "onError")]],
    [
      "hooks",
      [
        new (class {
          own = 1;
          onError = () => {};
        })(),
      ],
    ],
    ["guardrails", [{}, { input: [], output: [] }]],
    ["eventBus", [new EventBus<RunEvents>(), methods("on", "off", "emit", "has")]],
    ["reasoning", [{ enabled: false }]],
    ["userMemory", [methods("getContextString", "extractAndStore", "clear")]],
    ["logLevel", ["silent"]],
    ["logger", [createLogger()]],
    ["retry", [{}, { maxRetries: 0 }]],
    ["maxContextTokens", [1]],
    ["titles", [{ model }]],
    ["limits", [{}, { durationMs: 1 }]],
    ["onBusy", ["enqueue", "reject", { onBusy: "enqueue" }]],
    ["onWaiting", ["reject", "cancel"]],
    ["onStorageFailure", ["error", "answer"]],
  ])("takes %s", (option, values) => {
    for (const value of values) expect(check({ [option]: value })).not.toThrow();
    expect(option === "name" ? check({}) : check({ [option]: undefined })).not.toThrow();
  });

  it.each<[option: string, value: unknown, message: string]>([
    ["name", "", "name must be a string of 1 to 128 characters that is not blank, got a string."],
    ["description", 5, "description must be a string that is not empty, got 5."],
    ["instructions", null, "instructions must be a string, or a function that makes one, got null."],
    ["instructions", [], "instructions must be a string, or a function that makes one, got an array."],
    ["numHistoryRuns", NaN, "numHistoryRuns must be an integer of 0 or more, got NaN."],
    ["maxToolRoundtrips", 0.5, "maxToolRoundtrips must be an integer of 0 or more, got 0.5."],
    ["maxParallelTools", -1, "maxParallelTools must be a positive integer, got -1."],
    ["maxContextTokens", 0.5, "maxContextTokens must be a positive integer, got 0.5."],
    ["prepareStep", {}, "prepareStep must be a function, got an object."],
    ["temperature", -0.1, "temperature must be a number from 0 to 2, got -0.1."],
    ["temperature", "1", "temperature must be a number from 0 to 2, got a string."],
    ["onStorageFailure", "log", 'onStorageFailure must be "error" or "answer", got a string.'],
    ["onWaiting", true, 'onWaiting must be "reject" or "cancel", got true.'],
    ["titles", {}, expect.stringMatching(/^titles\.model must be a model provider/) as never],
    ["titles", model, expect.stringMatching(/^(titles|Unknown option "\w+" of titles)/) as never],
    ["modelOptions", { topP: 2 }, "modelOptions.topP must be a number from 0 to 1, got 2."],
    ["userId", "a\ud83d", expect.stringMatching(/^userId must be/) as never],
    ["sessionId", 5, expect.stringMatching(/^sessionId must be/) as never],
    ["logger", {}, expect.stringMatching(/^logger must be a logger such as/) as never],
  ])("refuses %s as %j", (option, value, message) => {
    expect(check({ [option]: value })).toThrow(refusal(message));
  });

  it.each([
    ["memory", "a Memory", ["addMessages", "getMessages", "getSummaries", "getContextString", "clear"]],
    ["storage", "a storage driver", ["get", "set", "delete", "list"]],
    ["eventBus", "an EventBus", ["on", "off", "emit", "has"]],
    ["userMemory", "a UserMemory", ["getContextString", "extractAndStore", "clear"]],
  ])("refuses %s without one of its methods", (option, what, names) => {
    for (const missing of names) {
      const value = methods(...names.filter((name) => name !== missing));

      expect(check({ [option]: value })).toThrow(refusal(expect.stringMatching(`^${option} must be ${what}`)));
    }
  });

  it.each(["beforeRun", "afterRun", "onToolCall", "onApproval", "onError"])(
    "refuses a hook %s that is none",
    (name) => {
      expect(check({ hooks: { [name]: undefined } })).not.toThrow();
      expect(check({ hooks: { [name]: "log" } })).toThrow(refusal(`hooks.${name} must be a function, got a string.`));
    },
  );

  it.each([
    ["system", "instructions"],
    ["systemPrompt", "instructions"],
    ["system_prompt", "instructions"],
    ["systemMessage", "instructions"],
    ["prompt", "instructions"],
    ["role", "instructions"],
    ["goal", "instructions"],
    ["llm", "model"],
    ["maxSteps", "maxToolRoundtrips"],
    ["maxTurns", "maxToolRoundtrips"],
    ["maxIterations", "maxToolRoundtrips"],
    ["maxIter", "maxToolRoundtrips"],
    ["stopWhen", "maxToolRoundtrips"],
    ["output", "structuredOutput"],
    ["outputType", "structuredOutput"],
    ["outputSchema", "structuredOutput"],
    ["responseFormat", "structuredOutput"],
    ["schema", "structuredOutput"],
    ["maxRetries", "retry"],
    ["maxTokens", "modelOptions"],
    ["topP", "modelOptions"],
    ["toolChoice", "modelOptions"],
  ])("answers %s of other libraries by %s", (name, meant) => {
    expect(check({ [name]: undefined })).toThrow(
      refusal(expect.stringMatching(`^Unknown option "${name}" of agent "a"\\. .* Did you mean ${meant}\\?$`)),
    );
  });

  it.each([[null], [undefined], ["a"], [() => {}], [[]]])("refuses %j in place of a configuration", (config) => {
    expect(() => checkAgentConfig(config as unknown as AgentConfig)).toThrow(refusal(expect.any(String)));
  });

  it("refuses options that have no effect together", () => {
    const schema = { type: "object" };

    expect(check({ logger: createLogger(), logLevel: "info" })).toThrow(refusal(expect.stringContaining("logLevel")));
    expect(check({ structuredOutput: schema, modelOptions: { responseFormat: "json" } })).toThrow(
      refusal(expect.stringMatching(/^modelOptions\.responseFormat cannot stand beside structuredOutput/)),
    );
    expect(check({ tools: [look], modelOptions: { toolChoice: { tool: "dig" } } })).toThrow(
      refusal('modelOptions.toolChoice names "dig", which is not a tool here. Expected one of look.'),
    );
  });

  it("checks options that the configuration has inherited", () => {
    const inherited = Object.create({ temperature: 3 }) as object;

    expect(() => checkAgentConfig(Object.assign(inherited, { name: "a", model }) as AgentConfig)).toThrow(
      refusal("temperature must be a number from 0 to 2, got 3."),
    );
  });
});
