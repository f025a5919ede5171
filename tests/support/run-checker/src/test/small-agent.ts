import { randomUUID } from "node:crypto";
import type {
  ChatMessage,
  ExecutableTool,
  Json,
  ModelProvider,
  RunContext,
  Runnable,
  RunOutput,
  StorageDriver,
} from "@troupe/core";
import { contentText } from "../stored-turns.ts";

type Parts = {
  model: ModelProvider;
  tool: ExecutableTool;
  storage: StorageDriver;
  /** True to answer before the commit, which violates I1. */
  isHasty: boolean;
};
type StoredTurn = { input: string; messages: ChatMessage[] };

const usage = { promptTokens: 10, completionTokens: 5, totalTokens: 15 };

/** Creates a minimal agent that keeps the promises: history, model, tool, model, commit, answer. It does not stream. */
export function createSmallAgent({ model, tool, storage, isHasty }: Parts): Pick<Runnable, "name" | "kind" | "run"> {
  async function turn(input: string, history: readonly ChatMessage[]): Promise<ChatMessage[]> {
    const said: ChatMessage[] = [{ role: "user", content: input }];
    for (;;) {
      const { text, toolCalls } = await model.generate([...history, ...said]);
      if (toolCalls.length === 0) return [...said.slice(1), { role: "assistant", content: text }];
      said.push({ role: "assistant", content: text || null, toolCalls: [...toolCalls] });
      for (const { id, arguments: args } of toolCalls) {
        const content = contentText(await tool.execute(args, {} as RunContext));
        said.push({ role: "tool", toolCallId: id, content });
      }
    }
  }

  return {
    name: "small",
    kind: "agent",
    async run(input, { sessionId = "" } = {}): Promise<RunOutput> {
      const runId = randomUUID();
      const entries = await storage.list("turns", `-/-/${sessionId}/`);
      const history = entries.flatMap(({ value }) => {
        const stored = value as unknown as StoredTurn;
        return [{ role: "user" as const, content: stored.input }, ...stored.messages];
      });
      const messages = await turn(contentText(input), history);
      const record = { v: 1, runId, runnable: "small", input, messages, status: "completed", usage, createdAt: 1 };
      const commit = async (): Promise<void> => {
        const stored = await storage.append?.("turns", `-/-/${sessionId}/`, record as unknown as Json);
        const counted = { v: 1, owner: {}, createdAt: 1, updatedAt: 1, turns: stored?.seq ?? 0 };
        await storage.set("sessions", `-/-/${sessionId}`, counted);
      };
      if (isHasty) setTimeout(() => void commit(), 60_000).unref();
      else await commit();
      return {
        runId,
        text: contentText(messages.at(-1)?.content),
        toolCalls: [],
        usage,
        sessionId,
        status: "completed",
        durationMs: 0,
      };
    },
  };
}
