import { createAmazonBedrock } from "@ai-sdk/amazon-bedrock";
import { createAnthropic } from "@ai-sdk/anthropic";
import { createGoogle } from "@ai-sdk/google";
import { createGroq } from "@ai-sdk/groq";
import { createMistral } from "@ai-sdk/mistral";
import { createOpenAI } from "@ai-sdk/openai";
import { createXai } from "@ai-sdk/xai";
import {
  bedrockDialect,
  bedrockEvent,
  chatVariant,
  objectOf,
  objectsIn,
  openaiResponses,
  readTranscript,
  refuseOpenaiChat,
} from "@troupe-internal/vendor-fakes";
import type { JsonObject, PlannedReply, ProviderSubject, SubjectOptions } from "@troupe-internal/vendor-fakes";
import { fromAiSdk } from "../src/index.ts";
import type { AiSdkEmbeddingModel, AiSdkLanguageModel } from "../src/index.ts";

type Settings = { baseURL: string; apiKey: string; fetch?: typeof globalThis.fetch };
type Make = (settings: Settings, modelId: string) => AiSdkLanguageModel;

/** A package of the AI SDK: how its models are made, and the subject without what all packages share. */
type Package = Partial<ProviderSubject> & {
  path: string;
  modelId: string;
  make: Make;
  embed?: (settings: Settings) => AiSdkEmbeddingModel;
  /** True to make a model for each key of a caller, false to let the key replace that of the model. */
  withKey?: boolean;
};

const anyKey = "sk-none";

/** Gaps of every package, by its observed behaviour. */
const gapsOfAll = {
  "refuses wrong options where they are given, and shows none of their values":
    "address, key and network are options of the package, which makes the model",
  "follows no redirect": "the packages follow redirects, as the fetch of Node does",
  "goes through the proxy of the environment where NODE_USE_ENV_PROXY is 1": "Node's fetch reads it once, at its start",
  "ends a whole answer that goes silent, and its socket":
    "a package tells nothing of a whole answer before all of it has come: timeoutMs alone limits it",
};

const waitsForEnd = {
  "is done soon after the last event, though its vendor keeps the connection":
    "the package gives the end of an answer when the connection ends, not at the last event",
};

const hiddenThinking = {
  "keeps thinking apart from the text": "without the setting `reasoning`, the package does not ask to see it",
};
const parsedArguments = {
  "reports truncated arguments and does not guess the rest":
    "the vendor, or its package, gives arguments as an object: whole, or not at all",
};

function subjectOf({ path, modelId, make, embed, withKey = false, ...own }: Package): ProviderSubject {
  const settingsOf = (url: string, { apiKey = anyKey, fetch }: SubjectOptions): Settings => ({
    baseURL: `${url}${path}`,
    apiKey,
    ...(fetch !== undefined && { fetch: fetch as typeof globalThis.fetch }),
  });
  return {
    models: [modelId],
    transcripts: {},
    truncated: { transcript: "openai-chat-truncated.sse" },
    keyVariables: [],
    untaken: {},
    secrets: /signature|encrypted/,
    endsLongEvents: false,
    patienceMs: 4000,
    ...own,
    connect: (url, options) => {
      const { modelId: id = modelId, idleTimeoutMs, logger } = options;
      const settings = settingsOf(url, options);
      return fromAiSdk(make(settings, id), {
        idleTimeoutMs,
        logger,
        ...(withKey && { withKey: (apiKey: string) => make({ ...settings, apiKey }, id) }),
      });
    },
    ...(embed && { embeddings: (url, options) => fromAiSdk(embed(settingsOf(url, options))) }),
    knownGaps: { ...gapsOfAll, ...own.knownGaps },
  };
}

/** Returns a recorded answer without its last event. */
function cutTranscript(name: string): PlannedReply {
  const reply = readTranscript(name);
  const events = reply.frames.join("").split(/(?<=\n\n)/);
  return { raw: { ...reply, frames: events.slice(0, -1) } };
}

/** Returns why a compatible server would refuse a request: OpenAI's rules without those of its own models. */
function refuse(body: unknown): ReturnType<typeof refuseOpenaiChat> {
  const {
    messages,
    reasoning_effort: _,
    reasoning_format: __,
    random_seed: ___,
    safe_prompt: ____,
    ...plain
  } = objectOf(body);
  return refuseOpenaiChat({ ...plain, messages: objectsIn(messages).map(withoutThinking) });
}

