import { Agent } from "@troupe/core";
import type { ModelProvider, StorageDriver } from "@troupe/core";
import { model } from "./model.ts";
import { weather } from "./tools/weather.ts";

/** Creates the agent. Tests pass it a scripted model. Its sessions are in memory if no storage is passed. */
export function createHelper(used: ModelProvider = model, storage?: StorageDriver) {
  return new Agent({
    name: "helper",
    description: "Answers questions, and knows the weather.",
    model: used,
    instructions: "Answer in one or two sentences. Ask the weather tool before you say anything about the weather.",
    tools: [weather],
    storage,
  });
}
