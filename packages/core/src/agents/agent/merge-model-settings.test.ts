import { describe, expect, it } from "vitest";
import type { ModelSettings } from "../../model/model-config.ts";
import type { RunSettings } from "../run/run-options.ts";
import { ScriptedModel } from "../../testing/scripted-model.ts";
import type { AgentConfig } from "./agent-config.ts";
import { checkRunSettings, checkSettingsFit, mergeModelSettings } from "./merge-model-settings.ts";
import { look, toolNamed } from "./test/agents.ts";

type Configured = Parameters<typeof mergeModelSettings>[0];

const reasoning = { enabled: true, effort: "low" } as const;

describe("mergeModelSettings", () => {
  it.each<[what: string, given: [configured: Configured, ofRun?: ModelSettings], merged: ModelSettings]>([
    ["nothing", [{}], {}],
    ["the agent's own", [{ temperature: 0, reasoning }], { temperature: 0, reasoning }],
    [
      "its model options before",
      [{ temperature: 0, modelOptions: { temperature: 1, topP: 0 } }, {}],
      { temperature: 1, topP: 0 },
    ],
    [
      "the run's before all",
      [
        { temperature: 0, modelOptions: { topP: 1 } },
        { temperature: 2, topP: 0 },
      ],
      { temperature: 2, topP: 0 },
    ],
    [
      "what is undefined last",
      [{ temperature: 1, modelOptions: { temperature: undefined, seed: 1 } }, { seed: undefined }],
      { temperature: 1, seed: 1 },
    ],
    [
      "what is false or empty",
      [{ modelOptions: { parallelToolCalls: true, stop: ["x"] } }, { parallelToolCalls: false, stop: [] }],
      { parallelToolCalls: false, stop: [] },
    ],
    ["reasoning as a whole", [{ reasoning }, { reasoning: { enabled: false } }], { reasoning: { enabled: false } }],
    [
      "the agent's vendor options alone",
      [{ modelOptions: { vendor: { a: { x: 1 } } } }, { seed: 1 }],
      { seed: 1, vendor: { a: { x: 1 } } },
    ],
    [
      "the run's vendor options alone",
      [{ modelOptions: { seed: 1 } }, { vendor: { a: { x: 1 } } }],
      { seed: 1, vendor: { a: { x: 1 } } },
    ],
    [
      "vendor options one by one, the run's first",
      [
        { modelOptions: { vendor: { a: { x: 1, y: 1, deep: { p: 1 } }, b: { z: 1 } } } },
        { vendor: { a: { x: 2, deep: { q: 2 } }, c: { w: 2 } } },
      ],
      { vendor: { a: { x: 2, y: 1, deep: { q: 2 } }, b: { z: 1 }, c: { w: 2 } } },
    ],
    [
      "other settings beside vendor options of both",
      [
        { temperature: 1, modelOptions: { vendor: { a: {} } } },
        { topP: 0, vendor: { a: { x: 1 } } },
      ],
      { temperature: 1, topP: 0, vendor: { a: { x: 1 } } },
    ],
    [
      "vendors with the names of inherited members",
      [{ modelOptions: { vendor: { a: { x: 1 } } } }, { vendor: { toString: { y: 2 } } }],
      { vendor: { a: { x: 1 }, toString: { y: 2 } } },
    ],
  ])("takes the first that is given: %s", (_, given, merged) => {
    const before = structuredClone(given);

    expect(mergeModelSettings(...given)).toStrictEqual(merged);
    expect(given).toStrictEqual(before);
  });
});

