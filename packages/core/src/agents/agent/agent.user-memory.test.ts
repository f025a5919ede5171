import { describe, expect, it } from "vitest";
import { UserMemory } from "../memory/user-memory.ts";
import type { RunEvents } from "../run/run-events.ts";
import { testRun } from "../run/test/test-run.ts";
import { InMemoryStorage } from "../../sessions/storage/in-memory-storage.ts";
import { faultAtCall, faultyStorage } from "../../testing/faulty-storage.ts";
import { ScriptedModel } from "../../testing/scripted-model.ts";
import { scriptedUsage } from "../../testing/scripted-answer.ts";
import { Agent } from "./agent.ts";

const userId = "u1";

class VendorModel extends ScriptedModel {
  override readonly providerId: string;

  constructor(providerId: string) {
    super();
    this.providerId = providerId;
  }
}

/** Finds one fact in every conversation. */
const finder = (providerId = "finder") =>
  new VendorModel(providerId).respond(() => ({ structured: { facts: ["Lives in Oslo."] } }));

describe("an agent with a user memory", () => {
  it("gives the model the facts of the user, and of no other [agent.user-memory]", async () => {
    const userMemory = new UserMemory({ enabled: false });
    await userMemory.addFacts(userId, ["Lives in Oslo."]);
    const model = new ScriptedModel().respond(() => "Hello.");
    const agent = new Agent({ name: "a", model, instructions: "Be brief.", userMemory });
    await agent.run("Hi", { userId });
    await agent.run("Hi", { userId: "u2" });
    await agent.run("Hi");

    const prompts = model.calls.map(({ messages }) => messages.map(({ content }) => content));
    expect(prompts[0]).toEqual(["Be brief.", expect.stringContaining("Lives in Oslo."), "Hi"]);
    expect(prompts.slice(1)).toEqual([
      ["Be brief.", "Hi"],
      ["Be brief.", "Hi"],
    ]);
  });

  it("extracts facts after each answer of a session, for a user alone [agent.user-memory]", async () => {
    const finds = new ScriptedModel().respond(({ messages }) => {
      const [city = "none"] =
        JSON.stringify(messages)
          .match(/Oslo|Rome/g)
          ?.slice(-1) ?? [];
      return { structured: { facts: [`Has been to ${city}.`] } };
    });
    const userMemory = new UserMemory({ model: finds });
    const agent = new Agent({ name: "a", model: new ScriptedModel().respond(() => "Nice."), userMemory });
    for (const input of ["I was in Oslo.", "I was in Rome."]) {
      await agent.run(input, { userId, sessionId: "s" });
      await userMemory.flush();
    }
    await agent.run("I was in Oslo.", { sessionId: "s" });
    await userMemory.flush();

    expect((await userMemory.getFacts(userId)).map(({ fact }) => fact).toSorted()).toEqual([
      "Has been to Oslo.",
      "Has been to Rome.",
    ]);
    expect(finds.calls).toHaveLength(2);
  });

  it("extracts facts after the answer, in a run with an id and usage of its own", async () => {
    const [model, model2] = [new ScriptedModel("Hello."), finder()];
    const userMemory = new UserMemory({ model: model2 });
    const agent = new Agent({ name: "a", model, userMemory });
    const completed: RunEvents["run.complete"][] = [];
    agent.eventBus.on("run.complete", (data) => void completed.push(data));
    const output = await agent.run("I live in Oslo.", { userId });
    const callsWhenAnswered = model2.calls.length;
    await userMemory.flush();

    expect(callsWhenAnswered).toBe(0);
    expect((await userMemory.getFacts(userId)).map(({ fact }) => fact)).toEqual(["Lives in Oslo."]);
    expect(output.usage).toEqual(scriptedUsage);
    expect(completed.map(({ parentRunId }) => parentRunId)).toEqual([undefined, output.runId]);
    expect(completed[1]?.runId).not.toBe(output.runId);
    expect(completed[1]?.output.usage).toEqual(scriptedUsage);
  });

  it("does not count the usage of extraction for a parent run", async () => {
    const userMemory = new UserMemory({ model: finder() });
    const { context: parent, meter } = testRun();
    await new Agent({ name: "a", model: new ScriptedModel("Hello."), userMemory }).run("Hi", { userId, parent });
    await userMemory.flush();

    expect(await userMemory.getFacts(userId)).toHaveLength(1);
    expect(meter.total).toEqual(scriptedUsage);
  });

  it("calls each model with the key of its own vendor", async () => {
    const [model, model2] = [new VendorModel("one").respond(() => "Hello."), finder("two")];
    const userMemory = new UserMemory({ model: model2 });
    const apiKeys = { one: "key-one", two: "key-two" };
    await new Agent({ name: "a", model, userMemory }).run("Hi", { userId, apiKeys });
    await userMemory.flush();

    expect([model.calls[0]?.options.apiKey, model2.calls[0]?.options.apiKey]).toEqual(["key-one", "key-two"]);
  });

  it("falls back to the agent's own model", async () => {
    const model = new ScriptedModel("Hello.", { structured: { facts: ["Lives in Oslo."] } });
    const userMemory = new UserMemory();
    await new Agent({ name: "a", model, userMemory }).run("I live in Oslo.", { userId });
    await userMemory.flush();

    expect(await userMemory.getFacts(userId)).toHaveLength(1);
  });

  it.each(["a failed run", "a run without a user"])("extracts nothing from %s", async (what) => {
    const model = new ScriptedModel(what === "a run without a user" ? "Hello." : { error: new Error("broken") });
    const model2 = finder();
    const userMemory = new UserMemory({ model: model2 });
    const opts = what === "a run without a user" ? {} : { userId };
    await new Agent({ name: "a", model, userMemory }).run("Hi", opts).catch(() => undefined);
    await userMemory.flush();

    expect(model2.calls).toHaveLength(0);
  });

  it("extracts facts by default, and none when the user memory is not enabled [user-memory.enabled-default]", async () => {
    for (const [options, calls] of [
      [{}, 1],
      [{ enabled: false }, 0],
    ] as const) {
      const model2 = finder();
      const userMemory = new UserMemory({ ...options, model: model2 });
      await new Agent({ name: "a", model: new ScriptedModel("Hello."), userMemory }).run("Hi", { userId });
      await userMemory.flush();

      expect(model2.calls).toHaveLength(calls);
    }
  });

  it("completes when no facts can be extracted", async () => {
    const model2 = new ScriptedModel({ error: new Error("broken") });
    const userMemory = new UserMemory({ model: model2 });
    const agent = new Agent({ name: "a", model: new ScriptedModel("Hello."), userMemory });
    const failed: RunEvents["run.error"][] = [];
    agent.eventBus.on("run.error", (data) => void failed.push(data));
    const output = await agent.run("Hi", { userId });
    await userMemory.flush();

    expect(output.status).toBe("completed");
    expect(failed.map(({ parentRunId }) => parentRunId)).toEqual([output.runId]);
  });

  it("fails when the facts cannot be loaded", async () => {
    const storage = faultyStorage(new InMemoryStorage(), faultAtCall(1, "fail-before"));
    const userMemory = new UserMemory({ storage });
    const agent = new Agent({ name: "a", model: new ScriptedModel(), userMemory });

    await expect(agent.run("Hi", { userId })).rejects.toMatchObject({ code: "storage_unavailable" });
  });

  it("forgets a user who is deleted, also in a storage of its own", async () => {
    const userMemory = new UserMemory({ storage: new InMemoryStorage(), enabled: false });
    await userMemory.addFacts(userId, ["Lives in Oslo."]);
    const agent = new Agent({ name: "a", model: new ScriptedModel("Hello."), userMemory });
    await agent.run("Hi", { userId });
    await agent.sessions.deleteUser(userId);

    expect(await userMemory.getFacts(userId)).toEqual([]);
    expect((await agent.sessions.listSessions({ userId })).sessions).toEqual([]);
  });
});
