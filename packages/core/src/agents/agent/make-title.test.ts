import { describe, expect, it, vi } from "vitest";
import type { ModelOptions } from "../../model/model-config.ts";
import type { RunEvents } from "../run/run-events.ts";
import { resolveRunOpts } from "../run/resolve-run-opts.ts";
import { testRun } from "../run/test/test-run.ts";
import { UsageMeter } from "../run/usage-meter.ts";
import type { ScriptedAnswer } from "../../testing/scripted-answer.ts";
import { scriptedUsage } from "../../testing/scripted-answer.ts";
import { ScriptedModel } from "../../testing/scripted-model.ts";
import { AgentParts } from "./agent-parts.ts";
import { makeTitle, titlesOption } from "./make-title.ts";
import { answering } from "./test/agents.ts";

const owner = { userId: "ann", tenantId: "acme" };

/** A finished run whose session is in the store, and its title once that was made. */
async function titled(answer: ScriptedAnswer, { sessionId = "s", hasTitles = true } = {}) {
  const model = new ScriptedModel(answer);
  const parts = new AgentParts({ name: "helper", model: answering(), ...(hasTitles && { titles: { model } }) });
  const opened = await parts.sessions.open("s", { owner });
  await opened.appendTurn({
    runId: "r",
    runnable: "helper",
    input: "q",
    messages: [],
    status: "completed",
    usage: scriptedUsage,
  });
  opened.release();
  const ends: RunEvents["run.complete"][] = [];
  parts.eventBus.on("run.complete", (end) => void ends.push(end));
  const parentMeter = new UsageMeter();
  const settings = {
    ...resolveRunOpts({ ...owner, sessionId: "s", apiKeys: { scripted: "k-1" } }),
    sessionId,
    parentMeter,
  };
  const run = testRun({}, { settings, input: "Will it rain?" });
  const warn = vi.spyOn(run, "warn");
  run.messages.push({ role: "assistant", content: "No." });
  makeTitle(parts, run);
  const isLater = model.calls.length === 0;
  await parts.sessions.flush();
  const { title } = await parts.sessions.readSession("s", { owner });
  return { title, model, run, warn, ends, isLater, parentMeter };
}

describe("makeTitle", () => {
  it.each([
    ["Rain in Oslo", "Rain in Oslo"],
    ["  Rain in Oslo.\n", "Rain in Oslo"],
    ['"Rain in Oslo."', "Rain in Oslo"],
    ["„Regen in Oslo“", "Regen in Oslo"],
    ["«Pluie à Oslo»", "Pluie à Oslo"],
    ["'Rain' in Oslo...", "Rain' in Oslo"],
    ["v1.2 of Ann's app", "v1.2 of Ann's app"],
  ])(
    "gives the session the answer of the model as its title, without quotes and full stop: %j",
    async (answer, title) => {
      expect((await titled(answer)).title).toBe(title);
    },
  );

  it("asks the model of the option about the conversation, later, in a run of its own", async () => {
    const { model, run, ends, isLater, parentMeter, warn } = await titled("Rain");
    const [call] = model.calls;
    const options = call?.options as ModelOptions;

    expect(isLater).toBe(true);
    expect(model.calls).toHaveLength(1);
    expect(call?.messages.map(({ role }) => role)).toEqual(["system", "user"]);
    expect(call?.messages[0]?.content).toMatch(
      /^You give conversations their titles\. .* at most six words .* nothing else\.$/,
    );
    expect(call?.messages[1]?.content).toMatch(/The beginning of a conversation\.[^]*Will it rain\?[^]*No\./);
    expect(options.apiKey).toBe("k-1");
    expect(options.signal).not.toBe(run.signal);
    expect(ends).toMatchObject([{ parentRunId: run.runId, output: { text: "Rain", usage: scriptedUsage } }]);
    expect([run.meter.total.totalTokens, parentMeter.total.totalTokens]).toEqual([0, 0]);
    expect(warn).not.toHaveBeenCalled();
  });

  it.each<[what: string, answer: ScriptedAnswer]>([
    ["is empty", ""],
    ["has quotes alone", '"."'],
    ["fails", { error: new Error("down") }],
  ])("warns of an answer that %s, and leaves the session its own title", async (_, answer) => {
    const { title, warn, ends } = await titled(answer);

    expect(title).toBe("q");
    expect(warn.mock.calls).toEqual([
      ["title_not_made", "The model could not make a title for the session.", { error: expect.any(Error) }],
    ]);
    expect(ends).toEqual([]);
  });

  it("makes none without the option, or for the session of a member of a team", async () => {
    expect((await titled("Rain", { hasTitles: false })).model.calls).toEqual([]);
    expect((await titled("Rain", { sessionId: "team/helper#s" })).model.calls).toEqual([]);
  });
});

describe("titlesOption", () => {
  it("takes a model, and nothing else", () => {
    const model = answering();

    expect(titlesOption({ model }, "titles", {})).toEqual({ model });
    expect(() => titlesOption({}, "titles", {})).toThrow(/^titles\.model must be a model provider/);
    expect(() => titlesOption({ model, words: 6 }, "titles", {})).toThrow(/^Unknown option "words" of titles/);
  });
});
