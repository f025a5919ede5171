import { describe, expect, it } from "vitest";
import type { RunContext } from "../run/run-context.ts";
import { assertVendorWouldAccept } from "../../sessions/history/test/assert-vendor-would-accept.ts";
import { runErrorOf } from "../../testing/conformance/runnable-subject.ts";
import { scripted } from "./test/agents.ts";

describe("the instructions of an agent", () => {
  it("are the system message before the conversation [agent.instructions-text]", async () => {
    const { agent, model } = scripted(["Hi.", "Bye."], { instructions: "Be short.", sessionId: "s" });
    await agent.run("Hello");
    await agent.run("Thanks");

    const [first, second] = model.calls.map(({ messages }) => messages.map(({ role, content }) => [role, content]));
    expect(first).toEqual([
      ["system", "Be short."],
      ["user", "Hello"],
    ]);
    expect(second).toEqual([...(first ?? []), ["assistant", "Hi."], ["user", "Thanks"]]);
  });

  it.each([
    ["at once", (context: RunContext) => `You help ${context.userId}.`],
    ["later", async (context: RunContext) => await Promise.resolve(`You help ${context.userId}.`)],
  ])("may be made for the run, %s [agent.instructions-function]", async (_when, instructions) => {
    const { agent, model } = scripted(["Hi.", "Hi."], { instructions });
    await agent.run("Hello", { userId: "Ada" });
    await agent.run("Hello", { userId: "Bob" });

    expect(model.calls.map(({ messages }) => messages[0]?.content)).toEqual(["You help Ada.", "You help Bob."]);
  });

  it.each([
    [
      "throw",
      () => {
        throw new Error("no template");
      },
    ],
    ["reject", async () => await Promise.reject(new Error("no template"))],
  ] as const)("end the run when they %s, and no model is called", async (_how, instructions) => {
    const { agent, model } = scripted(["Hi."], { instructions });

    expect(await runErrorOf(agent.run("Hello"))).toMatchObject({ code: "internal" });
    expect(model.calls).toEqual([]);
  });

  it.each(["", " \n", () => "", () => undefined as unknown as string])("may be none (%o)", async (instructions) => {
    const { agent, model } = scripted(["Hi."], { instructions });
    await agent.run("Hello");

    expect(model.calls[0]?.messages).toEqual([{ role: "user", content: "Hello" }]);
    assertVendorWouldAccept(model.calls[0]?.messages ?? []);
  });

  it("are not awaited when the run is cancelled", async () => {
    const { agent } = scripted(["Hi."], { instructions: () => new Promise<string>(() => {}) });
    const stream = agent.stream("Hello");
    const error = runErrorOf(stream.output);
    stream.cancel();

    expect((await error).code).toBe("cancelled");
  });
});
