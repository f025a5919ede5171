import { GoogleGenAI } from "@google/genai/web";
import { timingSuite } from "@troupe-internal/vendor-fakes";
import { describe, it } from "vitest";
import { google } from "./index.ts";

const model = "gemini-3.8-flash";
const contents = [{ role: "user", parts: [{ text: "Umbrella?" }] }];
const tail = {
  usageMetadata: {
    promptTokenCount: 10,
    candidatesTokenCount: 300,
    totalTokenCount: 310,
    promptTokensDetails: [{ modality: "TEXT", tokenCount: 10 }],
  },
  modelVersion: model,
  responseId: "r-01",
};
const answer = (text: string, end: object = {}): string =>
  JSON.stringify({ candidates: [{ content: { parts: [{ text }], role: "model" }, ...end, index: 0 }], ...tail });
const end = { finishReason: "STOP" };

type Event = { candidates: { content: { parts: { text: string }[] } }[] };

describe("google", () => {
  timingSuite(it, {
    connect: (baseURL) => google(model, { apiKey: "key-1", baseURL }),
    answers: {
      piece: `data: ${answer("some words ")}\r\n\r\n`,
      end: `data: ${answer("", end)}\r\n\r\n`,
      whole: answer("some words ".repeat(100), end),
    },
    request: {
      path: `/v1beta/models/${model}:streamGenerateContent?alt=sse`,
      headers: { "x-goog-api-key": "key-1" },
      body: { contents, generationConfig: {} },
    },
    textOf: ({ candidates }: Event) => candidates[0]?.content.parts[0]?.text,
    mostCost: 1.75,
    // There is no raw answer to be had from this library.
    askLibrary: async (baseUrl, fetch) => {
      const { models } = new GoogleGenAI({ apiKey: "key-1", apiVersion: "v1beta", httpOptions: { baseUrl, fetch } });
      const config = { automaticContinuation: false, automaticFunctionCalling: { disable: true } };
      return async () => await models.generateContent({ model, contents, config });
    },
  });
});
