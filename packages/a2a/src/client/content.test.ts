import { Agent, defineTool } from "@troupe/core";
import type { MessageContent, StreamChunk } from "@troupe/core";
import { ScriptedModel } from "@troupe/core/testing";
import { describe, expect, it } from "vitest";
import { card1, fakeRemote, piece1, sendFrames, sendResult, status1, task1 } from "../../test/fake-remote.ts";
import { serveA2A } from "../../test/serve-a2a.ts";
import { A2ARemoteAgent } from "./remote-agent.ts";

const png = "iVBORw0KGgo=";
const content: MessageContent = [
  { type: "text", text: "What is this?" },
  { type: "image", data: png, mimeType: "image/png" },
  { type: "file", data: "https://files.example/a.pdf", mimeType: "application/pdf", filename: "a.pdf" },
];

const streaming = card1({ capabilities: { streaming: true } });

async function answerOf(
  result: object,
): Promise<Awaited<ReturnType<A2ARemoteAgent["run"]>> & { structured?: unknown }> {
  const { url } = await fakeRemote((asked, response) => sendResult(asked, response, result));
  return await new A2ARemoteAgent({ url, name: "far" }).run("Go.");
}

describe("the input of a remote agent", () => {
  it("may have files, as bytes and as addresses, in each version [remote.files]", async () => {
    const partsOf = async (card: object): Promise<unknown> => {
      const { url, asked } = await fakeRemote(
        (each, response) => sendResult(each, response, { task: task1("COMPLETED", "A cat.") }),
        card,
      );
      await new A2ARemoteAgent({ url }).run(content);
      return asked[1]?.rpc.params.message.parts;
    };

    expect(await partsOf(card1())).toEqual([
      { text: "What is this?" },
      { raw: png, mediaType: "image/png" },
      { url: "https://files.example/a.pdf", mediaType: "application/pdf", filename: "a.pdf" },
    ]);
    expect(await partsOf(card1({ supportedInterfaces: undefined, url: "/", protocolVersion: "0.3.0" }))).toEqual([
      { kind: "text", text: "What is this?" },
      { kind: "file", file: { bytes: png, mimeType: "image/png" } },
      { kind: "file", file: { uri: "https://files.example/a.pdf", mimeType: "application/pdf", name: "a.pdf" } },
    ]);
  });
});

describe("the answer of a remote agent", () => {
  it.each<[string, object, string]>([
    [
      "the text of its artifacts",
      { task: task1("COMPLETED", "Rain.", { status: said("COMPLETED", "Sun.") }) },
      "Rain.",
    ],
    [
      "the texts of all of them",
      { task: task1("COMPLETED", undefined, { artifacts: [textArtifact("a", "One."), textArtifact("b", "Two.")] }) },
      "One.\n\nTwo.",
    ],
    [
      "the text of the last status",
      { task: task1("COMPLETED", undefined, { status: said("COMPLETED", "Sun.") }) },
      "Sun.",
    ],
    [
      "the last message of the agent",
      { task: task1("COMPLETED", undefined, { history: [said("", "Fog.").message] }) },
      "Fog.",
    ],
    ["a message without a task", { message: said("", "Hail.").message }, "Hail."],
    [
      "data as JSON",
      { task: task1("COMPLETED", undefined, { artifacts: [{ artifactId: "a", parts: [{ data: { mm: 3 } }] }] }) },
      '{"mm":3}',
    ],
    [
      "the texts of its artifacts and the question of a task that waits",
      { task: task1("", "Two trains.", { status: said("INPUT_REQUIRED", "Which one?") }) },
      "Two trains.\n\nWhich one?",
    ],
    [
      "the question of a task that waits alone",
      { task: task1("", undefined, { status: said("INPUT_REQUIRED", "Which one?") }) },
      "Which one?",
    ],
    ["nothing", { task: task1("COMPLETED") }, ""],
  ])("is %s [remote.answer]", async (_what, result, text) => {
    expect((await answerOf(result)).text).toBe(text);
  });

  it("has files and data as artifacts, and data beside the text as its structured value [remote.files]", async () => {
    const parts = [{ text: "Rain." }, { data: { mm: 3 }, mediaType: "application/json" }];
    const files = [
      { raw: png, mediaType: "image/png", filename: "map.png" },
      { url: "https://files.example/a.pdf", mediaType: "application/pdf" },
      { raw: "not base64!", mediaType: "image/png" },
    ];
    const artifacts = [
      { artifactId: "a", parts },
      { artifactId: "b", name: "maps", parts: files },
    ];
    const output = await answerOf({ task: task1("COMPLETED", undefined, { artifacts }) });
    const by = { toolName: "far", toolCallId: `${output.runId}.files` };

    expect(output).toMatchObject({ text: "Rain.", structured: { mm: 3 } });
    expect(output.artifacts).toEqual([
      { type: "map.png", data: png, mimeType: "image/png", ...by },
      { type: "maps", data: "https://files.example/a.pdf", mimeType: "application/pdf", ...by },
      { type: "maps", data: files[2], mimeType: "image/png", ...by },
    ]);
  });

  it("has its artifacts in its stream, as what a tool made, each once", async () => {
    const file = {
      artifactUpdate: {
        taskId: "t-1",
        contextId: "c-1",
        artifact: { artifactId: "f", parts: [{ raw: png, mediaType: "image/png" }] },
      },
    };
    const { url } = await fakeRemote((asked, response) => {
      sendFrames(
        asked,
        response,
        { task: task1("WORKING") },
        piece1("Rain.", false),
        file,
        status1("COMPLETED", "Rain."),
      );
    }, streaming);
    const chunks: StreamChunk[] = await Array.fromAsync(new A2ARemoteAgent({ url, name: "far" }).stream("Go."));

    expect(chunks.map(({ type }) => type)).toEqual([
      "text",
      "tool_call_start",
      "tool_result",
      "tool_call_end",
      "finish",
    ]);
    expect(chunks[2]).toMatchObject({
      toolName: "far",
      artifacts: [{ type: "file", data: png, mimeType: "image/png" }],
    });
  });

  it("begins anew where the agent replaces an artifact, and says a repeated one once [remote.answer]", async () => {
    const { url } = await fakeRemote((asked, response) => {
      const pieces = [piece1("I look.", false), piece1("It ", false), piece1("rains"), piece1("It rains.", false)];
      sendFrames(asked, response, { task: task1("WORKING") }, ...pieces, status1("COMPLETED"));
    }, streaming);
    const stream = new A2ARemoteAgent({ url }).stream("Go.");
    const texts = await Array.fromAsync(stream.textStream);

    expect(texts).toEqual(["I look.", "It ", "rains", "."]);
    expect((await stream.output).text).toBe("It rains.");
  });
});

