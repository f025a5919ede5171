import { describe, expect, it } from "vitest";
import type { RunChunk } from "../run/run-wait.ts";
import { openAttempt, settle } from "./test/attempts.ts";

describe("the chunks of an attempt", () => {
  it("are logged with the step that they belong to, those of text as they are", async () => {
    const { made, logged } = await openAttempt();
    const [text, event] = [
      { type: "text", text: "a" },
      { type: "x", at: new Date(0), no: undefined },
    ];
    const inner = { type: "thinking" };
    made.beginStep("m/0").tag(text);
    made.beginStep("m/1").tag(inner);
    void made.writeChunk(text, text);
    void made.writeChunk({ type: "outer" }, inner);
    void made.writeChunk(event, event);
    expect(await logged()).toEqual([
      { t: "chunks", step: "m/0", chunks: [text] },
      { t: "chunks", step: "m/1", chunks: [{ type: "outer" }] },
      { t: "chunks", step: "", chunks: [{ type: "x", at: expect.anything() }] },
    ]);
  });

  it("the chunks of an attempt of no step are logged once more only when they come more often than before, whatever their durations", async () => {
    const { made, storage } = await openAttempt();
    const result = (durationMs: number, id = 1): RunChunk => ({ type: "r", id, of: { durationMs } }) as RunChunk;
    for (const ms of [1, 2]) void made.writeChunk(result(ms), {});
    await made.flush();
    const next = await openAttempt(storage);
    for (const chunk of [result(5), result(6, 2), result(7), result(8)]) void next.made.writeChunk(chunk, {});
    expect(await next.logged()).toEqual([{ t: "chunks", step: "", chunks: [result(6, 2), result(8)] }]);
  });

  it("the chunks of an attempt of a step are logged again", async () => {
    const { made, storage } = await openAttempt();
    const chunk = { type: "text", text: "a" };
    made.beginStep("m/0").tag(chunk);
    void made.writeChunk(chunk, chunk);
    await made.flush();
    const next = await openAttempt(storage);
    next.made.beginStep("m/0").tag(chunk);
    void next.made.writeChunk(chunk, chunk);
    expect(await next.logged()).toEqual([{ t: "chunks", step: "m/0", chunks: [chunk] }]);
  });

  it("are written at once for the first, wait for the storage when it is behind, and are none after a stop", async () => {
    const { made, storage, logged } = await openAttempt();
    const chunk = { type: "text", text: "a" };
    expect(made.writeChunk(chunk, chunk)).toBeUndefined();
    await settle();
    expect(await storage.list("run-log")).toHaveLength(2);
    for (let count = 0; count < 1024; count++) expect(made.writeChunk(chunk, chunk)).toBeUndefined();
    const full = made.writeChunk(chunk, chunk);
    expect(full).toBeInstanceOf(Promise);
    made.stop("overtaken");
    expect(await full).toBeUndefined();
    expect(made.writeChunk(chunk, chunk)).toBeUndefined();
    expect(await logged()).toEqual([{ t: "chunks", step: "", chunks: [chunk] }]);
  });
});
