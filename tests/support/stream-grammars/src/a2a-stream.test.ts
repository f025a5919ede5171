import { describe, expect, it } from "vitest";
import { A2AStreamGrammar } from "./a2a-stream.ts";
import type { A2AFrame, A2AVersion } from "./a2a-stream.ts";
import { ruleBroken } from "./test/rule-broken.ts";

const ids = { taskId: "t", contextId: "c" };

type Update = { append?: boolean; lastChunk?: boolean; artifactId?: string; contextId?: string };

/** The events of a version, in its words. */
type Words = {
  readonly task: (state: string, artifacts?: string[]) => A2AFrame;
  readonly status: (state: string, more?: object) => A2AFrame;
  readonly artifact: (update?: Update) => A2AFrame;
  readonly message: A2AFrame;
};

const rpc = (result: object): A2AFrame => ({ jsonrpc: "2.0", id: 1, result });
const failed: A2AFrame = { jsonrpc: "2.0", id: 1, error: {} };
const name1 = (state: string): string => `TASK_STATE_${state.toUpperCase().replace("-", "_")}`;
const listed = (artifacts: string[] = []): object[] => artifacts.map((artifactId) => ({ artifactId }));
const goesOn = ["submitted", "working"];

const words: Readonly<Record<A2AVersion, Words>> = {
  "0.3": {
    task: (state, artifacts) =>
      rpc({ kind: "task", id: "t", contextId: "c", status: { state }, artifacts: listed(artifacts) }),
    status: (state, more) =>
      rpc({ kind: "status-update", ...ids, status: { state }, final: !goesOn.includes(state), ...more }),
    artifact: ({ artifactId = "a", ...more } = {}) =>
      rpc({ kind: "artifact-update", ...ids, artifact: { artifactId }, ...more }),
    message: rpc({ kind: "message" }),
  },
  "1.0": {
    task: (state, artifacts) =>
      rpc({ task: { id: "t", contextId: "c", status: { state: name1(state) }, artifacts: listed(artifacts) } }),
    status: (state, more) => rpc({ statusUpdate: { ...ids, status: { state: name1(state) }, ...more } }),
    artifact: ({ artifactId = "a", ...more } = {}) =>
      rpc({ artifactUpdate: { ...ids, artifact: { artifactId }, ...more } }),
    message: rpc({ message: {} }),
  },
};

const broken: [rule: string, problem: string, events: (words: Words) => A2AFrame[]][] = [
  ["no-end", "no final status", ({ task, artifact }) => [task("working"), artifact()]],
  [
    "after-end",
    "a final status that comes twice",
    ({ task, status }) => [task("working"), status("completed"), status("completed")],
  ],
  [
    "after-end",
    "an artifact behind the final status",
    ({ task, status, artifact }) => [task("working"), status("completed"), artifact()],
  ],
  ["after-end", "an event behind an error", ({ task }) => [task("working"), failed, task("working")]],
  ["after-end", "a message that comes twice", ({ message }) => [message, message]],
  ["message-alone", "a message behind a task", ({ task, message }) => [task("working"), message]],
  ["task-first", "a status before the task", ({ status }) => [status("working")]],
  ["one-task", "a task that comes twice", ({ task }) => [task("submitted"), task("working")]],
  [
    "same-task",
    "an artifact of another context",
    ({ task, artifact }) => [task("working"), artifact({ contextId: "d" })],
  ],
  ["same-request", "an answer to another request", ({ task }) => [task("working"), { ...failed, id: 2 }]],
  ["one-answer", "neither a result nor an error", ({ task }) => [task("working"), { jsonrpc: "2.0", id: 1 }]],
  ["one-kind", "an event of no kind", ({ task }) => [task("working"), rpc({ kind: "new", new: {} })]],
  [
    "one-status",
    "a state that comes twice",
    ({ task, status }) => [task("submitted"), status("working"), status("working")],
  ],
  ["state-order", "a task that is submitted again", ({ task, status }) => [task("working"), status("submitted")]],
  ["state-order", "another end of a task that is over", ({ task, status }) => [task("completed"), status("failed")]],
  ["known-state", "a state of no version", ({ task }) => [task("done")]],
  [
    "append-to",
    "a piece of an artifact that is not there",
    ({ task, artifact }) => [task("working"), artifact({ append: true })],
  ],
  [
    "last-chunk",
    "a last piece that comes twice",
    ({ task, artifact }) => [task("working"), artifact({ lastChunk: true }), artifact({ lastChunk: true })],
  ],
  [
    "last-chunk",
    "a piece behind the last one",
    ({ task, artifact }) => [task("working"), artifact({ lastChunk: true }), artifact({ append: true })],
  ],
];

const right: [stream: string, events: (words: Words) => A2AFrame[]][] = [
  [
    "a task with an artifact in pieces",
    ({ task, status, artifact }) => [
      task("submitted"),
      status("working"),
      artifact(),
      artifact({ append: true }),
      artifact({ lastChunk: true }),
      status("completed"),
    ],
  ],
  [
    "a task that goes on with its artifact",
    ({ task, status, artifact }) => [task("working", ["a"]), artifact({ append: true }), status("completed")],
  ],
  ["a task that waits for its client", ({ task, status }) => [task("working"), status("input-required")]],
  ["a message", ({ message }) => [message]],
  ["an error", () => [failed]],
];

describe.each(["0.3", "1.0"] as const)("A2AStreamGrammar of %s", (version) => {
  it.each(broken)("refuses by the rule %s %s", (rule, _problem, events) => {
    expect(ruleBroken(new A2AStreamGrammar(version), events(words[version]))).toBe(rule);
  });

  it.each(right)("takes %s", (_stream, events) => {
    expect(ruleBroken(new A2AStreamGrammar(version), events(words[version]))).toBeUndefined();
  });

  it("takes what a client has read that left early", () => {
    expect(ruleBroken(new A2AStreamGrammar(version), [words[version].task("working")], false)).toBeUndefined();
  });

  it("refuses the states of the other version", () => {
    const other = words[version === "1.0" ? "0.3" : "1.0"];

    expect(ruleBroken(new A2AStreamGrammar(version), [other.task("working")])).toBe("one-kind");
    const mixed = JSON.stringify(words[version].task("working")).replace(
      /"state":"\w+"/,
      `"state":"${version === "1.0" ? "working" : "TASK_STATE_WORKING"}"`,
    );
    expect(ruleBroken(new A2AStreamGrammar(version), [JSON.parse(mixed) as A2AFrame])).toBe("known-state");
  });
});

describe("the mark final", () => {
  const { task, status } = words["0.3"];

  it.each([
    ["0.3", "is missing at the end", [task("working"), status("completed", { final: false })]],
    ["0.3", "comes before the end", [task("submitted"), status("working", { final: true })]],
    [
      "1.0",
      "is none of version 1.0",
      [words["1.0"].task("submitted"), words["1.0"].status("completed", { final: true })],
    ],
  ] as const)("the mark final of version %s is refused where it %s", (version, _problem, events) => {
    expect(ruleBroken(new A2AStreamGrammar(version), events)).toBe("final");
  });

  it("comes with a task of 0.3 that waits for credentials, which goes on in 1.0", () => {
    const events = ({ task: taskOf, status: statusOf }: Words) => [taskOf("working"), statusOf("auth-required")];

    expect(ruleBroken(new A2AStreamGrammar("0.3"), events(words["0.3"]))).toBeUndefined();
    expect(ruleBroken(new A2AStreamGrammar("1.0"), [...events(words["1.0"])])).toBe("no-end");
  });
});
