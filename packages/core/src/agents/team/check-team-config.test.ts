import { describe, expect, it } from "vitest";
import { Agent } from "../agent/agent.ts";
import { EventBus } from "../../base/events/event-bus.ts";
import type { ModelSettings } from "../../model/model-config.ts";
import { InMemoryStorage } from "../../sessions/storage/in-memory-storage.ts";
import { ScriptedModel } from "../../testing/scripted-model.ts";
import { checkTeamConfig, checkTeamSettings, refuseTools } from "./check-team-config.ts";
import type { TeamConfig, TeamMode } from "./team-config.ts";
import { allModes } from "./test/teams.ts";

const model = new ScriptedModel();
const ann = new Agent({ name: "ann", model });
const right: TeamConfig = { name: "team", mode: "coordinate", model, members: [ann] };
const refusal = (message: string, code = "invalid_config") => expect.objectContaining({ code, message });

describe("checkTeamConfig", () => {
  it.each<Partial<TeamConfig>>([
    {},
    { name: "x".repeat(128) },
    { name: " é/😀 " },
    ...allModes.map((mode) => ({ mode })),
    { mode: "collaborate", maxRounds: 1 },
    { description: "d", instructions: "", storage: new InMemoryStorage(), eventBus: new EventBus() },
    { maxContextTokens: 1, numHistoryRuns: 0, onBusy: "reject", onWaiting: "cancel", onStorageFailure: "answer" },
    { onWaiting: "reject", onStorageFailure: "error", memberSessions: "persist", limits: { durationMs: 1 } },
    { modelOptions: { toolChoice: "auto", parallelToolCalls: false, responseFormat: "json" } },
    { titles: { model }, retry: { maxRetries: 0 }, logLevel: "silent" },
    { members: [ann, new Agent({ name: "Ann", model })] },
  ])("takes %o", (part) => {
    expect(() => checkTeamConfig({ ...right, ...part })).not.toThrow();
  });

  const named = "must be a well-formed string of 1 to 128 characters that is not blank, got a string.";
  const runnable = "an agent, a team or another runnable, with the methods run and stream";
  const bus = "an EventBus, with the methods on, off, emit and has";

  it.each<[object, string]>([
    [{ name: "x".repeat(129) }, `name ${named}`],
    [{ name: "" }, `name ${named}`],
    [{ name: "\ud800" }, `name ${named}`],
    [{ mode: "Route" }, 'mode must be "coordinate", "route", "broadcast" or "collaborate", got a string.'],
    [{ description: "" }, "description must be a string that is not empty, got a string."],
    [{ members: new Set([ann]) }, "members must be an array of agents, teams or other runnables, got an object."],
    [{ members: [] }, "members must have at least one member."],
    [{ members: [ann, null] }, `members[1] must be ${runnable}, got null.`],
    [
      { members: [{ name: "ann", eventBus: new EventBus(), run: () => {} }] },
      `members[0] must be ${runnable}, got an object.`,
    ],
    [{ members: [{ run: () => {}, stream: () => {} }] }, `members[0].eventBus must be ${bus}, got undefined.`],
    [
      { members: [{ run: () => {}, stream: () => {}, eventBus: new EventBus(), name: " " }] },
      `members[0].name ${named}`,
    ],
    [{ members: [ann, ann] }, 'There are two members named "ann". Give one of them another name.'],
    [{ maxRounds: 1 }, "maxRounds must be left out of a team of mode coordinate. It is for mode collaborate only."],
    [
      { mode: "route", maxRounds: 1 },
      "maxRounds must be left out of a team of mode route. It is for mode collaborate only.",
    ],
    [{ mode: "collaborate", maxRounds: 1.5 }, "maxRounds must be a positive integer, got 1.5."],
    [
      { storage: { get: () => {}, set: () => {}, delete: () => {} } },
      "storage must be a storage driver, with the methods get, set, delete and list, got an object.",
    ],
    [{ onWaiting: "wait" }, 'onWaiting must be "reject" or "cancel", got a string.'],
    [{ onStorageFailure: "ignore" }, 'onStorageFailure must be "error" or "answer", got a string.'],
    [{ memberSessions: true }, 'memberSessions must be "persist", got true.'],
    [{ numHistoryRuns: 0.5 }, "numHistoryRuns must be an integer of 0 or more, got 0.5."],
  ])("refuses %o", (part, message) => {
    expect(() => checkTeamConfig({ ...right, ...part })).toThrow(refusal(message));
  });

  it.each([
    ["agents", "members"],
    ["systemPrompt", "instructions"],
    ["llm", "model"],
    ["strategy", "mode"],
    ["maxTurns", "maxRounds"],
  ])("offers for the name %s that of %s", (name, meant) => {
    const wrong = { ...right, [name]: 1 };

    expect(() => checkTeamConfig(wrong)).toThrow(`Did you mean ${meant}?`);
  });
});

describe("checkTeamSettings", () => {
  const tools = (name: string, mode: TeamMode) =>
    `modelOptions.${name} must be left out of a team of mode ${mode}. It is for mode coordinate only, whose orchestrator calls tools.`;

  it.each<[TeamMode, ModelSettings]>([
    ["coordinate", { toolChoice: "none", parallelToolCalls: false, responseFormat: "json" }],
    ["broadcast", { responseFormat: "json", temperature: 0 }],
    ["collaborate", { responseFormat: "json" }],
    ["route", { temperature: 0 }],
  ])("takes what has an effect in mode %s", (mode, settings) => {
    expect(() => checkTeamSettings(mode, settings)).not.toThrow();
  });

  it.each<[TeamMode, ModelSettings, string]>([
    ["broadcast", { toolChoice: "auto" }, tools("toolChoice", "broadcast")],
    ["route", { parallelToolCalls: false }, tools("parallelToolCalls", "route")],
    ["collaborate", { toolChoice: "none", parallelToolCalls: true }, tools("toolChoice", "collaborate")],
    [
      "route",
      { responseFormat: "text" },
      "modelOptions.responseFormat must be left out of a team of mode route. A member answers: give it to the members.",
    ],
  ])("refuses what has none in mode %s: %j", (mode, settings, message) => {
    expect(() => checkTeamSettings(mode, settings)).toThrow(refusal(message));
    expect(() => checkTeamSettings(mode, settings, "invalid_request")).toThrow(refusal(message, "invalid_request"));
    expect(() => checkTeamConfig({ ...right, mode, modelOptions: settings })).toThrow(refusal(message));
  });
});

describe("refuseTools", () => {
  it("refuses the tools of a run, also none of them", () => {
    const message =
      "tools must be left out of a run of a team, which has no tools of its own. Give them to its members.";

    expect(() => refuseTools({})).not.toThrow();
    expect(() => refuseTools({ tools: undefined })).not.toThrow();
    expect(() => refuseTools({ tools: [] })).toThrow(refusal(message, "invalid_request"));
  });
});
