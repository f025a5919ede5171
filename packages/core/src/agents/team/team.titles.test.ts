import { expect, it } from "vitest";
import { Agent } from "../agent/agent.ts";
import { InMemoryStorage } from "../../sessions/storage/in-memory-storage.ts";
import { ScriptedModel } from "../../testing/scripted-model.ts";
import { Team } from "./team.ts";

const owner = { userId: "ada" };

it("a title under way is waited for when a team is closed [session.title-close]", async () => {
  const titles = new ScriptedModel().respond(() => ({ text: "Team's title", delayMs: 20 }));
  const model = new ScriptedModel().respond(() => "All.");
  const members = [new Agent({ name: "m", model })];
  const storage = new InMemoryStorage();
  const team = new Team({ name: "t", mode: "broadcast", model, members, storage, titles: { model: titles } });
  await team.run("Hi", { sessionId: "s", ...owner });
  await team.close();

  expect((await team.sessions.readSession("s", { owner })).title).toBe("Team's title");
});

it("a title is made by a model for a team's session, and for no session of a member [session.title-model]", async () => {
  const titles = new ScriptedModel().respond(() => "Team's title");
  const model = new ScriptedModel().respond(() => "All.");
  const member = new Agent({ name: "m", model, storage: new InMemoryStorage(), titles: { model: titles } });
  const team = new Team({
    name: "t",
    mode: "broadcast",
    model,
    members: [member],
    storage: new InMemoryStorage(),
    memberSessions: "persist",
    titles: { model: titles },
  });

  await team.run("Hi", { sessionId: "s", ...owner });
  await Promise.all([team.sessions.flush(), member.sessions.flush()]);

  expect((await team.sessions.readSession("s", { owner })).title).toBe("Team's title");
  expect(titles.calls).toHaveLength(1);
});
