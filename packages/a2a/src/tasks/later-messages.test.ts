import { describe, expect, it } from "vitest";
import type { A2AMessage, A2APart } from "../wire/task.ts";
import { noteOf, noteWith, readHistory } from "./task-history.ts";

const file = { kind: "bytes", base64: "A".repeat(8000), mediaType: "image/png", filename: "ä.png" } as const;
const short: A2APart = { ...file, base64: "QUJD" };
const leftOut: A2APart = { ...file, base64: "", metadata: { leftOut: { sizeInBytes: 6000 } } };

const message = (messageId: string, ...parts: readonly A2APart[]): A2AMessage => ({
  messageId,
  role: "user",
  parts,
  taskId: "other",
  contextId: "other",
});

/** The history of a task whose messages have come one after the other, or the later ones together. */
const histories = {
  "one after the other": (first: A2AMessage, later: readonly A2AMessage[]) =>
    later.reduce((note, each) => noteWith(note, [each]), noteOf(first)),
  "at once": (first: A2AMessage, later: readonly A2AMessage[]) => noteWith(noteOf(first), later),
};

describe.each(Object.entries(histories))("later messages of a task that come %s", (_way, write) => {
  const read = (...messages: readonly [A2AMessage, ...A2AMessage[]]): A2AMessage[] => {
    const [first, ...later] = messages;
    return readHistory({ runId: "r", sessionId: "s", note: write(first, later) });
  };

  it("are kept like the first: without the bytes of large files, and with the ids of the run", () => {
    const parts = [{ kind: "text", text: "Look" }, file, short] as const;
    const history = read(message("1", ...parts), message("2", ...parts), message("3", ...parts));

    const ids = { taskId: "r", contextId: "s" };
    const kept = [{ kind: "text", text: "Look" }, leftOut, short];
    expect(history).toEqual(["1", "2", "3"].map((id) => ({ ...message(id, ...parts), ...ids, parts: kept })));
  });

  it("are cut like the first if they are too long", () => {
    const long: A2APart = { kind: "text", text: "é".repeat(70_000) };
    const history = read(message("1", long), message("2", long), message("3", { kind: "text", text: "Short." }));

    expect(history.map(({ metadata }) => metadata)).toEqual([{ isCut: true }, { isCut: true }, undefined]);
    expect(new Set(history.slice(0, 2).map(({ parts }) => JSON.stringify(parts))).size).toBe(1);
  });
});
