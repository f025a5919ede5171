import { Workflow } from "@troupe/core";
import type { WorkflowConfig } from "@troupe/core";
import { describe, expect, it, vi } from "vitest";
import { openChat, typesOf } from "../test/chat.ts";
import type { TestChat } from "../test/chat.ts";
import { durable, talker } from "../test/runnables.ts";
import { as, serve } from "../test/serve.ts";

const patience = { timeout: 10_000, interval: 5 };

/** Serves a workflow as an agent, and opens a chat with it. */
async function openFlow(steps: WorkflowConfig<Record<string, unknown>>["steps"]) {
  const flow = new Workflow({ name: "flow", initialState: {}, steps }).asRunnable();
  const runs = await durable({ agents: { flow } });
  const service = await serve({ agents: { flow }, runs });
  return { service, runs, open: openChat(service, "/agents/flow/ui", { id: "c1", headers: as("ada") }) };
}

type WaitData = { runId: string; waitId: string; kind: string; about: unknown };

function waitIn({ chat }: TestChat): WaitData {
  const part = chat.messages.at(-1)?.parts.find(({ type }) => type === "data-wait");
  return (part as { data: WaitData } | undefined)?.data ?? { runId: "", waitId: "", kind: "", about: null };
}

describe("a chat with a workflow that waits", () => {
  it("ends its message at a question, and goes on once the question is answered over HTTP", async () => {
    const { service, open } = await openFlow([{ name: "colour", ask: () => "Welche Farbe? 🎨" }]);
    await open.chat.sendMessage({ text: "Hi." });
    expect(open.chat.status).toBe("ready");
    const { runId, waitId, kind, about } = waitIn(open);
    expect([kind, about]).toEqual(["question", { question: "Welche Farbe? 🎨", step: "colour" }]);
    const path = `/runs/${runId}/answers/${waitId}`;
    expect((await service.post(path, { result: 7 }, as("ada"))).status).toBe(400);
    expect((await service.post(path, { result: "red" }, as("bob"))).status).toBe(404);
    expect((await service.post(path, { result: "grün" }, as("ada"))).status).toBeLessThan(300);

    await open.chat.resumeStream();
    await vi.waitFor(() => expect(open.chat.status).toBe("ready"), patience);
    expect(open.chunks.at(-1)).toMatchObject({ type: "finish" });
    expect(JSON.stringify(open.chat.messages.at(-1))).toContain("grün");
  });

  it("goes on with its message after a sleep", async () => {
    const { open } = await openFlow([
      { name: "nap", sleepMs: 60 },
      { name: "greet", agent: talker("Grüße.") },
    ]);
    await open.chat.sendMessage({ text: "Hi." });

    expect(open.chat.status).toBe("ready");
    expect(waitIn(open).kind).toBe("sleep");
    expect(JSON.stringify(open.chat.messages.at(-1))).toContain("Grüße.");
    expect(typesOf(open.chunks).filter((type) => type === "finish")).toHaveLength(1);
  });
});
