import type { TextChunk } from "@troupe/core";
import { describe, expect, it } from "vitest";
import { MessageSteps, modelStep } from "./message-steps.ts";

/** Makes steps, acts on them, and returns what they tell: texts as `kind-1:delta`. */
function told(act: (steps: MessageSteps) => void): string[] {
  const chunks: string[] = [];
  const steps = new MessageSteps(({ type, id, delta }) => {
    const named = typeof id === "string" ? `${type} ${id}` : type;
    chunks.push(typeof delta === "string" ? `${named} ${delta}` : named);
  });
  act(steps);
  return chunks;
}

describe("modelStep", () => {
  it.each([
    ["m/0", true],
    ["m/12", true],
    ["t/0/0/m/3", true],
    ["m/", false],
    ["m/1/t", false],
    ["am/1", false],
    ["m/1x", false],
    ["t/0/0", false],
    ["", false],
  ])("tells that %j is one: %s", (step, isOne) => {
    expect(modelStep.test(step)).toBe(isOne);
  });
});

describe("MessageSteps", () => {
  it("writes texts of one kind as one part, and each part with an id of its own", () => {
    const chunks = told((steps) => {
      steps.write({ type: "thinking", text: "Hm" }, "m/0");
      steps.write({ type: "thinking", text: "." }, "m/0");
      steps.write({ type: "text", text: "Yes" }, "m/0");
      steps.write({ type: "text", text: "." }, "m/0");
      steps.close();
      steps.close();
      steps.write({ type: "text", text: "And." }, "m/0");
      steps.leave();
      steps.leave();
    });

    expect(chunks).toEqual([
      "start-step",
      "reasoning-start reasoning-1",
      "reasoning-delta reasoning-1 Hm",
      "reasoning-delta reasoning-1 .",
      "reasoning-end reasoning-1",
      "text-start text-2",
      "text-delta text-2 Yes",
      "text-delta text-2 .",
      "text-end text-2",
      "text-start text-3",
      "text-delta text-3 And.",
      "text-end text-3",
      "finish-step",
    ]);
  });

  it.each<[what: string, steps: string[], begins: boolean]>([
    ["goes on in the same step", ["m/0", "m/0"], false],
    ["begins one for another model call", ["m/0", "m/1"], true],
    ["goes on with a step without a name", ["", "m/0"], false],
    ["goes on for what has no name", ["m/0", ""], false],
    ["goes on without any names", ["", ""], false],
  ])("%s", (_, names, begins) => {
    const chunks = told((steps) => {
      for (const name of names) steps.enter(name);
    });
    expect(chunks).toEqual(begins ? ["start-step", "finish-step", "start-step"] : ["start-step"]);
  });

  it("takes the name of a step that had none, and keeps it", () => {
    const chunks = told((steps) => {
      for (const step of ["", "m/0", "", "m/1"]) steps.enter(step);
    });
    expect(chunks).toEqual(["start-step", "finish-step", "start-step"]);
  });

  it("begins a step behind a tool's result, once", () => {
    const chunks = told((steps) => {
      steps.enter("m/0");
      steps.hasOutput = true;
      steps.enter("m/0");
      expect(steps.hasOutput).toBe(false);
      steps.enter("m/0");
    });
    expect(chunks).toEqual(["start-step", "finish-step", "start-step"]);
  });

  it("keeps inner calls in one step of their own, which text without a name leaves too", () => {
    for (const step of ["", "m/0"]) {
      const chunks = told((steps) => {
        steps.enter("m/0");
        steps.enterInner();
        steps.enterInner();
        steps.enter(step);
        steps.enterInner();
      });
      expect(chunks.filter((chunk) => chunk === "start-step")).toHaveLength(4);
      expect(chunks.filter((chunk) => chunk === "finish-step")).toHaveLength(3);
    }
  });

  it("ensures a step where none is open, without a name", () => {
    const chunks = told((steps) => {
      steps.ensure();
      steps.ensure();
      steps.enter("m/0");
      steps.ensure();
      steps.leave();
      steps.ensure();
    });
    expect(chunks).toEqual(["start-step", "finish-step", "start-step"]);
  });

  it("ends an open text before the step that follows", () => {
    const chunks = told((steps) => {
      steps.write({ type: "text", text: "a" }, "m/0");
      steps.begin("m/1");
    });
    expect(chunks.slice(-3)).toEqual(["text-end text-1", "finish-step", "start-step"]);
  });

  it("takes back the open step: its text is dropped without an end, and the step goes on", () => {
    const chunks = told((steps) => {
      steps.write({ type: "text", text: "a" }, "m/1");
      expect([steps.isIn("m/0"), steps.isIn("m/1")]).toEqual([false, true]);
      steps.reset();
      steps.write({ type: "text", text: "b" }, "m/1");
      steps.leave();
      expect(steps.isIn("m/1")).toBe(false);
    });
    expect(chunks).toEqual([
      "start-step",
      "text-start text-1",
      "text-delta text-1 a",
      "reset-step",
      "text-start text-2",
      "text-delta text-2 b",
      "text-end text-2",
      "finish-step",
    ]);
  });

  const ann = { member: "ann", delegationId: "d1" };
  const bob = { member: "bob", delegationId: "d2" };
  const spoken: [title: string, chunks: TextChunk[]][] = [
    ["an answer", [{ type: "text", text: "a" }]],
    ["a reasoning", [{ type: "thinking", text: "a" }]],
    ["a member", [{ type: "text", text: "a", ...ann }]],
    ["the reasoning of a member", [{ type: "thinking", text: "a", ...ann }]],
    ["two members", [ann, bob].map((member) => ({ type: "text", text: "a", ...member }) as const)],
    ["an answer and two members", [{}, ann, bob].map((member) => ({ type: "text", text: "a", ...member }) as const)],
  ];

  it.each(spoken)("takes back each open part of %s, whose text then begins another part", (_, written) => {
    const write = (steps: MessageSteps) => {
      for (const chunk of written) steps.write(chunk, "m/1");
    };
    const chunks = told((steps) => {
      write(steps);
      steps.reset();
      write(steps);
      for (const { delegationId } of [ann, bob]) steps.closeMembers(delegationId);
      steps.leave();
    });
    const behind = chunks.slice(chunks.indexOf("reset-step") + 1);
    const idsOf = (kind: string) => behind.flatMap((chunk) => (chunk.includes(kind) ? [chunk.split(" ")[1]] : []));

    expect(idsOf("-start ")).toHaveLength(written.length);
    expect(idsOf("-delta ")).toEqual(idsOf("-start "));
    expect(new Set(idsOf("-end "))).toEqual(new Set(idsOf("-start ")));
  });

  it.each(spoken)("ends no part of %s that it has taken back", (_, written) => {
    const chunks = told((steps) => {
      for (const chunk of written) steps.write(chunk, "m/1");
      steps.reset();
      for (const { delegationId } of [ann, bob]) steps.closeMembers(delegationId);
      steps.leave();
    });

    expect(chunks.slice(chunks.indexOf("reset-step"))).toEqual(["reset-step", "finish-step"]);
  });

  it("writes a part for each member of a team that speaks, while the others go on [use-chat.members]", () => {
    const chunks: object[] = [];
    const steps = new MessageSteps((chunk) => void chunks.push(chunk));
    steps.write({ type: "text", text: "A", ...ann }, "t/0/0/m/0");
    steps.write({ type: "text", text: "B", ...bob }, "t/0/1/m/0");
    steps.write({ type: "text", text: "a", ...ann }, "t/0/0/m/0");
    steps.closeMembers("d1");
    steps.write({ type: "text", text: "b", ...bob }, "t/0/1/m/0");
    steps.leave();

    expect(chunks).toEqual([
      { type: "start-step" },
      { type: "text-start", id: "text-1", providerMetadata: { troupe: ann } },
      { type: "text-delta", id: "text-1", delta: "A" },
      { type: "text-start", id: "text-2", providerMetadata: { troupe: bob } },
      { type: "text-delta", id: "text-2", delta: "B" },
      { type: "text-delta", id: "text-1", delta: "a" },
      { type: "text-end", id: "text-1" },
      { type: "text-delta", id: "text-2", delta: "b" },
      { type: "text-end", id: "text-2" },
      { type: "finish-step" },
    ]);
  });

  it("names the speaker of an answer, and begins a part for another one [use-chat.members]", () => {
    const chunks: object[] = [];
    const steps = new MessageSteps((chunk) => void chunks.push(chunk));
    steps.write({ type: "text", text: "A", speaker: "ann", delegationId: "d1" }, "m/0");
    steps.write({ type: "text", text: "B" }, "m/0");

    expect(chunks.slice(1)).toEqual([
      { type: "text-start", id: "text-1", providerMetadata: { troupe: { speaker: "ann", delegationId: "d1" } } },
      { type: "text-delta", id: "text-1", delta: "A" },
      { type: "text-end", id: "text-1" },
      { type: "text-start", id: "text-2" },
      { type: "text-delta", id: "text-2", delta: "B" },
    ]);
  });
});
