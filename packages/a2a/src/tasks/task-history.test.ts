import { describe, expect, it } from "vitest";
import type { A2AMessage, A2APart } from "../wire/task.ts";
import { noteOf, noteWith, readHistory } from "./task-history.ts";

const text = (said: string): A2APart => ({ kind: "text", text: said });
const message = (messageId: string, ...parts: readonly A2APart[]): A2AMessage => ({ messageId, role: "user", parts });
const ids = { taskId: "r", contextId: "s" };
const read = (note: unknown) => readHistory({ runId: "r", sessionId: "s", note: note as never });
/** The message as the history has it. */
const kept = (given: A2AMessage) => read(noteOf(given))[0];

/** A message whose JSON, as it is kept, has this many characters. */
const ofLength = (messageId: string, length: number) => {
  const rest = JSON.stringify(message(messageId, text(""))).length;
  return message(messageId, text("x".repeat(length - rest)));
};

describe("the history of a task", () => {
  it("has the messages in order, with the ids of the run in place of their own", () => {
    const first = { ...message("1", text("Hi")), taskId: "other", contextId: "other", metadata: { a: 1 } };
    const reply: A2AMessage = { ...message("2", text("Yes?")), role: "agent" };
    const note = noteWith(noteWith(noteOf(first), [reply]), [message("3", text("No"))]);

    expect(read(note)).toEqual([
      { ...first, ...ids },
      { ...reply, ...ids },
      { ...message("3", text("No")), ...ids },
    ]);
    expect(JSON.stringify(note)).not.toContain("other");
    expect(noteWith(note, [])).toEqual(note);
  });

  it.each([undefined, null, "a2a", 7, [], [{ a2a: [] }], {}, { a2a: null }, { a2a: {} }])(
    "is empty for the note %j",
    (note) => {
      expect(read(note)).toEqual([]);
      expect(read(noteWith(note as never, [message("1", text("Hi"))]))).toHaveLength(1);
    },
  );

  it("measures a message without the bytes of its files, of which it keeps the size", () => {
    const file = { kind: "bytes", base64: "A".repeat(100_000), mediaType: "image/png" } as const;
    expect(kept(message("1", text("Look"), file))).toEqual({
      ...message("1", text("Look"), { ...file, base64: "", metadata: { leftOut: { sizeInBytes: 75_000 } } }),
      ...ids,
    });
  });

  it.each([
    [65_536, false],
    [65_537, true],
  ])("keeps a message of %i characters; it is cut: %s", (length, isCut) => {
    const given = ofLength("1", length);
    const shown = kept(given);

    expect(shown?.metadata).toEqual(isCut ? { isCut } : undefined);
    expect(shown?.parts).toEqual(isCut ? [text("x".repeat(8192))] : given.parts);
  });

  it("keeps the beginning of the texts of a message that is too long, and nothing else of it", () => {
    const given = {
      ...message(
        "1",
        text("Hello"),
        { kind: "data", data: "x".repeat(70_000) } as const,
        text("\u{1F600}".repeat(9000)),
      ),
      metadata: { big: true },
      extensions: ["x"],
    };
    const shown = kept(given);

    // Never half a character, after the first five letters and a line break.
    expect(shown).toEqual({ ...ids, messageId: "1", role: "user", metadata: { isCut: true }, parts: shown?.parts });
    expect(shown?.parts).toEqual([text(`Hello\n${"\u{1F600}".repeat(4093)}`)]);
  });

  it.each([
    [4096, false],
    [4100, true],
  ])("has files of %i characters of base64; they are left out: %s", (length, isLeftOut) => {
    const file: A2APart = { kind: "bytes", base64: "A".repeat(length), filename: "a", metadata: { b: 1 } };
    const leftOut = { ...file, base64: "", metadata: { b: 1, leftOut: { sizeInBytes: (length * 3) / 4 } } };

    expect(kept(message("1", text("Hi"), file))?.parts).toEqual([text("Hi"), isLeftOut ? leftOut : file]);
  });

  it.each([
    [6000, 6000],
    [6001, 6001],
    [6002, 6002],
  ])("tells the length of a file of %i bytes", (size, sizeInBytes) => {
    const file: A2APart = { kind: "bytes", base64: Buffer.alloc(size).toString("base64") };

    expect(kept(message("1", file))?.parts[0]).toMatchObject({ metadata: { leftOut: { sizeInBytes } } });
  });

  it("drops the oldest messages when all are too long together, and none that fits", () => {
    const three = ["1", "2", "3"].map((id) => ofLength(id, 65_536));
    const idsOf = (note: unknown) => read(note).map(({ messageId }) => messageId);
    const full = noteWith(undefined, three);

    expect(idsOf(full)).toEqual(["1", "2", "3"]);
    expect(idsOf(noteWith(full, [message("4", text(""))]))).toEqual(["2", "3", "4"]);
    expect(idsOf(noteWith(full, [ofLength("4", 65_536), message("5", text(""))]))).toEqual(["3", "4", "5"]);
  });
});
