import { Agent, defineTool } from "@troupe/core";
import type { ModelOptions, ModelProvider, TokenUsage } from "@troupe/core";
import { collectResponse } from "@troupe/core/provider";

/** A feature of a vendor or server: the most tokens that it takes, and the work that shows it. */
export type Feature = {
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** True if a model may lack the feature. A feature that every model has is a fault if it is not seen. */
  readonly isOptional?: boolean;
  /** Returns true if the model has shown the feature. */
  readonly see: (model: ModelProvider, settings: FeatureSettings) => Promise<boolean>;
};

/** The bounds of calls. */
export type FeatureSettings = {
  readonly short: ModelOptions;
  readonly long: ModelOptions;
  readonly thinking: ModelOptions;
  /** The number of times that the instructions repeat a sentence, so that they are long enough for a prompt cache. */
  readonly sentences: number;
};

/** Bounds for vendors. Models that think need room for their thoughts before an answer. */
export const vendorSettings: FeatureSettings = {
  short: { maxTokens: 300 },
  long: { maxTokens: 1000 },
  thinking: { maxTokens: 3000 },
  sentences: 250,
};
/** Bounds for a server of one's own, which may write a few tokens a second. */
export const slowSettings: FeatureSettings = {
  short: { maxTokens: 3, temperature: 0 },
  long: { maxTokens: 24, temperature: 0 },
  thinking: { maxTokens: 16, temperature: 0 },
  sentences: 20,
};

const say = (content: string) => [{ role: "user" as const, content }];
const hello = say("Say hello.");
const schema = {
  type: "object",
  properties: { rain: { type: "boolean" } },
  required: ["rain"],
  additionalProperties: false,
};
const look = defineTool({
  name: "look",
  description: "Looks out of the window, and tells the weather.",
  parameters: { type: "object", properties: {} },
  execute: () => "It rains.",
});
const sentence = "Answer as the guide of a museum would, briefly. ";

/** The features that a user of a vendor relies on, by their names on the page of results. */
export const features = {
  "whole answer": {
    inputTokens: 50,
    outputTokens: 300,
    see: async (model, { short }) => (await model.generate(hello, short)).text !== "",
  },
  "streamed answer": {
    inputTokens: 50,
    outputTokens: 300,
    see: async (model, { short }) => (await collectResponse(model.stream(hello, short))).text !== "",
  },
  usage: {
    inputTokens: 50,
    outputTokens: 300,
    see: async (model, { short }) => {
      const { promptTokens, completionTokens } = (await model.generate(hello, short)).usage;
      return promptTokens > 0 && completionTokens > 0;
    },
  },
  "token limit": {
    inputTokens: 50,
    outputTokens: 300,
    see: async (model, { short }) =>
      (await model.generate(say("Count to ten thousand, in words."), short)).finishReason === "length",
  },
  abort: {
    inputTokens: 50,
    outputTokens: 2000,
    async see(model) {
      const controller = new AbortController();
      const options = { signal: controller.signal, maxTokens: 2000 };
      const chunks = model.stream(say("Tell a long story."), options)[Symbol.asyncIterator]();
      await chunks.next();
      controller.abort();
      return await collectResponse({ [Symbol.asyncIterator]: () => chunks }).then(
        () => false,
        ({ code }: { code?: string }) => code === "cancelled",
      );
    },
  },
  "an agent with a session": {
    inputTokens: 500,
    outputTokens: 600,
    async see(model, { short }) {
      const agent = new Agent({ name: "helper", model, modelOptions: short });
      await agent.run("My name is Ann.", { sessionId: "s" });
      return (await agent.run("Say hello.", { sessionId: "s" })).status === "completed";
    },
  },
  "answer by a schema": {
    inputTokens: 200,
    outputTokens: 1000,
    isOptional: true,
    async see(model, { long }) {
      const responseFormat = { type: "json_schema", schema } as const;
      const { text } = await model.generate(say("It rains. Does it rain?"), { ...long, responseFormat });
      return typeof (JSON.parse(text) as { rain?: unknown }).rain === "boolean";
    },
  },
  "tool call with its result": {
    inputTokens: 1000,
    outputTokens: 2000,
    isOptional: true,
    async see(model, { long }) {
      const agent = new Agent({ name: "helper", model, tools: [look], maxToolRoundtrips: 1, modelOptions: long });
      const { toolCalls, text } = await agent.run("How is the weather? Look out of the window with the tool.");
      return toolCalls.length > 0 && text !== "";
    },
  },
  "thinking beside a tool call": {
    inputTokens: 2000,
    outputTokens: 6000,
    isOptional: true,
    async see(model, { thinking: bounds }) {
      const modelOptions: ModelOptions = { reasoning: { enabled: true, effort: "low" }, ...bounds };
      const agent = new Agent({ name: "helper", model, tools: [look], maxToolRoundtrips: 1, modelOptions });
      const { thinking, toolCalls } = await agent.run("Is an umbrella needed? Look out of the window with the tool.");
      return toolCalls.length > 0 && thinking !== undefined && thinking !== "";
    },
  },
  "cached tokens": {
    inputTokens: 8000,
    outputTokens: 600,
    isOptional: true,
    async see(model, { short, sentences }) {
      const instructions = sentence.repeat(sentences);
      const agent = new Agent({ name: "helper", instructions, model, modelOptions: short });
      await agent.run("Where is the café?");
      return ((await agent.run("Where is the café?")).usage.cachedTokens ?? 0) > 0;
    },
  },
  "refusal of a wrong key": {
    inputTokens: 0,
    outputTokens: 0,
    isOptional: true,
    async see(model, { short }) {
      const refused = model.generate(hello, { ...short, apiKey: "sk-wrong" });
      return (await refused.then(String, (error: { code?: string }) => error.code)) === "unauthorized";
    },
  },
} as const satisfies Readonly<Record<string, Feature>>;

