import { describe, expect, it, onTestFinished, vi } from "vitest";
import { watchTemporaryFiles } from "../../test/temporary-files.ts";
import { TempFile } from "./temp-file.ts";
import { MemoryBudget, SpooledFile } from "./uploaded-file.ts";

describe("MemoryBudget", () => {
  it("gives no more bytes than it has, all calls together, and takes none for a call that it refuses", () => {
    const budget = new MemoryBudget(5);
    expect([3, 3, 2, 1, 0].map((bytes) => budget.take(bytes))).toEqual([true, false, true, false, true]);
  });
});

describe("SpooledFile", () => {
  it.each<[object, object]>([
    [{ mimeType: undefined }, { mimeType: "application/octet-stream" }],
    [
      { mimeType: "a/b", filename: "x" },
      { mimeType: "a/b", filename: "x" },
    ],
    [
      { mimeType: "a/b", filename: "" },
      { mimeType: "a/b", filename: "" },
    ],
  ])("has of its headers %j the fields %j", (headers, fields) => {
    const file = new SpooledFile(headers as { mimeType: string }, new MemoryBudget(1));
    expect(Object.fromEntries(Object.entries(file))).toEqual(fields);
    expect([Object.keys(file).includes("filename"), file.size]).toEqual(["filename" in fields, 0]);
  });

  it("is in memory as long as the budget allows it, and has its pieces in order", async () => {
    const left = watchTemporaryFiles();
    const file = new SpooledFile({ mimeType: "a/b" }, new MemoryBudget(4));
    for (const piece of ["a", "é", "b"]) await file.append(Buffer.from(piece));
    expect([file.size, left(), (await file.read()).toString(), (await file.read()).toString()]).toEqual([
      4,
      { named: [], open: 0 },
      "aéb",
      "aéb",
    ]);
    await file.discard();
  });

  it("moves to one temporary file with the first byte that is too many, stays there, and is gone once discarded", async () => {
    const left = watchTemporaryFiles();
    const budget = new MemoryBudget(4);
    const file = new SpooledFile({ mimeType: "a/b" }, budget);
    for (const piece of ["ab", "cde", "f"]) await file.append(Buffer.from(piece));
    expect([file.size, left().open, (await file.read()).toString()]).toEqual([6, 1, "abcdef"]);
    // What it took before stays taken; what went to the file took nothing.
    expect([budget.take(3), budget.take(2)]).toEqual([false, true]);
    await file.discard();
    expect(left()).toEqual({ named: [], open: 0 });
    await expect(file.read()).rejects.toMatchObject({
      code: "cancelled",
      message: "The uploaded file was removed: its request is over. Read it before answering.",
    });
  });

  it("shares the budget with the other files of its upload", async () => {
    const left = watchTemporaryFiles();
    const budget = new MemoryBudget(4);
    const [first, second] = [0, 1].map(() => new SpooledFile({ mimeType: "a/b" }, budget));
    await first?.append(Buffer.from("abc"));
    await second?.append(Buffer.from("de"));
    expect([left().open, (await second?.read())?.toString()]).toEqual([1, "de"]);
    await second?.discard();
    await first?.discard();
  });

  it("frees its temporary file also where the first write to it has failed", async () => {
    const left = watchTemporaryFiles();
    const append = vi.spyOn(TempFile.prototype, "append").mockRejectedValueOnce(new Error("The disk is full."));
    onTestFinished(() => append.mockRestore());
    const file = new SpooledFile({ mimeType: "a/b" }, new MemoryBudget(0));
    await expect(file.append(Buffer.from("a"))).rejects.toThrow("The disk is full.");
    expect(left().open).toBe(1);
    await file.discard();
    expect(left()).toEqual({ named: [], open: 0 });
  });

  it("is discarded once its temporary file is removed, and not before", async () => {
    const removed = Promise.withResolvers<void>();
    const file = new SpooledFile({ mimeType: "a/b" }, new MemoryBudget(0));
    await file.append(Buffer.from("a"));
    const remove = vi.spyOn(TempFile.prototype, "remove").mockReturnValueOnce(removed.promise);
    onTestFinished(async () => {
      remove.mockRestore();
      await file.discard();
    });
    const isOver = vi.fn<() => void>();
    const discarding = file.discard().then(isOver);
    await new Promise((resolve) => setImmediate(resolve));
    expect(isOver).not.toHaveBeenCalled();
    removed.resolve();
    await discarding;
  });
});
