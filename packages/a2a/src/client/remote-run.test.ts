import { TroupeError } from "@troupe/core";
import type { RunEvents, RunOutput, StreamChunk } from "@troupe/core";
import { describe, expect, it } from "vitest";
import { card1, fakeRemote, piece1, sendFrames, sendResult, status1, task1 } from "../../test/fake-remote.ts";
import type { Answer } from "../../test/fake-remote.ts";
import { A2ARemoteAgent } from "./remote-agent.ts";

const streaming = card1({ capabilities: { streaming: true } });

/** A stream with these frames, which ends with the last one. */
const framesOf =
  (...frames: object[]): Answer =>
  (asked, response) => {
    if (asked.rpc.method === "CancelTask") sendResult(asked, response, task1("CANCELED"));
    else sendFrames(asked, response, ...frames);
  };

/** A status whose message has these parts. */
const statusWith = (state: string, parts: object[]): object => ({
  task: task1(state, undefined, {
    status: { state: `TASK_STATE_${state}`, message: { messageId: "s", role: "ROLE_AGENT", parts } },
  }),
});

/** Runs a remote agent `far`, and returns all that can be seen of it. */
async function runOf(answer: Answer, card: object = streaming) {
  const remote = await fakeRemote(answer, card);
  const agent = new A2ARemoteAgent({ url: remote.url, name: "far" });
  const warnings: object[] = [];
  agent.eventBus.on("run.warning", ({ code, message, fields }: RunEvents["run.warning"]) => {
    warnings.push({ code, message, fields });
  });
  const stream = agent.stream("Go.");
  const chunks: StreamChunk[] = [];
  const failed = await Array.fromAsync(stream, (chunk) => void chunks.push(chunk)).then(
    () => undefined,
    (error: unknown) => error as TroupeError & { output: RunOutput },
  );
  return { ...remote, stream, chunks, failed, warnings };
}

/** The words of the remote agent: the cause of the error that the run ends with. */
function wordsOf(failed: Error | undefined): string | undefined {
  const error = failed?.cause as Error | undefined;
  return (error?.cause as Error | undefined)?.message;
}

describe("a task of a remote agent that ends without an answer", () => {
  it.each([
    ["FAILED", "failed", "model_failed", 'The task of the remote agent "far" failed.'],
    ["REJECTED", "rejected", "guardrail_blocked", 'The remote agent "far" rejected the task.'],
    ["CANCELED", "canceled", "cancelled", 'The task was cancelled at the remote agent "far".'],
    [
      "AUTH_REQUIRED",
      "auth-required",
      "model_failed",
      'The remote agent "far" asks for further credentials in the middle of its task. Check headers.',
    ],
  ])(
    "a remote task that ends as %s is an error with its state, and with its words only as the cause",
    async (...[sent, state, code, message]) => {
      const parts = [{ text: "No" }, { data: { secret: 1 } }, { text: " bread." }];
      const { failed } = await runOf(framesOf(statusWith(sent, parts)));
      expect(failed).toBeInstanceOf(TroupeError);
      expect([failed?.code, failed?.message, failed?.fields]).toEqual([code, message, { remote: "far", state }]);
      expect(wordsOf(failed)).toBe("No bread.");
    },
  );

  it.each([
    ["no message", [], undefined],
    ["a message without a text", [{ data: 1 }], undefined],
    ["1000 characters", [{ text: "x".repeat(1000) }], "x".repeat(1000)],
    ["more", [{ text: "x".repeat(1001) }], "x".repeat(1000)],
  ])("has the first 1000 characters of its words as its cause: %s", async (_what, parts, cause) => {
    const { failed } = await runOf(framesOf(statusWith("FAILED", parts)));
    expect(wordsOf(failed)).toBe(cause);
  });

  it("keeps the text that came before", async () => {
    const frames = [{ task: task1("WORKING") }, piece1("Half", false), status1("FAILED")];
    const { failed, chunks } = await runOf(framesOf(...frames));
    expect(chunks).toEqual([{ type: "text", text: "Half" }]);
    expect(failed?.output).toMatchObject({ text: "Half", status: "error" });
    expect(wordsOf(failed), "a status without a message has no words").toBeUndefined();
  });
});

