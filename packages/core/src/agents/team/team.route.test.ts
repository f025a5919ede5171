import { describe, expect, it } from "vitest";
import { Agent } from "../agent/agent.ts";
import { defineTool } from "../tool/define-tool.ts";
import type { Runnable } from "../run/runnable.ts";
import type { StreamChunk } from "../run/stream-chunk.ts";
import { ScriptedModel } from "../../testing/scripted-model.ts";
import { Team } from "./team.ts";
import { billed, member, pick, readAll, sayer } from "./test/teams.ts";

const look = defineTool({
  name: "look",
  description: "Looks.",
  parameters: { type: "object" },
  execute: () => "seen",
});

describe("a team that routes", () => {
  it("streams the answer of the chosen member chunk by chunk [team.route]", async () => {
    const turns = [
      { thinking: "Hm. ", text: "I look. ", toolCalls: [{ name: "look" }] },
      { thinking: "So. ", text: ["Ra", "in."] },
    ];
    const alone = member("ann", turns, { tools: [look] });
    const [ann, bob] = [member("ann", turns, { tools: [look] }), sayer("bob", "no")];
    const model = new ScriptedModel(pick("ann"));
    const team = new Team({ name: "team", mode: "route", model, members: [bob.agent, ann.agent] });
    const stream = team.stream("Weather?");
    const chunks = await readAll(stream);

    const timeless = (all: readonly StreamChunk[]) => all.slice(0, -1).map((chunk) => ({ ...chunk, durationMs: 0 }));
    const unspoken = chunks.map((chunk) => ({ ...chunk, speaker: undefined, delegationId: undefined }));
    const ofAnn = timeless(unspoken as StreamChunk[]).slice(2, -2);
    expect(ofAnn).toEqual(timeless(await readAll(alone.agent.stream("Weather?"))));
    expect(chunks.at(-1)).toMatchObject({ type: "finish", finishReason: "stop", usage: billed(model, ann.model) });
    expect(await stream.output).toMatchObject({ text: "Rain.", thinking: "Hm. So. ", status: "completed" });
    expect(bob.model.calls).toEqual([]);
  });

  it("has the sources of its member's answer, also in its stream [team.sources]", async () => {
    const sources = [
      { id: "1", url: "https://example.com/oslo" },
      { id: "2", title: "report.pdf" },
    ];
    const teamOf = () => {
      const { agent } = sayer("ann", { text: "Rain.", sources });
      return new Team({ name: "team", mode: "route", model: new ScriptedModel(), members: [agent] });
    };
    expect((await teamOf().run("Weather?")).sources).toEqual(sources);

    const stream = teamOf().stream("Weather?");
    const chunks = await readAll(stream);
    expect((await stream.output).sources).toEqual(sources);
    expect(chunks.filter(({ type }) => type === "source")).toEqual(sources.map((one) => ({ type: "source", ...one })));
  });

  it("finishes for the reason of its member, through teams within teams [team.finish-reason]", async () => {
    for (const finishReason of ["length", "content_filter"] as const) {
      const { agent } = sayer("ann", { text: "Ra", finishReason });
      const teamOf = (name: string, only: Runnable) =>
        new Team({ name, mode: "route", model: new ScriptedModel(), members: [only] });
      const chunks = await readAll(teamOf("outer", teamOf("inner", agent)).stream("Weather?"));

      expect(chunks.at(-1)).toMatchObject({ type: "finish", finishReason });
    }
    const turns = [{ toolCalls: [{ name: "look" }] }, "Rain."];
    const { agent } = member("ann", turns, { tools: [look], maxToolRoundtrips: 1 });
    const team = new Team({ name: "team", mode: "route", model: new ScriptedModel(), members: [agent] });

    expect((await readAll(team.stream("Weather?"))).at(-1)).toMatchObject({ finishReason: "tool_roundtrips" });
  });

  it("records the member as a delegation, with the member's tool calls", async () => {
    const ann = member("ann", [{ toolCalls: [{ name: "look" }] }, "Rain."], { tools: [look] });
    const model = new ScriptedModel(pick("ann"));
    const members = [ann.agent, sayer("bob", "no").agent];
    const { toolCalls } = await new Team({ name: "team", mode: "route", model, members }).run("Weather?");

    expect(toolCalls.map(({ toolName, result, error }) => [toolName, result, error])).toEqual([
      ["delegate_to_ann", "Rain.", undefined],
      ["look", "seen", undefined],
    ]);
  });

  it("streams the first chunk while the member's model is still answering", async () => {
    const ann = member("ann", [{ text: ["first ", "second"], chunkDelayMs: 600_000 }]);
    const members = [ann.agent, sayer("bob", "no").agent];
    const team = new Team({ name: "team", mode: "route", model: new ScriptedModel(pick("ann")), members });
    const stream = team.stream("Weather?");
    const chunks = stream[Symbol.asyncIterator]();

    expect(await chunks.next()).toMatchObject({ value: { type: "tool_call_start" } });
    expect(await chunks.next()).toMatchObject({ value: { type: "tool_call_delta" } });
    expect(await chunks.next()).toMatchObject({ value: { type: "text", text: "first ", speaker: "ann" } });
    expect(ann.model.calls[0]?.end).toBe("running");
    await chunks.return?.();
    expect(ann.model.calls[0]?.end).toBe("abandoned");
  });

  it("sends back a choice of an unknown member, and calls the model again", async () => {
    const model = new ScriptedModel("I take ann.", pick("carl"), pick("bob"));
    const members = [sayer("ann", "no").agent, sayer("bob", "yes").agent];
    const stream = new Team({ name: "team", mode: "route", model, members }).stream("Who?");
    const chunks = await readAll(stream);

    expect(chunks.filter(({ type }) => type === "text")).toMatchObject([{ text: "yes", speaker: "bob" }]);
    expect((await stream.output).usage.totalTokens).toBe(60);
    expect(model.calls.map(({ kind }) => kind)).toEqual(["generate", "generate", "generate"]);
    expect(JSON.stringify(model.calls[0]?.options.responseFormat)).toContain('"enum":["ann","bob"]');
  });

  it("fails when there is no choice after two repairs, and runs no member", async () => {
    const model = new ScriptedModel(pick("carl"), pick("carl"), pick("carl"));
    const [ann, bob] = [sayer("ann", "no"), sayer("bob", "no")];
    const team = new Team({ name: "team", mode: "route", model, members: [ann.agent, bob.agent] });
    const failure = team.run("Who?");

    await expect(failure).rejects.toMatchObject({ code: "structured_output_invalid", output: { text: "" } });
    expect([...ann.model.calls, ...bob.model.calls]).toEqual([]);
  });

  it("skips the choice when there is one member", async () => {
    const model = new ScriptedModel();
    const team = new Team({ name: "team", mode: "route", model, members: [sayer("ann", "yes").agent] });

    expect(await team.run("Who?")).toMatchObject({ text: "yes" });
  });

  it("returns the member's structured output with its answer", async () => {
    const schema = { type: "object", properties: { city: { type: "string" } }, required: ["city"] } as const;
    const model = new ScriptedModel({ structured: { city: "Oslo" } });
    const ann = new Agent({ name: "ann", model, structuredOutput: schema });
    const team = new Team({ name: "team", mode: "route", model: new ScriptedModel(), members: [ann] });

    expect((await team.run("Where?")).structured).toEqual({ city: "Oslo" });
  });
});