describe("checkSettingsFit", () => {
  const model = new ScriptedModel();
  const config = (more: Partial<AgentConfig> = {}): AgentConfig => ({ name: "a", model, tools: [look], ...more });
  const source = { getTools: () => [] };
  const schema = { type: "object" };
  const noEffect =
    "modelOptions.toolChoice has no effect with maxToolRoundtrips 0, which lets the model call no tool. Leave one of them out.";
  const twoFormats =
    "modelOptions.responseFormat cannot stand beside structuredOutput, which sets the format of the answer. Leave one of them out.";

  it.each<[config: AgentConfig, settings: ModelSettings]>([
    [config(), {}],
    [config({ structuredOutput: schema }), { toolChoice: "required" }],
    [config(), { responseFormat: "json" }],
    [config({ tools: [] }), { toolChoice: "auto" }],
    [config({ tools: [], maxToolRoundtrips: 0 }), { toolChoice: "none" }],
    [config(), { toolChoice: { tool: "look" } }],
    [config({ maxToolRoundtrips: 1 }), { toolChoice: "required" }],
    [config({ tools: [source] }), { toolChoice: { tool: "dig" } }],
    [config({ tools: [look, source] }), { toolChoice: { tool: "dig" } }],
    [config({ tools: () => [] }), { toolChoice: "required" }],
  ])("lets pass what can have an effect", (of, settings) => {
    expect(() => checkSettingsFit(of, settings)).not.toThrow();
  });

  it.each<[config: AgentConfig, settings: ModelSettings, message: string]>([
    [config({ structuredOutput: schema }), { responseFormat: "text" }, twoFormats],
    [config({ maxToolRoundtrips: 0 }), { toolChoice: "required" }, noEffect],
    [config({ maxToolRoundtrips: 0, tools: [source] }), { toolChoice: { tool: "look" } }, noEffect],
    [config({ tools: [] }), { toolChoice: "required" }, "modelOptions.toolChoice needs a tool. There are no tools."],
    [
      config({ tools: undefined }),
      { toolChoice: "required" },
      "modelOptions.toolChoice needs a tool. There are no tools.",
    ],
    [
      config({ tools: [look, toolNamed("dig", () => "")] }),
      { toolChoice: { tool: "Look" } },
      'modelOptions.toolChoice names "Look", which is not a tool here. Expected one of look or dig.',
    ],
  ])("throws for what cannot", (of, settings, message) => {
    const error = (code: string) => expect.objectContaining({ code, message });
    const code = message === twoFormats ? "invalid_config" : "invalid_request";

    expect(() => checkSettingsFit(of, settings)).toThrow(error("invalid_config"));
    expect(() => checkSettingsFit(of, settings, "invalid_request")).toThrow(error(code));
  });
});

describe("checkRunSettings", () => {
  const own: AgentConfig = { name: "a", model: new ScriptedModel(), tools: [look] };
  const dig = toolNamed("dig", () => "");

  it.each<[settings: Partial<RunSettings>]>([
    [{}],
    [{ tools: [] }],
    [{ modelOptions: { toolChoice: { tool: "look" } } }],
    [{ modelOptions: { toolChoice: { tool: "dig" } }, tools: [dig] }],
    [{ modelOptions: { toolChoice: "required" }, tools: [dig] }],
  ])("lets pass what fits the agent, or the tools of the run in place of its own", (settings) => {
    expect(() => checkRunSettings(own, settings as RunSettings)).not.toThrow();
  });

  it.each<[settings: object, message: string]>([
    [{ tools: [look, look] }, 'Two tools are named "look". Rename one of them.'],
    [{ tools: look }, "tools must be an array of tools and tool sources, got an object."],
    [{ tools: () => [] }, "tools must be an array of tools and tool sources, got a function."],
    [
      { modelOptions: { toolChoice: { tool: "look" } }, tools: [dig] },
      'modelOptions.toolChoice names "look", which is not a tool here. Expected one of dig.',
    ],
    [
      { modelOptions: { toolChoice: "required" }, tools: [] },
      "modelOptions.toolChoice needs a tool. There are no tools.",
    ],
    [
      { modelOptions: { toolChoice: "required" }, tools: [dig] },
      "modelOptions.toolChoice has no effect with maxToolRoundtrips 0, which lets the model call no tool. Leave one of them out.",
    ],
  ])("throws invalid_request for what does not", (settings, message) => {
    const config = message.includes("maxToolRoundtrips") ? { ...own, maxToolRoundtrips: 0 } : own;

    expect(() => checkRunSettings(config, settings as RunSettings)).toThrow(
      expect.objectContaining({ code: "invalid_request", message }),
    );
  });
});
