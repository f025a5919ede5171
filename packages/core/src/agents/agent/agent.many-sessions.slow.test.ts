import { expect, it } from "vitest";
import { getTextContent } from "../../base/message/content.ts";
import { scripted } from "./test/agents.ts";

it("an agent in a session keeps the session of each run without an id while 9,000 others begin [agent.storage-default-keeps]", async () => {
  const { agent, model } = scripted([]);
  model.respond(() => "Re.");
  const first = await agent.run("First");
  for (let run = 0; run < 9000; run++) await agent.run("Other");
  const { sessionId } = await agent.run("Second", { sessionId: first.sessionId });

  const asked = model.calls.at(-1)?.messages.map(({ content }) => getTextContent(content));
  expect(sessionId).toBe(first.sessionId);
  expect(asked).toEqual(["First", "Re.", "Second"]);
  expect(await agent.sessions.readSession(sessionId)).toMatchObject({ title: "First", turns: 2 });
});
