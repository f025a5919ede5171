import { describe, expect, it } from "vitest";
import { EventBus } from "../../base/events/event-bus.ts";
import type { RunEvents } from "../run/run-events.ts";
import { eventsOnBus, readAll, runErrorOf } from "../../testing/conformance/runnable-subject.ts";
import { callOf, look, scripted, toolNamed } from "./test/agents.ts";

const asks = { toolCalls: [callOf("1"), callOf("2", "Rome")] };

const idsOf = ({ runId, sessionId }: { runId: string; sessionId: string }) => ({ runId, sessionId });

describe("the events of an agent", () => {
  it("are a start, each call and result, and a completion [events.run-start] [events.run-complete]", async () => {
    const { agent } = scripted([asks, "Done."], { tools: [look] });
    const heard = eventsOnBus(agent);
    const output = await agent.run("Weather?");

    const ids = idsOf(output);
    const of = (toolCallId: string) => ({ ...ids, toolCallId, toolName: "look" });
    expect(heard.filter(({ name }) => !name.startsWith("model."))).toEqual([
      { name: "run.start", data: { ...ids, agentName: "helper", input: "Weather?" } },
      { name: "tool.call", data: { ...of("1"), args: { at: "Oslo" } } },
      { name: "tool.call", data: { ...of("2"), args: { at: "Rome" } } },
      { name: "tool.result", data: { ...of("1"), result: "Oslo seen" } },
      { name: "tool.result", data: { ...of("2"), result: "Rome seen" } },
      { name: "run.complete", data: { ...ids, output } },
    ]);
  });

  it("are also every chunk of a stream, in its place [events.run-stream-chunk]", async () => {
    const { agent } = scripted([asks, "Done."], { tools: [look] });
    const heard = eventsOnBus(agent);
    const chunks = await readAll(agent.stream("Weather?"));

    const shown = heard.flatMap(({ data }) => ("chunk" in data ? [data.chunk] : []));
    expect(shown).toEqual(chunks);
    expect(heard.at(-1)?.name).toBe("run.complete");
    const names = heard.map(({ name, data }) => ("chunk" in data ? data.chunk.type : name));
    expect(names.indexOf("tool.result")).toBeLessThan(names.indexOf("tool_call_end"));
  });

  it("are emitted for calls that fail and for unknown tools too [events.tool-call] [events.tool-result]", async () => {
    const fails = toolNamed("look", () => {
      throw new Error("no key");
    });
    const toolCalls = [callOf("1"), callOf("2", "Rome", "lok")];
    const { agent } = scripted([{ toolCalls }, "Done."], { tools: [fails] });
    const heard = eventsOnBus(agent).slice.bind(eventsOnBus(agent));
    const { toolCalls: results } = await agent.run("Weather?");

    const told = heard().flatMap(({ data }) => ("result" in data ? [data] : []));
    for (const { toolCallId, result } of results) {
      expect(told).toContainEqual(expect.objectContaining({ toolCallId, result }));
    }
    expect(heard().filter(({ name }) => name === "tool.call")).toHaveLength(2);
  });

  it("end with the error of a run that failed [events.run-error]", async () => {
    const { agent } = scripted([asks, { error: new Error("broken") }], { tools: [look] });
    const heard = eventsOnBus(agent);
    const error = await runErrorOf(agent.run("Weather?"));

    expect(heard.at(-1)).toEqual({ name: "run.error", data: { ...idsOf(error.output), error } });
    expect(heard.at(-1)?.data).toHaveProperty("error.output", error.output);
    expect(heard.map(({ name }) => name)).not.toContain("run.complete");
  });

  it("go to the bus that the agent was given, which may be shared [agent.event-bus]", async () => {
    const eventBus = new EventBus<RunEvents>();
    const [one, other] = [
      scripted(["One."], { eventBus, name: "one" }),
      scripted(["Two."], { eventBus, name: "other" }),
    ];
    const names: string[] = [];
    eventBus.on("run.start", ({ agentName }) => void names.push(agentName));
    await one.agent.run("Hi");
    await other.agent.run("Hi");

    expect(names).toEqual(["one", "other"]);
    expect(one.agent.eventBus).toBe(eventBus);
  });

  it("hold copies: a handler that changes arguments changes no call", async () => {
    const { agent } = scripted([asks, "Done."], { tools: [look] });
    agent.eventBus.on("tool.call", ({ args }) => void Object.assign(args, { at: "Paris" }));

    const { toolCalls } = await agent.run("Weather?");

    expect(toolCalls.map(({ args, result }) => [args, result])).toEqual([
      [{ at: "Oslo" }, "Oslo seen"],
      [{ at: "Rome" }, "Rome seen"],
    ]);
  });

  it("do not harm the run when a handler throws, rejects or starts another run", async () => {
    const { agent } = scripted([asks, "Done."], { tools: [look] });
    const inner = scripted(["Inner."]);
    const outputs: Promise<unknown>[] = [];
    for (const name of ["run.start", "tool.call", "tool.result", "run.complete"] as const) {
      agent.eventBus.on(name, () => {
        throw new Error("handler");
      });
      agent.eventBus.on(name, async () => await Promise.reject(new Error("handler")));
    }
    agent.eventBus.on("tool.call", () => void outputs.push(inner.agent.run("Hi").catch(() => "failed")));

    expect((await agent.run("Weather?")).text).toBe("Done.");
    expect(await Promise.all(outputs)).toHaveLength(2);
  });
});
