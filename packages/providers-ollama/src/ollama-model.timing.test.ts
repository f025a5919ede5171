import { timingSuite } from "@troupe-internal/vendor-fakes";
import { Ollama } from "ollama/browser";
import { describe, it } from "vitest";
import { ollama } from "./index.ts";

const messages = [{ role: "user" as const, content: "Umbrella?" }];
const body = { model: "qwen3:8b", messages, stream: true as const };
const counts = { total_duration: 1_200_000_000, prompt_eval_count: 10, eval_count: 300, eval_duration: 900_000_000 };

const line = (content: string, more: object) => {
  const message = { role: "assistant", content };
  return `${JSON.stringify({ model: "qwen3:8b", created_at: "2026-11-20T10:00:00.000000000Z", message, ...more })}\n`;
};

describe("ollama", () => {
  timingSuite(it, {
    connect: (baseURL) => ollama("qwen3:8b", { baseURL }),
    // Its answers are always streamed.
    answers: {
      piece: line("some words ", { done: false }),
      end: line("", { done: true, done_reason: "stop", ...counts }),
    },
    request: { path: "/api/chat", body },
    eventPrefix: "",
    textOf: ({ message }: { message: { content: string } }) => message.content,
    askLibrary: async (host, fetch) => {
      const client = new Ollama({ host, fetch });
      return async () => {
        let texts = 0;
        for await (const { message } of await client.chat(structuredClone(body))) if (message.content) texts += 1;
        return texts;
      };
    },
  });
});
