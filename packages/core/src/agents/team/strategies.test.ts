import { describe, expect, it } from "vitest";
import type { ChatMessage } from "../../base/message/message.ts";
import type { RunOpts } from "../run/run-options.ts";
import { ScriptedModel } from "../../testing/scripted-model.ts";
import type { ScriptedAnswer } from "../../testing/scripted-answer.ts";
import { Team } from "./team.ts";
import type { TeamMode } from "./team-config.ts";
import { agrees, member } from "./test/teams.ts";

const broken: ScriptedAnswer = { error: new Error("Out of paper.") };
const objects: ScriptedAnswer = { structured: { agree: false, reason: "It is late." } };

/** Returns the text that the orchestrator reads instead of a member's answer. */
const failureOf = (name: string) => `The tool delegate_to_${name} failed: Something went wrong in this service.`;

type Turns = Readonly<Record<string, Parameters<typeof member>[1]>>;

/** Runs a team whose members play these turns to their end, and returns what its model was told. */
async function tell(mode: TeamMode, turns: Turns, opts: RunOpts = {}) {
  const model = new ScriptedModel("done");
  const members = Object.entries(turns).map(([name, script]) => member(name, script, { retry: { maxRetries: 0 } }));
  const team = new Team({ name: "team", mode, model, members: members.map(({ agent }) => agent) });
  const { text, toolCalls } = await team.run("Tea?", opts);

  expect([text, model.calls.length]).toEqual(["done", 1]);
  for (const each of members) each.model.assertDone();
  return { said: model.calls[0]?.messages.slice(1), options: model.calls[0]?.options, toolCalls };
}

describe("the answers of a team that broadcasts", () => {
  it("come under their names, in the order of the members, with the failures among them", async () => {
    const { said } = await tell("broadcast", { ann: [broken], bob: [{ text: "from bob", delayMs: 2 }], cy: [""] });

    const answers = [`## ann\n\n${failureOf("ann")}`, "## bob\n\nfrom bob", "## cy\n\n(no answer)"];
    expect(said).toStrictEqual([
      { role: "user", content: ["Tea?", "These are the answers of your members:", ...answers].join("\n\n") },
    ]);
  });

  it("follow the history, whose tools the orchestrator may not call", async () => {
    const call = { id: "1", name: "delegate_to_ann", arguments: { task: "Look." } };
    const messages: ChatMessage[] = [
      { role: "user", content: "Coffee?" },
      { role: "assistant", content: null, toolCalls: [call] },
      { role: "tool", toolCallId: "1", content: "fine" },
      { role: "assistant", content: "Yes." },
    ];
    const { said, options } = await tell("broadcast", { ann: ["from ann"] }, { messages });

    expect(said).toStrictEqual([
      ...messages,
      { role: "user", content: "Tea?\n\nThese are the answers of your members:\n\n## ann\n\nfrom ann" },
    ]);
    expect(options).toMatchObject({ toolChoice: "none", tools: [{ name: "delegate_to_ann" }] });
  });
});

describe("a discussion", () => {
  const first = ["Tea?", "Your members have discussed this:"];
  const vote = { round: 1, vote: true };

  it.each<[title: string, turns: Turns, calls: [string, object][], entries: string[]]>([
    [
      "ends without a vote when one member alone has spoken",
      { ann: ["tea"], bob: [broken] },
      [
        ["ann", { round: 1 }],
        ["bob", { round: 1 }],
      ],
      ["## Round 1: ann\n\ntea", `## Round 1: bob\n\n${failureOf("bob")}`],
    ],
    [
      "asks for the votes of those alone that have spoken",
      { ann: ["tea", agrees], bob: [broken], cy: ["water", agrees] },
      [
        ["ann", { round: 1 }],
        ["bob", { round: 1 }],
        ["cy", { round: 1 }],
        ["ann", vote],
        ["cy", vote],
      ],
      ["## Round 1: ann\n\ntea", `## Round 1: bob\n\n${failureOf("bob")}`, "## Round 1: cy\n\nwater"],
    ],
    [
      "is told to its end when all fail in a later round",
      { ann: ["tea", objects, broken], bob: ["water", agrees, broken] },
      [
        ["ann", { round: 1 }],
        ["bob", { round: 1 }],
        ["ann", vote],
        ["bob", vote],
        ["ann", { round: 2 }],
        ["bob", { round: 2 }],
      ],
      [
        "## Round 1: ann\n\ntea",
        "## Round 1: bob\n\nwater",
        "ann does not agree: It is late.",
        `## Round 2: ann\n\n${failureOf("ann")}`,
        `## Round 2: bob\n\n${failureOf("bob")}`,
      ],
    ],
  ])("%s", async (...[, turns, calls, entries]) => {
    const { said, toolCalls } = await tell("collaborate", turns);

    expect(toolCalls.map(({ toolName, args }) => [toolName, args])).toEqual(
      calls.map(([name, args]) => [`delegate_to_${name}`, args]),
    );
    expect(said).toStrictEqual([{ role: "user", content: [...first, ...entries].join("\n\n") }]);
  });
});
