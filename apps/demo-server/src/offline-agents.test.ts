import { Agent, Team } from "@troupe/core";
import type { TeamMode } from "@troupe/core";
import { OfflineModel } from "@troupe-internal/offline-model";
import { describe, expect, it } from "vitest";
import { calculate, getTime, getWeather } from "./tools.ts";

const model = new OfflineModel({ wordMs: 0 });

function teamOf(mode: TeamMode): Team {
  const members = [
    new Agent({ name: "ada", model, description: "Knows the weather of cities.", tools: [getWeather] }),
    new Agent({ name: "bob", model, description: "Does arithmetic.", tools: [calculate] }),
  ];
  return new Team({ name: "team", mode, model, members });
}

const weather = "In Oslo it is 9 °C with rain, says the demo's table.";

describe("OfflineModel with the demo's agents", () => {
  it("delegates the parts of a request, and combines the answers", async () => {
    const { text } = await teamOf("coordinate").run("What is the weather in Oslo, and what is 2 * 3?");

    expect(text).toBe(`The ada says: ${weather} The bob says: 2 * 3 = 6.`);
  });

  it("adds nothing of its own to the answer of a member", async () => {
    const { text } = await teamOf("coordinate").run("Do I need an umbrella in Oslo?");

    expect(text).toBe(`The ada says: ${weather}`);
  });

  it("combines the answers of all members that have something to say", async () => {
    const both = await teamOf("broadcast").run("What is the weather in Oslo, and what is 2 * 3?");
    const one = await teamOf("broadcast").run("What is the weather in Oslo?");
    const none = await teamOf("broadcast").run("Why is grass green?");

    expect(both.text).toBe(`The ada says: ${weather} The bob says: 2 * 3 = 6.`);
    expect(one.text).toBe(`The ada says: ${weather}`);
    expect(none.text).toMatch(/^I am the demo's offline model/);
  });

  it("ends a discussion by agreeing, and tells what was said", async () => {
    const { text, toolCalls } = await teamOf("collaborate").run("What is the weather in Oslo, and what is 2 * 3?");

    expect(text).toBe(`The ada says: ${weather} The bob says: 2 * 3 = 6.`);
    expect(toolCalls.map(({ args }) => args)).toEqual([
      { round: 1 },
      { round: 1 },
      { round: 1, vote: true },
      { round: 1, vote: true },
    ]);
  });

  it("routes a request to the member that fits", async () => {
    expect((await teamOf("route").run("What is 2 * 3?")).text).toBe("2 * 3 = 6.");
    expect((await teamOf("route").run("Will it rain in Oslo?")).text).toBe(weather);
  });

  it("answers an agent with the results and errors of its tools", async () => {
    const agent = new Agent({ name: "a", model, tools: [calculate, getTime, getWeather] });

    expect((await agent.run("What is 1 / 0?")).text).toContain("division by zero");
    expect((await agent.run("What time is it?")).text).toMatch(/^Where the server is, it is \d\d:\d\d on /);
    expect((await agent.run("What time is it in Atlantis?")).text).toMatch(/^There is no Atlantis in the demo's table/);
    expect((await agent.run("What is the weather in Atlantis?")).text).toMatch(/^There is no Atlantis/);
  });
});
