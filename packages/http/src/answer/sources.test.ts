import { Agent, InMemoryStorage, Workflow } from "@troupe/core";
import type { Source } from "@troupe/core";
import { ScriptedModel } from "@troupe/core/testing";
import { describe, expect, it } from "vitest";
import { post, readFrames } from "../../test/clients.ts";
import { serve } from "../../test/serve-agent.ts";

const sources: Source[] = [
  { id: "1", url: "https://example.com/oslo", title: "Oslo", toolCallId: "search_1" },
  { id: "2", url: "https://example.com/rome" },
];
const answer = { text: "Rain.", sources };
const usage = {
  promptTokens: 9,
  completionTokens: 3,
  totalTokens: 12,
  reasoningTokens: 2,
  cachedTokens: 3,
  cacheWriteTokens: 4,
  audioInputTokens: 1,
  audioOutputTokens: 1,
  providerMetrics: { input_tokens: 9 },
};
const agentWith = (...answers: ConstructorParameters<typeof ScriptedModel>) =>
  new Agent({ name: "a", model: new ScriptedModel(...answers), storage: new InMemoryStorage() });

describe("the sources of an answer over HTTP", () => {
  it("are events of a stream, of an agent and of a workflow's step [http.sources]", async () => {
    const steps = [{ name: "ask", agent: agentWith(answer) }];
    const workflow = new Workflow({ name: "w", initialState: {}, steps });
    const service = await serve({ agent: agentWith(answer), workflow });

    const chunks = (await readFrames(await post(service, "/agents/a/stream"))).map(({ data }) => data);
    const events = await readFrames(await post(service, "/workflows/w/stream", { body: '{"input":"Go."}' }));

    const inSteps = events.flatMap(({ data }) => ("chunk" in data ? [data.chunk] : []));
    const expected = sources.map((source) => ({ type: "source", ...source }));
    for (const shown of [chunks, inSteps]) {
      expect((shown as { type: string }[]).filter(({ type }) => type === "source")).toEqual(expected);
    }
  });

  it("are in the answer and in the turns of the session, as is all that the vendor counted [http.sources] [usage.cache-writes] [turn.usage]", async () => {
    const service = await serve({ agent: agentWith({ ...answer, usage }) });
    const body = JSON.stringify({ input: "Weather?", sessionId: "s" });

    expect(await (await post(service, "/agents/a/run", { body })).json()).toMatchObject({ sources, usage });
    const { turns } = (await (await fetch(`${service.url}/sessions/s/turns`)).json()) as { turns: unknown };
    expect(turns).toMatchObject([{ sources, usage }]);
  });
});
