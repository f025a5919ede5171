import { FakeVendor } from "@troupe-internal/vendor-fakes";
import { Agent, defineTool } from "@troupe/core";
import type { ModelProvider, ModelSettings, RunEvents } from "@troupe/core";
import { google } from "@troupe/providers-google";
import { expect, it, onTestFinished } from "vitest";
import { connect, vendorNames } from "./vendors.ts";
import type { VendorName } from "./vendors.ts";

const sevenStops = { stop: ["a", "b", "c", "d", "e", "f", "g"] };
const untaken: Readonly<Record<VendorName, { settings: ModelSettings; what: string }>> = {
  openai: { settings: { temperature: 0.5 }, what: "temperature" },
  anthropic: { settings: { temperature: 0.5 }, what: "temperature or topP" },
  google: { settings: sevenStops, what: "a stop sequence" },
  vertex: { settings: sevenStops, what: "a stop sequence" },
  ollama: { settings: { reasoning: { enabled: true, budgetTokens: 2000 } }, what: "reasoning.budgetTokens" },
};

/** Returns the warnings of runs of an agent whose first run calls a tool. */
async function warningsOf(model: (url: string) => ModelProvider, settings: ModelSettings, runs = 1) {
  const vendor = await FakeVendor.start({ strict: true });
  onTestFinished(() => vendor.close());
  vendor.say({ toolCalls: [{ name: "look" }] }, "Rain.", "Still rain.");
  const look = defineTool({
    name: "look",
    description: "Looks.",
    parameters: { type: "object" },
    execute: () => "rain",
  });
  const agent = new Agent({ name: "viewer", model: model(vendor.url), tools: [look], modelOptions: settings });
  const warnings: RunEvents["run.warning"][] = [];
  agent.eventBus.on("run.warning", (warning) => {
    warnings.push(warning);
  });
  for (let run = 0; run < runs; run += 1) await agent.run("How is it?", { apiKey: "key-1" });
  expect(vendor.exchanges.flatMap(({ refusal }) => refusal ?? [])).toEqual([]);
  return { warnings, requests: vendor.exchanges.length };
}

it.each(vendorNames)(
  "a setting that %s does not take is a warning, once for the agent [warnings.omitted-option]",
  async (name) => {
    const { settings, what } = untaken[name];
    const { modelId } = connect[name]("http://127.0.0.1");

    const { warnings, requests } = await warningsOf(connect[name], settings, 2);

    expect(requests).toBe(3);
    expect(warnings).toEqual([
      {
        runId: expect.any(String) as unknown,
        sessionId: expect.any(String) as unknown,
        code: "omitted_for_model",
        message: expect.stringMatching(
          new RegExp(`^${what} was left out of a request to ${name}/${modelId}: .*\\.$`),
        ) as unknown,
        fields: { vendor: name, model: modelId },
      },
    ]);
  },
);

it("a model that always thinks is told not to: a warning, once for the agent [model-options.reasoning-off]", async () => {
  for (const name of ["openai", "anthropic", "google", "vertex"] as const) {
    const { warnings } = await warningsOf(connect[name], { reasoning: { enabled: false } }, 2);

    expect(warnings.map(({ code, message }) => [code, message])).toEqual([
      ["omitted_for_model", expect.stringMatching(/^reasoning\.enabled false was left out of a request to .* always /)],
    ]);
  }
});

it("a schema that stands in the instructions instead is no warning [warnings.replaced-option]", async () => {
  const format: ModelSettings = { responseFormat: { type: "json_schema", schema: { type: "object" } } };

  expect((await warningsOf((url) => google("gemini-2.5-flash", { baseURL: url }), format)).warnings).toEqual([]);
  expect((await warningsOf(connect.ollama, format)).warnings).toEqual([]);
  expect(
    (await warningsOf(connect.anthropic, { responseFormat: { type: "json_schema", schema: {} } })).warnings,
  ).toEqual([]);
});