/** Returns a message without the thinking that Mistral takes back as parts of its content. */
function withoutThinking({ content, ...message }: JsonObject): JsonObject {
  if (!Array.isArray(content)) return { ...message, ...(content !== undefined && { content }) };
  const said = objectsIn(content).filter(({ type }) => type !== "thinking");
  return { ...message, content: said.length === 0 ? "" : said };
}

/** The subjects of the suite: seven packages of the AI SDK over local servers. */
export const subjects: Readonly<Record<string, ProviderSubject>> = {
  openai: subjectOf({
    path: "/v1",
    modelId: "gpt-6.1-sol",
    make: (settings, id) => createOpenAI(settings)(id),
    embed: (settings) => createOpenAI(settings).embedding("text-embedding-3-small"),
    truncated: cutTranscript("openai-responses-text.sse"),
    untaken: { temperature: 0 },
    vendorCodes: { 429: "rate_limit_exceeded", 529: "server_error" },
    knownGaps: { ...waitsForEnd, ...hiddenThinking },
  }),
  anthropic: subjectOf({
    path: "/v1",
    modelId: "claude-opus-5-5",
    make: (settings, id) => createAnthropic(settings)(id),
    truncated: { transcript: "anthropic-truncated.sse" },
    untaken: { temperature: 1 },
    vendorCodes: { 429: "rate_limit_error", 529: "overloaded_error" },
    consistentThinkers: ["claude-opus-5-5"],
    knownGaps: hiddenThinking,
  }),
  google: subjectOf({
    path: "/v1beta",
    modelId: "gemini-3.8-flash",
    make: (settings, id) => createGoogle(settings)(id),
    embed: (settings) => createGoogle(settings).embedding("gemini-embedding-001"),
    truncated: { transcript: "google-truncated.sse" },
    untaken: {
      parallelToolCalls: false,
      tools: [{ name: "look", description: "Looks.", parameters: { type: "object" } }],
    },
    knownGaps: { ...waitsForEnd, ...parsedArguments },
  }),
  bedrock: subjectOf({
    path: "",
    modelId: "us.amazon.nova-pro-v1:0",
    make: (settings, id) => createAmazonBedrock({ ...settings, region: "us-east-1" })(id),
    withKey: true,
    dialect: bedrockDialect,
    truncated: {
      raw: {
        status: 200,
        headers: { "content-type": "application/vnd.amazon.eventstream" },
        frames: [
          bedrockEvent("messageStart", { role: "assistant" }),
          bedrockEvent("contentBlockDelta", { contentBlockIndex: 0, delta: { text: "Hel" } }),
        ],
      },
    },
    untaken: { seed: 7 },
    knownGaps: {
      ...waitsForEnd,
      "reports usage with its parts": "the vendor does not count the tokens of reasoning",
    },
  }),
  groq: subjectOf({
    path: "/v1",
    modelId: "openai/gpt-oss-120b",
    make: (settings, id) => createGroq(settings)(id),
    dialect: chatVariant({ counts: "x_groq", thinking: "reasoning", refuse }),
    untaken: { reasoning: { enabled: true, budgetTokens: 100 } },
    knownGaps: {
      ...waitsForEnd,
      "lets an agent mend an answer that does not fit its schema":
        "with tools, the package asks for the answer as a call of a tool named json, which the fake does not make",
    },
  }),
  mistral: subjectOf({
    path: "/v1",
    modelId: "mistral-large-latest",
    make: (settings, id) => createMistral(settings)(id),
    embed: (settings) => createMistral(settings).embedding("mistral-embed"),
    dialect: chatVariant({ counts: "at_end", thinking: "content", refuse }),
    untaken: { reasoning: { enabled: true, budgetTokens: 100 } },
    knownGaps: {
      ...waitsForEnd,
      "reports usage with its parts": "the package does not read the tokens of reasoning",
      "finishes a withheld answer with content_filter": "the package has no such finish reason of the vendor",
    },
  }),
  xai: subjectOf({
    path: "/v1",
    modelId: "grok-5",
    make: (settings, id) => createXai(settings)(id),
    truncated: cutTranscript("openai-responses-text.sse"),
    // The package gives each call the id of its item, which OpenAI refuses.
    dialect: { ...openaiResponses, refuse: () => undefined },
    untaken: { stop: ["END"] },
    knownGaps: { ...waitsForEnd, ...hiddenThinking },
  }),
};
