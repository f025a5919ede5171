import { describe, expect, it } from "vitest";
import type { A2AArtifact, A2AMessage, A2APart, A2ATask, A2ATaskState } from "../wire/task.ts";
import type { RemoteEvent } from "./read-reply.ts";
import { RemoteAnswer } from "./remote-answer.ts";

const most = 1_000_000;
const ids = { taskId: "t", contextId: "c" };
const text = (value: string): A2APart => ({ kind: "text", text: value });
const data = (value: unknown): A2APart => ({ kind: "data", data: value });
const file: A2APart = { kind: "bytes", base64: "AQID", mediaType: "image/png", filename: "a.png" };

function said(parts: A2APart[], role: A2AMessage["role"] = "agent"): A2AMessage {
  return { messageId: "m", role, parts };
}

function piece(artifactId: string, parts: A2APart[], append = true): RemoteEvent {
  return { type: "artifact", ...ids, artifact: { artifactId, parts }, append, isLast: false };
}

function status(state: A2ATaskState, ...parts: A2APart[]): RemoteEvent {
  return { type: "status", ...ids, status: { state, at: 0, ...(parts.length > 0 && { message: said(parts) }) } };
}

function task(artifacts: A2AArtifact[], fields: Partial<A2ATask> = {}): RemoteEvent {
  const facts = { id: "t", contextId: "c", history: [], status: { state: "completed", at: 0 } } as const;
  return { type: "task", task: { ...facts, artifacts, ...fields } };
}

/** Takes events. Returns the texts that they added, and the answer. */
function take(...events: RemoteEvent[]) {
  const answer = new RemoteAnswer(most);
  return { added: events.map((event) => answer.take(event)), answer };
}

describe("the text of an answer", () => {
  it.each<[string, RemoteEvent[], string[], string]>([
    ["grows by pieces", [piece("a", [text("Ra")], false), piece("a", [text("in"), text(".")])], ["Ra", "in."], "Rain."],
    [
      "grows by a piece that begins like all before it",
      [piece("a", [text("Ja")]), piece("a", [text("Ja, ja.")])],
      ["Ja", "Ja, ja."],
      "JaJa, ja.",
    ],
    ["has artifacts apart", [piece("a", [text("1")]), piece("b", [text("2")])], ["1", "\n\n2"], "1\n\n2"],
    [
      "goes on with an artifact before the last",
      [piece("a", [text("1")]), piece("b", [text("2")]), piece("a", [text("3")])],
      ["1", "\n\n2", "3"],
      "13\n\n2",
    ],
    ["does not part from what has no text", [piece("a", [file]), piece("b", [text("1")])], ["", "1"], "1"],
    ["is not parted by an empty one", [piece("a", [text("1")]), piece("b", [text("")])], ["1", ""], "1"],
    [
      "is said once",
      [piece("a", [text("Ra")]), piece("a", [text("Rain")], false), piece("a", [text("Rain")], false)],
      ["Ra", "in", ""],
      "Rain",
    ],
    ["begins anew", [piece("a", [text("I look.")]), piece("a", [text("Rain")], false)], ["I look.", "Rain"], "Rain"],
    [
      "is first again where the only one was emptied",
      [piece("a", [text("1")]), piece("a", [], false), piece("b", [text("2")])],
      ["1", "", "2"],
      "2",
    ],
    [
      "of artifacts without ids goes by their places",
      [task([artifact("", "1"), artifact("", "2")]), task([artifact("", "1"), artifact("", "23")])],
      ["1\n\n2", "3"],
      "1\n\n23",
    ],
    ["of an update without an id is the first", [task([artifact("", "1")]), piece("", [text("2")])], ["1", "2"], "12"],
  ])("%s", (...[, events, added, whole]) => {
    const taken = take(...events);
    expect(taken.added).toEqual(added);
    expect([taken.answer.artifactText, taken.answer.text]).toEqual([whole, whole]);
  });

  const history = [said([text("old")]), said([text("last")]), said([text("mine")], "user")];
  it.each<[string, RemoteEvent[], string]>([
    ["its artifacts", [task([artifact("a", "A")], { history }), status("completed", text("S"))], "A"],
    ["the last status", [task([], { history }), status("working", text("W")), status("completed", text("S"))], "S"],
    ["a message before the status", [status("completed", text("S")), message(text("M"), text("!"))], "M!"],
    ["the last message of the agent", [task([], { history }), status("completed")], "last"],
    ["its data as JSON", [task([{ artifactId: "a", parts: [data([1])] }])], "[1]"],
    ["nothing of two data", [task([{ artifactId: "a", parts: [data(1), data(2)] }])], ""],
    ["a message's data", [message(data({ a: null }))], '{"a":null}'],
    ["what is asked", [piece("a", [text("A")]), status("input-required", text("S"))], "A\n\nS"],
    ["what is asked for", [piece("a", [text("A")]), status("auth-required", text("S"))], "A\n\nS"],
    ["only what is asked", [task([], { history }), status("input-required", text("S"))], "S"],
    ["no history of a task that asks", [task([], { history }), status("input-required")], ""],
    ["nothing", [], ""],
  ])("is %s", (_what, events, whole) => {
    expect(take(...events).answer.text).toBe(whole);
  });

  it("does not have that of the artifacts before the end", () => {
    expect(take(status("completed", text("S"))).answer.artifactText).toBe("");
  });
});

