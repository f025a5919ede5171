import type { Artifact } from "@troupe/core";
import { describe, expect, it } from "vitest";
import { messageReply, completedReply, readReply, rejectedReply } from "./reply.ts";

const text = { kind: "text", text: "Hi" } as const;
const reply = (data: unknown, type = "a2a.reply"): Artifact => ({ type, data });

describe("the reply of an agent", () => {
  it.each([
    ["rejected", rejectedReply],
    ["completed", completedReply],
    ["message", messageReply],
  ] as const)("says that its task is %s, and for other protocols what it says", (kind, make) => {
    const parts = [text, { kind: "data", data: { a: 1 } }] as const;
    expect(make("Hi")).toEqual({ content: "Hi", artifacts: [reply({ kind, parts: [text] })] });
    expect(make(parts)).toEqual({ content: "Hi", artifacts: [reply({ kind, parts })] });
    expect(make(parts.slice(1))).toEqual({ content: '{"a":1}', artifacts: [reply({ kind, parts: parts.slice(1) })] });
    expect(readReply(make(parts).artifacts)).toEqual({ kind, parts });
  });

  it.each([
    ["reason", rejectedReply],
    ["message", completedReply],
    ["message", messageReply],
  ] as const)("is refused without content, which is its %s", (name, make) => {
    expect(() => make([])).toThrow(`${name} must be a string, or an array of at least one part`);
  });
});

describe("the reply among what tools made", () => {
  it("is the last one", () => {
    const artifacts = [...rejectedReply("No.").artifacts, ...completedReply("Hi").artifacts, reply("a chart", "chart")];
    expect(readReply(artifacts)).toEqual({ kind: "completed", parts: [text] });
  });

  it.each([
    [[]],
    [[reply({ kind: "completed", parts: [text] }, "chart")]],
    [[reply(null)]],
    [[reply([text])]],
    [[reply({ kind: "failed", parts: [text] })]],
    [[reply({ parts: [text] })]],
    [[reply({ kind: "completed", parts: [] })]],
    [[reply({ kind: "completed" })]],
    [[reply({ kind: "completed", parts: [text] }), reply({ kind: "completed", parts: "Hi" })]],
  ])("is none in %j", (artifacts) => {
    expect(readReply(artifacts)).toBeUndefined();
  });
});