/** The name of a feature. */
export type FeatureName = keyof typeof features;

/** The features that every model has: one that is not seen is a fault. */
export const neededFeatures = (Object.keys(features) as FeatureName[]).filter(
  (name) => !("isOptional" in features[name]),
);

/** The outcome of a feature: seen, not seen, or the error that its work ended with. */
type Sight = { readonly isSeen: boolean; readonly error?: string };

/** The outcomes of all features of a model, and the tokens of its calls. */
export type Sights = {
  readonly features: ReadonlyMap<FeatureName, Sight>;
  readonly usage: TokenUsage;
};

/** Shows each feature, one after the other. No error ends the work. */
export async function seeFeatures(model: ModelProvider, settings: FeatureSettings): Promise<Sights> {
  const counted = new CountedModel(model);
  const seen = new Map<FeatureName, Sight>();
  for (const name of Object.keys(features) as FeatureName[]) {
    const sight = await features[name].see(counted, settings).then(
      (isSeen): Sight => ({ isSeen }),
      ({ code = "internal", message }: Error & { code?: string }): Sight => ({
        isSeen: false,
        error: `${code}: ${message}`,
      }),
    );
    seen.set(name, sight);
  }
  return { features: seen, usage: counted.usage };
}

/** A model that counts the tokens of its calls, as its vendor reports them. */
class CountedModel implements ModelProvider {
  readonly providerId: string;
  readonly modelId: string;
  readonly usage = { promptTokens: 0, completionTokens: 0, totalTokens: 0 };
  readonly #model: ModelProvider;

  constructor(model: ModelProvider) {
    this.#model = model;
    this.providerId = model.providerId;
    this.modelId = model.modelId;
  }

  readonly generate: ModelProvider["generate"] = async (messages, options) => {
    const response = await this.#model.generate(messages, options);
    this.#add(response.usage);
    return response;
  };

  readonly stream: ModelProvider["stream"] = (messages, options) =>
    this.#counted(this.#model.stream(messages, options));

  async *#counted(chunks: ReturnType<ModelProvider["stream"]>): ReturnType<ModelProvider["stream"]> {
    for await (const chunk of chunks) {
      if (chunk.type === "finish" && chunk.usage !== undefined) this.#add(chunk.usage);
      yield chunk;
    }
  }

  #add({ promptTokens, completionTokens }: TokenUsage): void {
    this.usage.promptTokens += promptTokens;
    this.usage.completionTokens += completionTokens;
    this.usage.totalTokens += promptTokens + completionTokens;
  }
}