describe("the status of an answer", () => {
  it("is the last one, of a task or an update, and none beside a message", () => {
    expect(take(message(text("M"))).answer.status).toBeUndefined();
    expect(take(task([]), status("failed")).answer.status).toEqual({ state: "failed", at: 0 });
    expect(take(status("working"), task([])).answer.status).toEqual({ state: "completed", at: 0 });
  });
});

describe("the data and the files of an answer", () => {
  const png = { type: "a.png", data: "AQID", mimeType: "image/png" };
  const pdf: A2APart = { kind: "url", url: "https://files.example/a.pdf" };
  it.each<[string, RemoteEvent[], unknown, object[]]>([
    ["one value beside a text", [piece("a", [text("A"), data({ b: 1 })])], { b: 1 }, []],
    ["one value alone", [piece("a", [data(false)])], false, []],
    ["two values", [piece("a", [data(1), data(2)])], null, [1, 2].map((value) => ({ type: "data", data: value }))],
    [
      "a value with its type",
      [piece("a", [{ ...file, ...data(1) }, data(2)])],
      null,
      [
        { ...png, data: 1 },
        { type: "data", data: 2 },
      ],
    ],
    [
      "a value in another artifact",
      [piece("a", [text("A")]), piece("b", [data(1)])],
      null,
      [{ type: "data", data: 1 }],
    ],
    [
      "a file and a value",
      [piece("a", [file, data(1), pdf])],
      1,
      [png, { type: "file", data: "https://files.example/a.pdf" }],
    ],
    ["a message's", [message(text("M"), data(1), file)], 1, [png]],
    [
      "a message's two",
      [message(data(1), data(2), pdf)],
      null,
      [
        { type: "data", data: 1 },
        { type: "data", data: 2 },
        { type: "file", data: "https://files.example/a.pdf" },
      ],
    ],
    ["none", [piece("a", [text("A")])], null, []],
    ["replaced", [piece("a", [file, data(1)]), piece("a", [data(2)], false)], 2, []],
    [
      "added",
      [piece("a", [file]), piece("a", [pdf, data(2)])],
      2,
      [png, { type: "file", data: "https://files.example/a.pdf" }],
    ],
    [
      "of a name",
      [task([{ artifactId: "a", name: "maps", parts: [pdf, data(1), data(2)] }])],
      null,
      [
        { type: "maps", data: "https://files.example/a.pdf" },
        { type: "maps", data: 1 },
        { type: "maps", data: 2 },
      ],
    ],
  ])("are told apart: %s", (...[, events, structured, artifacts]) => {
    const { answer } = take(...events);
    expect(answer.structured).toEqual(structured);
    expect(answer.artifacts).toEqual(artifacts);
  });
});

describe("the usage of an answer", () => {
  const usage = { promptTokens: 3, completionTokens: 4, totalTokens: 7, cachedTokens: 1, reasoningTokens: 2 };
  it("is what was told last, and its counters alone", () => {
    const told = (given: unknown): RemoteEvent => ({ ...status("working"), told: { usage: given } });
    const { answer } = take(told({ promptTokens: 1 }), told({ ...usage, raw: "canary" }), {
      ...status("completed"),
      told: { model: "m" },
    });
    expect(answer.usage).toEqual(usage);
    expect(answer.usageProblem).toBeUndefined();
  });

  const notCounted = "is not an object. No tokens are counted";
  it.each([
    [null, undefined],
    ["much", notCounted],
    [7, notCounted],
  ])("is none where it is no object: %j", (given, problem) => {
    const { answer } = take({ ...status("completed"), told: { usage: given } });
    expect(answer.usage).toBeUndefined();
    expect(answer.usageProblem).toBe(problem);
  });

  it("is none where none was told", () => {
    const { answer } = take(status("completed"));
    expect([answer.usage, answer.usageProblem]).toEqual([undefined, undefined]);
  });
});

describe("the size of an answer", () => {
  const long: A2APart[] = [text("éé"), { kind: "bytes", base64: "AQID" }, { kind: "url", url: "https://a" }, data([1])];
  // Each part counts 64 bytes and its content, an artifact 64 more.
  const size = 4 * 64 + 4 + 4 + 9 + 3;
  it.each<[string, RemoteEvent[], number]>([
    ["an artifact", [piece("a", long)], 64 + size],
    ["pieces of one", [piece("a", long), piece("a", long)], 64 + 2 * size],
    ["an artifact that was replaced", [piece("a", long), piece("a", long, false)], 64 + size],
    ["one that was replaced by less", [piece("a", long), piece("a", [], false), piece("a", long)], 64 + size],
    [
      "pieces that were replaced as one, and a piece behind that",
      [piece("a", long), piece("a", long), piece("a", long, false), piece("a", long)],
      64 + 2 * size,
    ],
    [
      "two artifacts",
      [
        task([
          { artifactId: "a", parts: long },
          { artifactId: "b", parts: long },
        ]),
      ],
      2 * (64 + size),
    ],
    ["a message", [message(...long)], size],
  ])("is bounded: %s", (_what, events, bytes) => {
    const takeAll = (bound: number) => () => {
      const answer = new RemoteAnswer(bound);
      for (const event of events) answer.take(event);
    };
    expect(takeAll(bytes)).not.toThrow();
    const happened = `sent an answer of more than ${bytes - 1} bytes. Raise maxReplyBytes to take more`;
    expect(takeAll(bytes - 1)).toThrow(expect.objectContaining({ kind: "form", happened }));
  });
});

function artifact(artifactId: string, value: string): A2AArtifact {
  return { artifactId, parts: [text(value)] };
}

function message(...parts: A2APart[]): RemoteEvent {
  return { type: "message", message: said(parts) };
}
