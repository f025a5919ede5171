import { describe, expect, it } from "vitest";
import { ScriptedModel } from "../testing/scripted-model.ts";
import { modelOption } from "./model-option.ts";

describe("modelOption", () => {
  const model = { providerId: "", modelId: "m", generate: () => {}, stream: () => {} };

  it.each([new ScriptedModel(), model, { ...model, more: 1 }])("returns the model that it is given", (given) => {
    expect(modelOption(given, "model", {})).toBe(given);
  });

  it.each([
    undefined,
    null,
    "gpt",
    () => model,
    { ...model, providerId: undefined },
    { ...model, providerId: 1 },
    { ...model, modelId: undefined },
    { ...model, generate: undefined },
    { ...model, stream: undefined },
    { ...model, stream: "x" },
  ])("refuses what is no model: %o", (wrong) => {
    expect(() => modelOption(wrong, "model", { path: "titles", code: "invalid_request" })).toThrow(
      expect.objectContaining({
        code: "invalid_request",
        message: expect.stringMatching(/^titles\.model must be a model provider, like openai\(modelId\), got /),
      }),
    );
  });
});