describe("the stream of a remote agent", () => {
  it("has the texts, the rest of the answer, what was made, and the end with its usage", async () => {
    const usage = { promptTokens: 3, completionTokens: 4, totalTokens: 7 };
    const made = { artifactId: "f", name: "maps", parts: [{ raw: "SGk=", mediaType: "image/png" }, { data: [1] }] };
    const frames = [
      { task: task1("WORKING") },
      piece1("One", false),
      piece1(""),
      piece1(" two."),
      { artifactUpdate: { taskId: "t-1", contextId: "c-1", artifact: made } },
      {
        task: task1("INPUT_REQUIRED", undefined, {
          status: {
            state: "TASK_STATE_INPUT_REQUIRED",
            message: { messageId: "q", role: "ROLE_AGENT", parts: [{ text: "Which?" }] },
          },
          metadata: { usage },
        }),
      },
    ];
    const { chunks, stream, warnings } = await runOf(framesOf(...frames));
    const id = `${stream.runId}.files`;
    const artifacts = [
      { type: "maps", data: "SGk=", mimeType: "image/png" },
      { type: "maps", data: [1] },
    ];
    const result = { toolCallId: id, toolName: "far", result: "maps, maps", durationMs: 0, artifacts };
    expect(chunks).toEqual([
      { type: "text", text: "One" },
      { type: "text", text: " two." },
      { type: "text", text: "\n\nWhich?" },
      { type: "tool_call_start", toolCall: { id, name: "far" } },
      { type: "tool_result", ...result },
      { type: "tool_call_end", toolCallId: id },
      { type: "finish", finishReason: "stop", usage },
    ]);
    expect(await stream.output).toMatchObject({
      text: "One two.\n\nWhich?",
      status: "completed",
      usage,
      toolCalls: [{ ...result, args: {} }],
    });
    expect(warnings).toEqual([]);
  });

  it("says nothing more where the answer is not what was streamed", async () => {
    const whole = task1("COMPLETED", undefined, { artifacts: [{ artifactId: "a", parts: [{ text: "Two." }] }] });
    const { chunks, stream } = await runOf(
      framesOf({ task: task1("WORKING") }, piece1("One.", false), { task: whole }),
    );
    expect(chunks.flatMap((chunk) => (chunk.type === "text" ? chunk.text : []))).toEqual(["One.", "Two."]);
    expect((await stream.output).text).toBe("Two.");
    expect(chunks.map(({ type }) => type)).not.toContain("tool_result");
  });

  it("warns of usage that is none, with the name of the agent", async () => {
    const { warnings } = await runOf(framesOf({ task: task1("COMPLETED", "Done.", { metadata: { usage: 3 } }) }));
    const message = 'The usage that the remote agent "far" reported is not an object. No tokens are counted.';
    expect(warnings).toEqual([{ code: "usage_unsound", message, fields: { remote: "far" } }]);
  });

  it("knows when its first text came, also that of an answer which comes whole", async () => {
    for (const frames of [
      [{ task: task1("WORKING") }, piece1("One.", false), status1("COMPLETED")],
      [{ task: task1("WORKING") }, status1("COMPLETED", "One.")],
    ]) {
      const { stream } = await runOf(framesOf(...frames));
      expect((await stream.output).timeToFirstTokenMs).toEqual(expect.any(Number));
    }
    const { stream } = await runOf(framesOf({ task: task1("COMPLETED") }));
    expect((await stream.output).timeToFirstTokenMs).toBeUndefined();
  });
});

describe("the message of a run", () => {
  const usual = ["text/plain", "application/json"];
  it.each([
    ["those of the card", ["image/png", "text/plain"], ["image/png", "text/plain"]],
    ["text and JSON, where the card has none", [], usual],
    ["text and JSON, where one of the card is no text", ["image/png", 1], usual],
    ["text and JSON, where the card has one text", "image/png", usual],
  ])("asks an agent of 0.2 for output modes once its card is known: %s", async (_what, defaultOutputModes, modes) => {
    const completed = { kind: "task", id: "t-1", contextId: "c-1", status: { state: "completed" } };
    const { url, asked } = await fakeRemote(
      (each, response) => sendResult(each, response, completed),
      card1({ supportedInterfaces: undefined, url: "/", protocolVersion: "0.2.6", defaultOutputModes }),
    );
    const agent = new A2ARemoteAgent({ url, name: "far" });
    const [first, second] = [await agent.run("Go."), await agent.run("Go.")];
    expect(asked.slice(1).map(({ rpc }) => rpc.params)).toMatchObject([
      { message: { messageId: first.runId, role: "user" }, configuration: { acceptedOutputModes: usual } },
      { message: { messageId: second.runId, role: "user" }, configuration: { acceptedOutputModes: modes } },
    ]);
  });
});
