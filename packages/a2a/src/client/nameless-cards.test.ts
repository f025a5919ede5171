import { describe, expect, it } from "vitest";
import { card1, fakeRemote, sendJson, sendResult, task1 } from "../../test/fake-remote.ts";
import { A2ARemoteAgent } from "./remote-agent.ts";

/** Serves an agent with one card after the other. */
async function serveCards(...cards: object[]) {
  const { url } = await fakeRemote((request, response) => {
    if (request.verb === "GET")
      sendJson(response, request.path.endsWith("agent-card.json") ? (cards.shift() ?? {}) : {});
    else sendResult(request, response, { task: task1("COMPLETED", "Rain.") });
  }, null);
  return { url, host: new URL(url).host };
}

describe("a card without a name", () => {
  it.each([{ name: "" }, { name: " \n" }, { name: 7 }, { name: undefined }])(
    "is refused: %j, and its agent keeps the host of its URL as its name",
    async (fields) => {
      const nameless = card1(fields);
      const { url, host } = await serveCards(nameless, nameless, nameless, nameless);
      const agent = new A2ARemoteAgent({ url });
      const refusal = { code: "model_failed", message: expect.stringContaining("with a name") as string };

      await expect(agent.discover()).rejects.toMatchObject(refusal);
      await expect(agent.run("Umbrella?")).rejects.toMatchObject(refusal);
      expect([agent.name, agent.getAgentCard()]).toEqual([host, undefined]);
      expect(agent.asTool({ description: "Asks." }).name).toMatch(/^ask_127/);
    },
  );

  it("takes no name from an agent that has one, and the next card with a name gives it that", async () => {
    const { url } = await serveCards(...["Wetter ü", "", "", "weather"].map((name) => card1({ name })));
    const agent = new A2ARemoteAgent({ url: `${url}/agent-card.json` });
    await agent.discover();
    await expect(agent.discover()).rejects.toMatchObject({ code: "model_failed" });
    expect(agent.name).toBe("Wetter ü");
    await agent.discover();

    expect(agent.name).toBe("weather");
  });
});
