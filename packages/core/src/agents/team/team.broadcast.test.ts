import { describe, expect, it } from "vitest";
import { ScriptedModel } from "../../testing/scripted-model.ts";
import { Team } from "./team.ts";
import { lastSaid, readAll, sayer, textOf } from "./test/teams.ts";

describe("a team that broadcasts", () => {
  it("gives the input to all members and combines all answers [team.broadcast]", async () => {
    const [ann, bob] = [sayer("ann", "from ann"), sayer("bob", "from bob")];
    const model = new ScriptedModel("Both say so.");
    const team = new Team({ name: "team", mode: "broadcast", model, members: [ann.agent, bob.agent] });
    const output = await team.run("Question?");

    expect(output).toMatchObject({ text: "Both say so.", status: "completed" });
    expect([lastSaid(ann.model), lastSaid(bob.model)]).toEqual([["Question?"], ["Question?"]]);
    expect(lastSaid(model)[0]).toMatch(/^Question\?[^]*## ann\n\nfrom ann[^]*## bob\n\nfrom bob/);
    expect(output.toolCalls.map(({ toolName, args, result }) => [toolName, args, result])).toEqual([
      ["delegate_to_ann", {}, "from ann"],
      ["delegate_to_bob", {}, "from bob"],
    ]);
    expect(output.messages?.at(-1)).toEqual({ role: "assistant", content: "Both say so." });
  });

  it("streams the start and the end of each delegation, and the combined answer as it comes [team.stream]", async () => {
    const members = [sayer("ann", "SECRET").agent, sayer("bob", { text: "SECRET", delayMs: 5 }).agent];
    const model = new ScriptedModel({ text: ["first ", "second"], chunkDelayMs: 600_000 });
    const stream = new Team({ name: "team", mode: "broadcast", model, members }).stream("Question?");
    const chunks = stream[Symbol.asyncIterator]();
    const seen: (string | undefined)[] = [];
    for (let left = 9; left > 0; left--) seen.push((await chunks.next()).value?.type);

    expect(model.calls[0]?.end).toBe("running");
    await chunks.return?.();
    const start = ["tool_call_start", "tool_call_delta"];
    expect(seen).toEqual([...start, ...start, "tool_result", "tool_call_end", "tool_result", "tool_call_end", "text"]);
  });

  it("streams no text of the members themselves", async () => {
    const members = [sayer("ann", "SECRET").agent, sayer("bob", "SECRET").agent];
    const stream = new Team({ name: "team", mode: "broadcast", model: new ScriptedModel("done"), members }).stream("?");

    expect(textOf(await readAll(stream))).toBe("done");
  });

  it("has all members work at once, however many they are", async () => {
    let working = 0;
    const everyone = Promise.withResolvers<void>();
    const members = Array.from({ length: 40 }, (_, index) => {
      const { agent } = sayer(`m${index}`, "Here.", {
        hooks: {
          beforeRun: async () => {
            if (++working === 40) everyone.resolve();
            await everyone.promise;
          },
        },
      });
      return agent;
    });
    const team = new Team({ name: "team", mode: "broadcast", model: new ScriptedModel("All."), members });

    const { toolCalls } = await team.run("Question?", { limits: { durationMs: 5000 } });

    expect(toolCalls.filter(({ error }) => error !== undefined)).toEqual([]);
  });

  it("passes content parts on unchanged", async () => {
    const ann = sayer("ann", "A cat.");
    const model = new ScriptedModel("A cat.");
    const input = [
      { type: "text" as const, text: "What is it?" },
      { type: "image" as const, data: "aGk=" },
    ];
    await new Team({ name: "team", mode: "broadcast", model, members: [ann.agent] }).run(input);

    expect(ann.model.calls[0]?.messages.at(-1)?.content).toEqual(input);
    expect(model.calls[0]?.messages.at(-1)?.content).toEqual([...input, { type: "text", text: expect.any(String) }]);
  });
});
