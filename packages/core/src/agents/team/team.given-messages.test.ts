import { expect, it } from "vitest";
import { Agent } from "../agent/agent.ts";
import type { ChatMessage } from "../../base/message/message.ts";
import { InMemoryStorage } from "../../sessions/storage/in-memory-storage.ts";
import { ScriptedModel } from "../../testing/scripted-model.ts";
import { Team } from "./team.ts";

const messages: ChatMessage[] = [
  { role: "user", content: "I am Ada." },
  { role: "assistant", content: "Hello." },
];

it("a team has the messages that a run is given as its history, and its members do not", async () => {
  const [model, members] = [new ScriptedModel().respond(() => "All."), new ScriptedModel().respond(() => "Mine.")];
  const member = new Agent({ name: "m", model: members });
  const team = new Team({ name: "t", mode: "broadcast", model, members: [member], storage: new InMemoryStorage() });

  await team.run("Go on.", { sessionId: "s", messages });

  expect(JSON.stringify(model.calls)).toContain("I am Ada.");
  expect(JSON.stringify(members.calls)).not.toContain("I am Ada.");
  expect((await team.sessions.readTurns("s")).turns).toMatchObject([{ history: messages, input: "Go on." }]);
  await expect(team.run("Again.", { sessionId: "s", messages })).rejects.toMatchObject({ code: "conflict" });
});
