import { Agent } from "@troupe/core";
import type { StreamChunk } from "@troupe/core";
import { checkConformance, runnableCases } from "@troupe/core/testing";
import { describe, expect, it } from "vitest";
import { messageReply, completedReply, rejectedReply } from "./reply.ts";
import { createArtifact } from "./artifact.ts";
import { readA2ARequest } from "./a2a-request.ts";
import { ProgrammaticAgent } from "./programmatic-agent.ts";
import type { AgentTask, ProgrammaticAgentOptions } from "./programmatic-agent.ts";

describe("an agent that is a program", () => {
  checkConformance(it, runnableCases, {
    create: () => ({
      runnable: (model) =>
        new ProgrammaticAgent({
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
    const agent = new ProgrammaticAgent({
      name: "helper",
      async *answer({ context }) {
        yield createArtifact({ parts: "a file" });
        return messageReply(readA2ARequest(context)?.messageId ?? "no message");
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
      const agent = new ProgrammaticAgent({
        name: "helper",
        answer: async () => messageReply([{ kind: "data", data }]),
      });
      expect((await agent.run("Hi")).text).toBe(JSON.stringify(data));
    },
  );

  it.each([
    ["a data URL", "data:image/png;base64,+/8="],
    ["line breaks", "+/\n8="],
    ["the alphabet for addresses", "-_8"],
  ])("may write bytes with %s: its clients get plain base64 [a2a.agent-program]", async (_what, base64) => {
    const file = { kind: "bytes" as const, base64, mediaType: "image/png" };
    const agent = new ProgrammaticAgent({
      name: "helper",
      async *answer() {
        yield createArtifact({ parts: [file] });
        return messageReply([file]);
      },
    });
    const { artifacts } = await agent.run("Hi");
    expect(JSON.stringify(artifacts?.map(({ data }) => data)).match(/"base64":"[^"]*"/g)).toEqual(
      Array(2).fill('"base64":"+/8="'),
    );
  });

  it("fails for what it must not yield, return or ask, and is told how to mend it [a2a.agent-program]", async () => {
    const failing = async (answer: object): Promise<unknown> =>
      await new ProgrammaticAgent({ name: "helper", answer: answer as never })
        .run("Hi")
        .catch((error: unknown) => error);
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
    expect(() => new ProgrammaticAgent({ name: "helper" } as never)).toThrow(/answer/);
  });

  it("ends its program when the run is cancelled [a2a.agent-program]", async () => {
    const ends: string[] = [];
    const agent = new ProgrammaticAgent({
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

/** Makes an agent `helper` of a program. */
function agentOf(answer: ProgrammaticAgentOptions["answer"]): ProgrammaticAgent {
  return new ProgrammaticAgent({ name: "helper", answer });
}

describe("the task of a ProgrammaticAgent", () => {
  it.each([
    ["without a message of A2A", undefined, {}],
    [
      "with one, but for its place and the modes that its client takes",
      {
        messageId: "m-1",
        metadata: { a: 1 },
        extensions: ["e"],
        referenceTaskIds: ["t-0"],
        acceptedOutputModes: ["text/plain"],
        taskId: "other",
        contextId: "other",
        role: "user",
      },
      { messageId: "m-1", metadata: { a: 1 }, extensions: ["e"], referenceTaskIds: ["t-0"] },
    ],
  ])("has the message of its run %s", async (_what, a2a, fields) => {
    const seen: AgentTask[] = [];
    const agent = agentOf(async (task) => void seen.push(task));
    const metadata = a2a === undefined ? {} : { a2a };
    const { runId } = await agent.run("Hi", { sessionId: "s-1", metadata });
    const parts = [{ kind: "text", text: "Hi" }];
    expect(seen.map(({ message }) => message)).toEqual([
      { messageId: runId, role: "user", parts, ...fields, taskId: runId, contextId: "s-1" },
    ]);
    expect(seen[0]?.context).toMatchObject({ runId, sessionId: "s-1", agentName: "helper", metadata });
  });
});

describe("the output of a ProgrammaticAgent", () => {
  const artifact = createArtifact({ artifactId: "a", parts: "1" });
  const other = createArtifact({ artifactId: "b", parts: "2" });
  const made = (index: number, artifacts: readonly object[]) => ({
    toolCallId: `made-${index}`,
    toolName: "helper",
    result: "",
    durationMs: 0,
    artifacts,
  });

  it("has its texts and artifacts in order, each artifact as the result of a call of its own", async () => {
    const [reply] = completedReply("Done.").artifacts;
    const agent = agentOf(async function* () {
      yield "";
      yield artifact;
      yield "One ";
      yield other;
      yield "two.";
      return completedReply("Done.");
    });
    const stream = agent.stream("Hi");
    const chunks: StreamChunk[] = await Array.fromAsync(stream);
    const calls = [made(0, [artifact]), made(1, [other]), made(2, [reply ?? {}])];
    expect(chunks.slice(0, -1)).toEqual([
      { type: "tool_result", ...calls[0] },
      { type: "text", text: "One " },
      { type: "tool_result", ...calls[1] },
      { type: "text", text: "two." },
      { type: "tool_result", ...calls[2] },
    ]);
    expect(chunks.at(-1)).toMatchObject({ type: "finish", finishReason: "stop" });
    const output = await stream.output;
    expect(output.text, "the text of the reply is for runs without another").toBe("One two.");
    expect(output.toolCalls).toEqual(calls.map((call) => ({ ...call, args: {} })));
    expect(output.messages?.at(-1)).toEqual({ role: "assistant", content: "One two." });
    expect(output.timeToFirstTokenMs).toEqual(expect.any(Number));
    expect((await agent.run("Hi")).toolCalls.map(({ toolCallId }) => toolCallId)).toEqual([
      "made-0",
      "made-1",
      "made-2",
    ]);
  });

  it.each([
    ["nothing", undefined, ""],
    ["a rejection", rejectedReply("No."), "No."],
    ["a message without a text", messageReply([{ kind: "url", url: "https://a.example/b" }]), ""],
  ])("is the text of what it returns: %s", async (_what, reply, text) => {
    const output = await agentOf(async () => reply).run("Hi");
    expect([output.text, output.messages?.filter(({ role }) => role === "assistant").length]).toEqual([
      text,
      text === "" ? 0 : 1,
    ]);
    expect(output.timeToFirstTokenMs === undefined).toBe(text === "");
  });
});

describe("a ProgrammaticAgent whose program is wrong", () => {
  const yieldsWrong = "answer of a ProgrammaticAgent must yield strings, and artifacts of createArtifact.";
  const returnsWrong =
    "answer of a ProgrammaticAgent must return nothing, or rejectedReply(…), completedReply(…) or messageReply(…).";
  const failing = async (answer: unknown): Promise<unknown> =>
    await agentOf(answer as ProgrammaticAgentOptions["answer"])
      .run("Hi")
      .catch((error: unknown) => error);

  it.each([7, null, undefined, [], ["Hi"], {}, { type: "a" }, { type: 1, data: 1 }, { data: 1 }])(
    "fails when it yields %j, and ends its program",
    async (piece) => {
      let isOver = false;
      const error = await failing(async function* () {
        try {
          yield "One.";
          yield piece;
        } finally {
          isOver = true;
        }
      });
      expect(error).toMatchObject({ code: "invalid_value", message: yieldsWrong, output: { text: "One." } });
      expect(isOver).toBe(true);
    },
  );

  const { artifacts } = completedReply("Done.");
  it.each([
    "done",
    null,
    0,
    [],
    {},
    { content: "Done." },
    { content: "Done.", artifacts: [] },
    { content: "Done.", artifacts: artifacts[0] },
    { content: "Done.", artifacts: [createArtifact({ parts: "Done." })] },
    { content: 7, artifacts },
    { artifacts },
  ])("fails when it returns %j", async (reply) => {
    const error = { code: "invalid_value", message: returnsWrong };
    expect(await failing(async () => reply)).toMatchObject(error);
    expect(
      await failing(async function* () {
        yield* [];
        return reply;
      }),
    ).toMatchObject(error);
  });

  it.each<[unknown, object]>([
    [
      "Which city?",
      {
        code: "invalid_config",
        message:
          "ask of a ProgrammaticAgent needs a run that can wait: run the agent in a RunService, as createA2AServer does.",
      },
    ],
    [
      [],
      {
        code: "invalid_value",
        message: 'question must be a string, or an array of at least one part such as { kind: "text", text: "Hello" }.',
      },
    ],
  ])("fails when it asks %j in a run that cannot wait", async (question, error) => {
    expect(await failing(async ({ ask }: AgentTask) => void (await ask(question as string)))).toMatchObject(error);
  });
});
