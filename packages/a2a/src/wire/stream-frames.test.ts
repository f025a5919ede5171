import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { event } from "../../test/arbitraries.ts";
import { A2AError } from "./a2a-error.ts";
import { dialect02, dialect03 } from "./dialect-0.ts";
import { dialect1 } from "./dialect-1.ts";
import { answerTo } from "./json-rpc.ts";
import { createTextFrames, writeErrorFrame, writeFrame } from "./stream-frames.ts";
import type { A2AEvent } from "./task.ts";

const artifact = { taskId: "t", contextId: "c", artifactId: "a", name: "response" };
const { taskId, contextId, ...facts } = artifact;
const places = fc.record({ append: fc.boolean(), isLast: fc.boolean() });
const ids = fc.oneof(fc.string(), fc.integer(), fc.constant(null), fc.constant('"text":""'), fc.constant('text":""'));

describe.each([dialect02, dialect03, dialect1])("frames of a stream in A2A $version", (dialect) => {
  it("hold one JSON-RPC response each, on one line [a2a.stream-frames]", () => {
    fc.assert(
      fc.property(ids, event, (id, anEvent) => {
        const frame = writeFrame(answerTo(id, dialect), anEvent);
        expect(frame).toMatch(/^data: [^\r\n]*\n\n$/);
        const result = JSON.parse(JSON.stringify(dialect.writeEvent(anEvent)));
        expect(JSON.parse(frame.slice(6))).toEqual({ jsonrpc: "2.0", id, result });
      }),
      { numRuns: 50 },
    );
  });

  it("texts of an artifact are written as any event is [a2a.text-frames]", () => {
    const texts = fc.array(fc.record({ text: fc.string({ unit: "grapheme" }), place: places }), { minLength: 1 });
    fc.assert(
      fc.property(ids, texts, (id, given) => {
        const write = createTextFrames(answerTo(id, dialect), artifact);
        for (const { text, place } of given) {
          const parts = [{ kind: "text" as const, text }];
          const whole = { type: "artifact" as const, taskId, contextId, artifact: { ...facts, parts }, ...place };
          expect(write(text, place)).toBe(writeFrame(answerTo(id, dialect), whole));
        }
      }),
    );
  });

  it("the frame around a text is written once, however many texts there are [a2a.cost-per-chunk]", () => {
    let written = 0;
    const writeEvent = (given: A2AEvent): object => {
      written++;
      return dialect.writeEvent(given);
    };
    const write = createTextFrames(answerTo(1, { ...dialect, writeEvent }), artifact);
    const lengths = new Set<number>();
    write("first", { append: false, isLast: false });
    for (let chunk = 0; chunk < 10_000; chunk++) lengths.add(write("abc", { append: true, isLast: false }).length);
    write("", { append: true, isLast: true });
    expect(written).toBe(3);
    expect(lengths.size).toBe(1);
  });

  it("an error is a frame too, for clients that read nothing else", () => {
    const frame = writeErrorFrame(answerTo(1, dialect), new A2AError("task-not-found", "Task not found."));
    expect(JSON.parse(frame.slice(6))).toMatchObject({ jsonrpc: "2.0", id: 1, error: { code: -32001 } });
  });
});
