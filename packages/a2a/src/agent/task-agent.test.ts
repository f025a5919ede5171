import { Agent } from "@troupe/core";
import { checkConformance, runnableCases } from "@troupe/core/testing";
import { describe, expect, it } from "vitest";
import { answerByMessage } from "./reply.ts";
import { createArtifact } from "./artifact.ts";
import { readA2ARequest } from "./a2a-request.ts";
import { TaskAgent } from "./task-agent.ts";

describe("an agent that is a program", () => {
  checkConformance(it, runnableCases, {
    create: () => ({
      runnable: (model) =>
        new TaskAgent({
          name: "helper",
          async *answer({ message, context }) {
            const inner = new Agent({ name: "inner", model });
            const text = message.parts.map((part) => (part.kind === "text" ? part.text : "")).join("");
            for await (const chunk of inner.stream(text, { parent: context })) {
              if (chunk.type === "text") yield chunk.text;
            }
          },
        }),
    }),
  });

  it("has its reply as text, and its artifacts, for callers of other protocols [a2a.agent-program]", async () => {
    const agent = new TaskAgent({
      name: "helper",
      async *answer({ context }) {
        yield createArtifact({ parts: "a file" });
        return answerByMessage(readA2ARequest(context)?.messageId ?? "no message");
      },
    });
    const output = await agent.run("Hi");
    expect(output.text).toBe("no message");
    expect(output.artifacts?.map(({ type }) => type)).toEqual(["a2a.artifact", "a2a.reply"]);
    expect((await agent.run("Hi", { metadata: { a2a: { messageId: "m-1" } } })).text).toBe("m-1");
  });

  it.each([[["é", 1]], [null], [0], ["é"], [{ a: { b: [] } }]])(
    "may answer with any JSON value as data: %j [a2a.agent-program]",
    async (data) => {
      const agent = new TaskAgent({ name: "helper", answer: async () => answerByMessage([{ kind: "data", data }]) });
      expect((await agent.run("Hi")).text).toBe(JSON.stringify(data));
    },
  );

  it.each([
    ["a data URL", "data:image/png;base64,+/8="],
    ["line breaks", "+/\n8="],
    ["the alphabet for addresses", "-_8"],
  ])("may write bytes with %s: its clients get plain base64 [a2a.agent-program]", async (_what, base64) => {
    const file = { kind: "bytes" as const, base64, mediaType: "image/png" };
    const agent = new TaskAgent({
      name: "helper",
      async *answer() {
        yield createArtifact({ parts: [file] });
        return answerByMessage([file]);
      },
    });
    const { artifacts } = await agent.run("Hi");
    expect(JSON.stringify(artifacts?.map(({ data }) => data)).match(/"base64":"[^"]*"/g)).toEqual(
      Array(2).fill('"base64":"+/8="'),
    );
  });

  it("fails for what it must not yield, return or ask, and is told how to mend it [a2a.agent-program]", async () => {
    const failing = async (answer: object): Promise<unknown> =>
      await new TaskAgent({ name: "helper", answer: answer as never }).run("Hi").catch((error: unknown) => error);
    const yields = async function* (): AsyncGenerator<number> {
      yield 7;
    };
    const returns = async (): Promise<string> => "done";
    const asks = async ({ ask }: { ask: (question: string) => Promise<unknown> }): Promise<void> => {
      await ask("Which city?");
    };
    expect(await failing(yields)).toMatchObject({ code: "invalid_value", message: expect.stringContaining("yield") });
    expect(await failing(returns)).toMatchObject({ code: "invalid_value", message: expect.stringContaining("return") });
    expect(await failing(asks)).toMatchObject({
      code: "invalid_config",
      message: expect.stringContaining("RunService"),
    });
    expect(() => new TaskAgent({ name: "helper" } as never)).toThrow(/answer/);
  });

  it("ends its program when the run is cancelled [a2a.agent-program]", async () => {
    const ends: string[] = [];
    const agent = new TaskAgent({
      name: "helper",
      async *answer() {
        try {
          for (;;) yield "more ";
        } finally {
          ends.push("over");
        }
      },
    });
    const stream = agent.stream("Hi");
    for await (const _ of stream) break;
    await expect(stream.output).rejects.toMatchObject({ code: "cancelled" });
    await expect.poll(() => ends).toEqual(["over"]);
  });
});
