import { expect, it } from "vitest";
import { ScriptedModel } from "../../testing/scripted-model.ts";
import { defineTool } from "../tool/define-tool.ts";
import { readHostRunOptions } from "./host-run-options.ts";

const tool = defineTool({ name: "send", description: "Sends.", parameters: { type: "object" }, execute: () => null });

it("options of a host are read whole", () => {
  const options = {
    metadata: { a: () => 1 },
    limits: { totalTokens: 5, durationMs: 1000 },
    modelOptions: { temperature: 0 },
    model: new ScriptedModel(),
    instructions: "",
    tools: [tool],
  };
  const read = readHostRunOptions(options);
  expect(read).toEqual(options);
  expect([read?.metadata, read?.model]).toEqual([options.metadata, options.model]);
});

it("options of a host may be none, or empty", () => {
  expect(readHostRunOptions(undefined)).toBeUndefined();
  expect(Object.values(readHostRunOptions({}) ?? {}).filter((value) => value !== undefined)).toEqual([]);
});

it.each<[options: unknown, message: string]>([
  [null, "runOptions(request) must be an object, got null."],
  ["x", "runOptions(request) must be an object, got a string."],
  [
    { sessionId: "s" },
    'Unknown option "sessionId" of runOptions(request). Expected metadata, limits, modelOptions, model, instructions or tools.',
  ],
  [{ metadata: [] }, "runOptions(request).metadata must be an object, got an array."],
  [
    { limits: { totalTokens: 0 } },
    "runOptions(request).limits.totalTokens must be a positive number up to 9007199254740991, got 0.",
  ],
  [
    { modelOptions: { temperature: "hot" } },
    "runOptions(request).modelOptions.temperature must be a number from 0 to 2, got a string.",
  ],
  [{ model: "gpt" }, "runOptions(request).model must be a model provider, like openai(modelId), got a string."],
  [{ instructions: 7 }, "runOptions(request).instructions must be a string, got 7."],
  [{ tools: "send" }, "runOptions(request).tools must be an array of tools and tool sources, got a string."],
])("options of a host are refused: %j", (options, message) => {
  expect(() => readHostRunOptions(options)).toThrow(expect.objectContaining({ code: "invalid_config", message }));
});

it("a mistake is named by the path of the function that returned the options", () => {
  expect(() => readHostRunOptions({ instructions: 7 }, "options.run(caller)")).toThrow(
    "options.run(caller).instructions must be a string, got 7.",
  );
});
