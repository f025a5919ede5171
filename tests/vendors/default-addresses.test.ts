import { ModelError } from "@troupe/core";
import type { ModelProvider } from "@troupe/core";
import { sharedHttpPool } from "@troupe/core/provider";
import { anthropic } from "@troupe/providers-anthropic";
import { bedrock } from "@troupe/providers-bedrock";
import { google } from "@troupe/providers-google";
import { ollama } from "@troupe/providers-ollama";
import { openai } from "@troupe/providers-openai";
import { vertex } from "@troupe/providers-vertex";
import { expect, it, onTestFinished, vi } from "vitest";

const cloud = "https://europe-west1-aiplatform.googleapis.com/v1beta1/projects/p/locations/europe-west1";

it.each<[string, () => ModelProvider, string]>([
  ["openai", () => openai("gpt-6.1-sol"), "https://api.openai.com/v1/responses"],
  ["anthropic", () => anthropic("claude-opus-5-5"), "https://api.anthropic.com/v1/messages"],
  [
    "google",
    () => google("gemini-3.8-flash"),
    "https://generativelanguage.googleapis.com/v1beta/models/gemini-3.8-flash:generateContent",
  ],
  [
    "vertex",
    () => vertex("gemini-3.8-flash", { project: "p", location: "europe-west1" }),
    `${cloud}/publishers/google/models/gemini-3.8-flash:generateContent`,
  ],
  [
    "bedrock",
    () => bedrock("us.amazon.nova-pro-v1:0", { region: "eu-central-1" }),
    "https://bedrock-runtime.eu-central-1.amazonaws.com/model/us.amazon.nova-pro-v1%3A0/converse",
  ],
  ["ollama", () => ollama("qwen3"), "http://127.0.0.1:11434/api/chat"],
])(
  "a model of %s is called at its vendor's address [openai.factory] [anthropic.factory] [google.factory] [vertex.factory] [ollama.factory]",
  async (_name, create, address) => {
    const urls: string[] = [];
    const pool = sharedHttpPool();
    const send = vi.spyOn(pool, "send").mockImplementation((url) => {
      urls.push(String(url));
      return Promise.reject(new ModelError({ providerId: "none", status: 500 }));
    });
    onTestFinished(() => send.mockRestore());

    await expect(create().generate([{ role: "user", content: "Hi" }], { apiKey: "key-1" })).rejects.toMatchObject({
      code: "model_failed",
    });

    expect(urls).toEqual([address]);
  },
);
