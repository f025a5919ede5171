import { Ollama } from "ollama";
import type { ChatResponse } from "ollama";
import type { SdkAnswer, SdkClient, SdkSetup } from "./sdk-client.ts";

const asked = () => ({ model: "qwen3:8b", messages: [{ role: "user", content: "hello?" }] });

/** Ollama's library. It has no signal option, so its `fetch` adds one. */
export function createOllamaClient({ url, key }: SdkSetup): SdkClient {
  const connect = (signal?: AbortSignal) =>
    new Ollama({
      host: url,
      headers: { authorization: `Bearer ${key}` },
      fetch: (target, init) => fetch(target, signal === undefined ? init : { ...init, signal }),
    });
  return {
    name: "ollama",
    whole: async () => fromResponses([await connect().chat(asked())]),
    streamed: async () => {
      const responses: ChatResponse[] = [];
      for await (const one of await connect().chat({ ...asked(), stream: true })) responses.push(one);
      return fromResponses(responses);
    },
    open: (signal) => connect(signal).chat({ ...asked(), stream: true }),
    embed: async (input) => (await connect().embed({ model: "nomic-embed-text", input })).embeddings,
    readError: (error) => ({ status: (error as { status_code?: number }).status_code, retryAfter: undefined }),
  };
}

function fromResponses(responses: readonly ChatResponse[]): SdkAnswer {
  const messages = responses.map(({ message }) => message);
  const last = responses.at(-1);
  return {
    text: messages.map(({ content }) => content).join(""),
    thinking: messages.map(({ thinking }) => thinking ?? "").join(""),
    calls: messages.flatMap(({ tool_calls: calls }) => (calls ?? []).map((call) => call.function)),
    usage: { promptTokens: last?.prompt_eval_count ?? 0, completionTokens: last?.eval_count ?? 0 },
  };
}