describe("an agent of our own server, seen from afar", () => {
  it("gives its artifacts, its structured value and its usage, streamed or not [remote.usage]", async () => {
    const chart = defineTool({
      name: "chart",
      description: "Draws.",
      parameters: { type: "object", properties: {} },
      execute: () => ({ content: "drawn", artifacts: [{ type: "chart", data: png, mimeType: "image/png" }] }),
    });
    const makeAgent = () => {
      const call = { id: "c", name: "chart", arguments: {} };
      return new Agent({ name: "far", model: new ScriptedModel({ toolCalls: [call] }, "Drawn."), tools: [chart] });
    };
    const local = await makeAgent().run("Draw.");
    const { url } = await serveA2A({ agents: { far: makeAgent() } });
    const remote = await new A2ARemoteAgent({ url }).run("Draw.");

    expect(remote.text).toBe(local.text);
    expect(remote.usage).toEqual(local.usage);
    expect(remote.artifacts).toMatchObject([{ type: "chart", data: png, mimeType: "image/png", toolName: "far" }]);
  });

  it("counts usage that is told with a task, and none that is not", async () => {
    const usage = { promptTokens: 3, completionTokens: 4, totalTokens: 7, secret: 1 };

    expect((await answerOf({ task: task1("COMPLETED", "Rain.", { metadata: { usage } }) })).usage).toEqual({
      promptTokens: 3,
      completionTokens: 4,
      totalTokens: 7,
    });
    expect(
      (await answerOf({ task: task1("COMPLETED", "Rain.", { metadata: { usage: "much" } }) })).usage.totalTokens,
    ).toBe(0);
  });

  it.each(["FAILED", "REJECTED", "CANCELED"])(
    "counts the usage of a task that ended as %s too [remote.usage]",
    async (state) => {
      const usage = { promptTokens: 3, completionTokens: 4, totalTokens: 7 };
      const failing = answerOf({ task: task1(state, "No.", { metadata: { usage } }) });
      await expect(failing).rejects.toMatchObject({ output: { usage } });
    },
  );
});

it.each([
  {
    what: "too much",
    promptTokens: 1e308,
    counted: 0,
    problem: "has a number that can be no count of tokens. It is not counted.",
  },
  { what: "what can be", promptTokens: 3, counted: 3, problem: undefined },
  { what: "none", promptTokens: undefined, counted: 0, problem: undefined },
])(
  "a remote answer counts no usage that can be none, warns of that alone, and has its answer: $what [remote.usage] [usage.unsound]",
  async ({ promptTokens, counted, problem }) => {
    const usage = { promptTokens, completionTokens: 4, totalTokens: 7 };
    const told = promptTokens === undefined ? {} : { metadata: { usage } };
    const result = { task: task1("COMPLETED", "Rain.", told) };
    const { url } = await fakeRemote((asked, response) => sendResult(asked, response, result));
    const agent = new A2ARemoteAgent({ url, name: "far" });
    const warnings: unknown[] = [];
    agent.eventBus.on("run.warning", ({ code, message }) => void warnings.push([code, message]));

    expect((await agent.run("Go.")).usage.promptTokens).toBe(counted);
    const message = `The usage that the remote agent "far" reported ${problem}`;
    expect(warnings).toEqual(problem === undefined ? [] : [["usage_unsound", message]]);
  },
);

function said(state: string, text: string) {
  return { state: `TASK_STATE_${state}`, message: { messageId: "m", role: "ROLE_AGENT", parts: [{ text }] } };
}

function textArtifact(artifactId: string, text: string): object {
  return { artifactId, parts: [{ text }] };
}
