import Anthropic from "@anthropic-ai/sdk";
import { GoogleGenAI } from "@google/genai";
import { FakeVendor, scenarioReply } from "@troupe-internal/vendor-fakes";
import type { ModelOptions, ModelProvider } from "@troupe/core";
import { checkConformance, modelProviderCases, serversKey } from "@troupe/core/testing";
import type { ModelProviderSubject } from "@troupe/core/testing";
import { anthropic } from "@troupe/providers-anthropic";
import { google } from "@troupe/providers-google";
import { ollama } from "@troupe/providers-ollama";
import { openai } from "@troupe/providers-openai";
import { Ollama } from "ollama";
import OpenAI from "openai";
import { describe, it } from "vitest";

const apiKey = serversKey;
const wholeArguments = "the vendor sends the arguments of a call as an object, whole or not at all";

const silentStart = "the library takes no signal, and its request can be ended only once it has begun to answer";

/** Gaps of every client. */
const gaps = {
  "reports a refused key of the caller as unauthorized": "a client has one key, and a call cannot bring its own",
  "shows no key in any error":
    "a key that was never sent is not known, and not masked in the vendor's words behind an error",
  "ends a stalled stream as a timeout": "a client has its own timeouts",
  "yields the text before a failure, and no finish chunk":
    "a client has its own timeouts, and a stalled stream is one of the failures",
};

/** A model that calls the vendor's library, a transcript that ends too early, and the cases that it cannot pass. */
type ClientRow = {
  model: (url: string) => ModelProvider;
  truncated: string;
  knownGaps: Partial<Record<keyof typeof modelProviderCases, string>>;
};

const clients: Readonly<Record<string, ClientRow>> = {
  "openai's library": {
    model: (url) => openai("gpt-4.1", { client: new OpenAI({ apiKey, baseURL: `${url}/v1` }), api: "chat" }),
    truncated: "openai-chat-truncated.sse",
    knownGaps: gaps,
  },
  "anthropic's library": {
    model: (baseURL) => anthropic("claude-haiku-4-5", { client: new Anthropic({ apiKey, baseURL }) }),
    truncated: "anthropic-truncated.sse",
    knownGaps: gaps,
  },
  "gemini's library": {
    model: (baseUrl) =>
      google("gemini-2.5-flash", { client: new GoogleGenAI({ apiKey, enterprise: false, httpOptions: { baseUrl } }) }),
    truncated: "google-truncated.sse",
    knownGaps: {
      ...gaps,
      "reports truncated arguments and does not guess the rest": wholeArguments,
      "leaves no listener on the signal": "the library leaves its own there",
    },
  },
  "ollama's library": {
    model: (host) =>
      ollama("qwen3:8b", { client: new Ollama({ host, headers: { authorization: `Bearer ${apiKey}` } }) }),
    truncated: "ollama-truncated.ndjson",
    knownGaps: {
      ...gaps,
      "fails on a stream that ends before its answer is complete":
        "the library's own error does not say that it may be retried",
      "reports a rate limit with the vendor's retry-after time": "the library gives no headers of an error",
      "ends a stream that waits for its first byte when the signal aborts": silentStart,
      "ends a pending generate call when the signal aborts": silentStart,
      "reports a timeout when the signal aborts with a TimeoutError": silentStart,
      "reports truncated arguments and does not guess the rest": wholeArguments,
      "reports usage with its parts": "the server counts what it reads and writes, and no parts of it",
      "finishes a withheld answer with content_filter": "the server withholds nothing",
    },
  },
};

/** Leaves the caller's key out of each call: the client has its own. */
function withoutKey(model: ModelProvider): ModelProvider {
  const plain = ({ apiKey: _key, ...options }: ModelOptions = {}): ModelOptions => options;
  return {
    providerId: model.providerId,
    modelId: model.modelId,
    generate: (messages, options) => model.generate(messages, plain(options)),
    stream: (messages, options) => model.stream(messages, plain(options)),
  };
}

async function createSubject({
  model,
  truncated,
}: ClientRow): Promise<ModelProviderSubject & { close(): Promise<void> }> {
  const vendor = await FakeVendor.start({ strict: true });
  return {
    provider(scenario) {
      vendor.plan(scenarioReply(scenario, { truncated }));
      return withoutKey(model(vendor.url));
    },
    requests: () => vendor.exchanges,
    close: async () => await vendor.close(),
  };
}

describe.each(Object.entries(clients))("a provider through %s", (_, row) => {
  checkConformance(it.concurrent, modelProviderCases, {
    create: async () => await createSubject(row),
    dispose: async (subject) => await subject.close(),
    knownGaps: row.knownGaps,
  });
});
