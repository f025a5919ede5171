import type { ToolArtifact } from "@troupe/core";
import { describe, expect, it } from "vitest";
import type { A2APart } from "../wire/task.ts";
import { createArtifact, joinPieces, replyType, toPieces } from "./artifact.ts";
import type { ArtifactFields, ArtifactPiece } from "./artifact.ts";

const text = (said: string): A2APart => ({ kind: "text", text: said });
/** An artifact as a tool's call has made it. */
const made = (fields: ArtifactFields, toolCallId = "call"): ToolArtifact => ({
  ...createArtifact(fields),
  toolCallId,
  toolName: "tool",
});
/** The same without checks: storage may hold what an earlier release wrote. */
const stored = (data: unknown, type = "a2a.artifact"): ToolArtifact => ({
  type,
  data,
  toolCallId: "call",
  toolName: "tool",
});
const piece = (artifactId: string, said: string, append = false): ArtifactPiece => ({
  artifact: { artifactId, parts: [text(said)] },
  append,
  isLast: false,
});

describe("createArtifact", () => {
  it("makes parts of a string, and keeps what is given", () => {
    const metadata = { a: 1 };
    const given = { artifactId: "a", name: "n", description: "d", metadata, append: false, isLast: false };

    expect(createArtifact({ parts: "Hello" })).toEqual({ type: "a2a.artifact", data: { parts: [text("Hello")] } });
    expect(createArtifact({ ...given, parts: [text("Hello")] })).toEqual({
      type: "a2a.artifact",
      data: { ...given, parts: [text("Hello")] },
    });
    expect(Object.keys(createArtifact({ parts: "x", name: undefined }).data as object)).toEqual(["parts"]);
  });

  it.each<[string, object]>([
    ["artifactId must not be blank", { artifactId: "response" }],
    ["artifactId must not be blank", { artifactId: "" }],
    ["artifactId must not be blank", { artifactId: " " }],
    ["artifactId must be given", { append: false }],
    ["artifactId must be given", { append: true }],
    ["parts must be a string", { parts: [] }],
    ["parts must be a string", { parts: [{ kind: "text" }] }],
    ["parts must be a string", { parts: [text("Hello"), null] }],
    ["parts has a part that no client could read: its base64", { parts: [{ kind: "bytes", base64: "%" }] }],
    ["parts has a part that no client could read: its url", { parts: [{ kind: "url", url: "file:///x" }] }],
    ["parts has a part that no client could read: its url", { parts: [{ kind: "url", url: "AAAA" }] }],
  ])("refuses with %j: %j", (message, fields) => {
    expect(() => createArtifact({ parts: "Hello", ...fields })).toThrow(
      expect.objectContaining({ code: "invalid_value", message: expect.stringContaining(message) as string }),
    );
  });

  it("writes base64 as clients read it", () => {
    const { data } = createArtifact({ parts: [{ kind: "bytes", base64: "-_-_" }] });

    expect(data).toEqual({ parts: [{ kind: "bytes", base64: "+/+/" }] });
  });
});

describe("toPieces", () => {
  it("numbers what a call made, replies and others included", () => {
    const reply = { ...stored({}), type: replyType };
    const pieces = toPieces([
      made({ parts: "1" }),
      made({ parts: "2" }, "other"),
      reply,
      made({ parts: "3" }),
      made({ artifactId: "own", parts: "4" }),
      made({ parts: "5" }),
    ]);

    expect(pieces.map(({ artifact }) => artifact.artifactId)).toEqual(["call.0", "other.0", "call.2", "own", "call.4"]);
  });

  it.each<[boolean | undefined, boolean | undefined, [append: boolean, isLast: boolean]]>([
    [undefined, undefined, [false, true]],
    [undefined, false, [false, true]],
    [false, undefined, [false, false]],
    [false, true, [false, true]],
    [true, undefined, [true, false]],
    [true, true, [true, true]],
  ])("with append %s and isLast %s are %j", (append, isLast, expected) => {
    const [first] = toPieces([made({ artifactId: "a", parts: "x", append, isLast })]);

    expect([first?.append, first?.isLast]).toEqual(expected);
  });

  it("have the fields of the artifact, without those of a wrong kind", () => {
    const parts = [text("x")];
    const metadata = { a: 1 };
    const right = { artifactId: "a", name: "n", description: "d", metadata };
    const wrong = { artifactId: 7, name: 7, description: null, metadata: [] };

    expect(toPieces([stored({ ...right, parts })])[0]?.artifact).toEqual({ ...right, parts });
    expect(toPieces([stored({ ...wrong, parts })])[0]?.artifact).toEqual({ artifactId: "call.0", parts });
    // That is the answer of the run.
    expect(toPieces([stored({ artifactId: "response", parts })])[0]?.artifact.artifactId).toBe("call.0");
  });

  it.each<[string, unknown, string]>([
    ["another type", { parts: [text("x")] }, "chart"],
    ["no parts", {}, "a2a.artifact"],
    ["parts of another form", { parts: [{ kind: "other" }] }, "a2a.artifact"],
    ["data that is no object", [7], "a2a.artifact"],
  ])("show what has %s as a whole, with its type as its name", (_title, data, type) => {
    const [first, ...more] = toPieces([stored(data, type)]);

    expect(more).toEqual([]);
    expect(first).toMatchObject({ append: false, isLast: true });
    expect(first?.artifact).toMatchObject({ artifactId: "call.0", name: type, metadata: { toolName: "tool" } });
    expect(first?.artifact.parts).toHaveLength(1);
  });
});

describe("joinPieces", () => {
  it("adds what is appended to the artifact of the same id, in the order of the first pieces", () => {
    const pieces = [
      piece("a", "1"),
      piece("b", "2"),
      piece("a", "3", true),
      piece("b", "4", true),
      piece("a", "5", true),
    ];

    expect(joinPieces(pieces)).toEqual([
      { artifactId: "a", parts: [text("1"), text("3"), text("5")] },
      { artifactId: "b", parts: [text("2"), text("4")] },
    ]);
    // The pieces themselves are as they were.
    expect(pieces[0]).toEqual(piece("a", "1"));
  });

  it("begins again with a piece that is not appended, and with one that has nothing before it", () => {
    expect(joinPieces([piece("a", "1"), piece("b", "2"), piece("a", "3"), piece("c", "4", true)])).toEqual([
      { artifactId: "a", parts: [text("3")] },
      { artifactId: "b", parts: [text("2")] },
      { artifactId: "c", parts: [text("4")] },
    ]);
    expect(joinPieces([piece("__proto__", "1"), piece("__proto__", "2", true)])).toEqual([
      { artifactId: "__proto__", parts: [text("1"), text("2")] },
    ]);
  });
});
