import { describe, expect, it } from "vitest";
import type { ToolCallResult } from "../../base/message/tool-call.ts";
import { appendTextPart, Discussion } from "./discussion.ts";
import { plainMembers } from "./test/plain-members.ts";

const members = plainMembers({ ann: {}, bob: {}, cid: {} });
const [ann, bob, cid] = members as [(typeof members)[0], (typeof members)[0], (typeof members)[0]];

const resultOf = (result: string, error?: string): ToolCallResult => ({
  toolCallId: "c",
  toolName: "t",
  args: {},
  result,
  durationMs: 1,
  ...(error !== undefined && { error }),
});
const results = (...texts: string[]) => texts.map((text) => resultOf(text));

const situation = (name: string, said: string) =>
  `Why?\n\nYou are ${name}, and discuss this with others. This was said so far:\n\n${said}\n\n`;
const goOn = "Give your contribution to the next round: answer the others, and say what you think now.";
const vote =
  "Do you agree with what the others said, so that nothing is left to discuss? Answer with JSON and nothing else: " +
  '{"agree": true}, or {"agree": false, "reason": "what you do not agree with"}.';

describe("Discussion", () => {
  it("asks the question alone at first, and then with all that was said", () => {
    const discussion = new Discussion("Why?");
    expect(discussion.contributionTasks([ann, bob], 1)).toEqual([
      { member: ann, content: "Why?", args: { round: 1 } },
      { member: bob, content: "Why?", args: { round: 1 } },
    ]);
    discussion.addContributions([ann, bob], results("A.", "B."), 1);
    const said = "## Round 1: ann\n\nA.\n\n## Round 1: bob\n\nB.";

    expect(discussion.transcript).toBe(said);
    expect(discussion.contributionTasks([bob], 2)).toEqual([
      { member: bob, content: situation("bob", said) + goOn, args: { round: 2 } },
    ]);
    expect(discussion.voteTasks([ann, bob], 1)).toEqual([
      { member: ann, content: situation("ann", said) + vote, args: { round: 1, vote: true } },
      { member: bob, content: situation("bob", said) + vote, args: { round: 1, vote: true } },
    ]);
  });

  it("keeps the parts of a question", () => {
    const image = { type: "image" as const, data: "aGk=", mimeType: "image/png" };
    const discussion = new Discussion([image]);
    discussion.addContributions([ann], results("A."), 1);

    expect(discussion.contributionTasks([ann], 2)[0]?.content).toEqual([
      image,
      { type: "text", text: `${situation("ann", "## Round 1: ann\n\nA.")}${goOn}`.slice("Why?\n\n".length) },
    ]);
  });

  it("has failures in its transcript, and returns the members that contributed", () => {
    const discussion = new Discussion("Why?");
    const given = [resultOf("A."), resultOf("bob failed", "failed"), resultOf("C.")];

    expect(discussion.addContributions(members, given, 1)).toEqual([ann, cid]);
    expect(discussion.addContributions([cid], [resultOf("")], 2)).toEqual([cid]);
    expect(discussion.transcript).toBe(
      ["## Round 1: ann\n\nA.", "## Round 1: bob\n\nbob failed", "## Round 1: cid\n\nC.", "## Round 2: cid\n\n"].join(
        "\n\n",
      ),
    );
  });

  it("can end by a vote of members that have words to vote with", () => {
    const structured = { ...bob, runnable: Object.assign(Object.create(bob.runnable), { hasStructuredOutput: true }) };
    const discussion = new Discussion("Why?");

    expect([[ann, bob], [ann, structured], [structured], []].map((each) => discussion.canEndBy(each))).toEqual([
      true,
      false,
      false,
      true,
    ]);
  });

  const agree = '{"agree": true}';

  it.each<[string[], boolean, string[]]>([
    [[agree, '```json\n{"agree": true, "reason": "fine"}\n```'], true, []],
    [[agree, '{"agree": false, "reason": "No."}'], false, ["bob does not agree: No."]],
    [
      ['{"agree": false, "reason": "Nay."}', '{"agree": false, "reason": "No."}'],
      false,
      ["ann does not agree: Nay.", "bob does not agree: No."],
    ],
    [[agree, '{"agree": false, "reason": ""}'], false, []],
    [[agree, '{"agree": false}'], false, []],
    [[agree, "I agree."], false, []],
    [[agree, '{"agree": "true"}'], false, []],
    [[agree, '{"reason": "No."}'], false, []],
    [[agree, '{"agree": true, "reason": 1}'], false, []],
    [[agree, ""], false, []],
    [[], true, []],
  ])("counts the votes %j: %s", async (votes, haveAgreed, reasons) => {
    const discussion = new Discussion("Why?");
    discussion.addContributions([cid], results("C."), 1);

    expect(await discussion.haveAgreed([ann, bob], results(...votes))).toBe(haveAgreed);
    expect(discussion.transcript).toBe(["## Round 1: cid\n\nC.", ...reasons].join("\n\n"));
  });

  it("does not count the vote of a member that failed", async () => {
    const discussion = new Discussion("Why?");

    expect(await discussion.haveAgreed([ann, bob], [resultOf(agree), resultOf(agree, "failed")])).toBe(false);
    expect(discussion.transcript).toBe("");
  });
});

describe("appendTextPart", () => {
  it("adds a text to a string or to parts, and changes nothing that it is given", () => {
    const parts = [{ type: "text" as const, text: "a" }];

    expect(appendTextPart("a", "b")).toBe("a\n\nb");
    expect(appendTextPart(parts, "b")).toEqual([...parts, { type: "text", text: "b" }]);
    expect(parts).toHaveLength(1);
  });
});
