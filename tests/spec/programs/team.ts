// Team: the four modes.
import assert from "node:assert/strict";
import { Agent, InMemoryStorage, Team } from "@troupe/core";
import type { RunOutput, TeamMode } from "@troupe/core";
import { ScriptedModel } from "@troupe/core/testing";

const answering = (name: string, text: string) =>
  new Agent({ name, model: new ScriptedModel().respond(() => text), instructions: `You are ${name}.` });
const members = () => [answering("ann", "Ann says rain."), answering("ben", "Ben says sun.")];

// The orchestrator delegates and answers.
const coordinator = new ScriptedModel(
  { toolCalls: [{ name: "delegate_to_ann", arguments: { task: "Look outside." } }] },
  "Rain, says Ann.",
);
const coordinate = new Team({
  name: "coordinated",
  mode: "coordinate",
  model: coordinator,
  members: members(),
  instructions: "",
  storage: new InMemoryStorage(),
});
const coordinated: RunOutput = await coordinate.run("How is it?", { sessionId: "s-1", userId: "ann" });
assert.equal(coordinated.text, "Rain, says Ann.");
assert.equal(coordinated.toolCalls[0]?.result, "Ann says rain.");
assert.equal(coordinated.usage.totalTokens, 45);

// The orchestrator chooses the member that answers.
const router = new ScriptedModel().respond(({ options }) =>
  options.tools?.length ? { toolCalls: [{ name: options.tools[1]?.name ?? "" }] } : JSON.stringify({ member: "ben" }),
);
const route = new Team({ name: "routed", mode: "route", model: router, members: members() });
assert.equal((await route.run("How is it?")).text, "Ben says sun.");

// All members answer, and the orchestrator sums up.
const broadcast = new Team({
  name: "broadcasted",
  mode: "broadcast",
  model: new ScriptedModel("They disagree."),
  members: members(),
  instructions: "Compare the answers.",
});
const texts: string[] = [];
for await (const chunk of broadcast.stream("How is it?")) if (chunk.type === "text") texts.push(chunk.text);
assert.equal(texts.join(""), "They disagree.");

// The members discuss in rounds.
const collaborate = new Team({
  name: "collaborating",
  mode: "collaborate",
  model: new ScriptedModel().respond(() => "They agree on clouds."),
  members: members(),
  maxRounds: 2,
});
assert.equal((await collaborate.run("How is it?")).text, "They agree on clouds.");

const modes: TeamMode[] = ["coordinate", "route", "broadcast", "collaborate"];
assert.equal(modes.length, 4);
