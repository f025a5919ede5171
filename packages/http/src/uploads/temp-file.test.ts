import { describe, expect, it } from "vitest";
import { watchTemporaryFiles } from "../../test/temporary-files.ts";
import { TempFile } from "./temp-file.ts";
import { MemoryBudget, SpooledFile } from "./uploaded-file.ts";

const letters = (text: string): Buffer => Buffer.from(text);
const removed = {
  code: "cancelled",
  message: "The uploaded file was removed: its request is over. Read it before answering.",
};

describe("TempFile", () => {
  it("has no name, keeps what is appended, and frees its space once it is removed", async () => {
    const left = watchTemporaryFiles();
    const before = left().open;
    const file = await TempFile.create();
    expect(left().named).toEqual([]);

    await Promise.all([file.append(letters("ab")), file.append(letters("cd")), file.append(letters("e"))]);
    expect((await file.read(5)).toString()).toBe("abcde");
    expect((await file.read(3)).toString()).toBe("abc");
    expect((await file.read(0)).toString()).toBe("");
    await file.append(letters("f"));
    expect((await file.read(6)).toString()).toBe("abcdef");

    await file.remove();
    expect(left().open).toBe(before);
    await expect(file.read(5)).rejects.toMatchObject(removed);
  });

  it("performs one operation after the other, and goes on behind one that fails", async () => {
    const file = await TempFile.create();
    const [long, , text] = await Promise.allSettled([file.read(5), file.append(letters("ab")), file.read(2)]);
    expect(long).toMatchObject({
      reason: { code: "internal", message: "The temporary file of an upload was truncated." },
    });
    expect(text).toMatchObject({ value: letters("ab") });

    const [read, , late] = await Promise.allSettled([file.read(2), file.remove(), file.read(2)]);
    expect(read).toMatchObject({ status: "fulfilled" });
    expect(late).toMatchObject({ reason: removed });
  });
});

describe("MemoryBudget", () => {
  it("gives bytes to the last one, and takes none where too few are left", () => {
    const budget = new MemoryBudget(10);
    expect([7, 4, 3, 0, 1].map((bytes) => budget.take(bytes))).toEqual([true, false, true, true, false]);
  });
});

describe("SpooledFile", () => {
  it("has the name and type of its headers, or the type of what is unknown", () => {
    const budget = new MemoryBudget(1);
    const named = new SpooledFile({ filename: "a.txt", mimeType: "text/plain" }, budget);
    expect([named.filename, named.mimeType, named.size]).toEqual(["a.txt", "text/plain", 0]);
    const bare = new SpooledFile({ mimeType: undefined }, budget);
    expect([bare.mimeType, "filename" in bare]).toEqual(["application/octet-stream", false]);
  });

  it("stays in memory within its budget, and moves to disk whole with the piece that exceeds it", async () => {
    const left = watchTemporaryFiles();
    const before = left().open;
    const budget = new MemoryBudget(4);
    const file = new SpooledFile({ mimeType: "a/b" }, budget);
    await file.append(letters("ab"));
    await file.append(letters("cd"));
    expect([left().open, file.size, (await file.read()).toString()]).toEqual([before, 4, "abcd"]);

    await file.append(letters("efg"));
    await file.append(letters("h"));
    expect([file.size, (await file.read()).toString(), (await file.read()).toString()]).toEqual([
      8,
      "abcdefgh",
      "abcdefgh",
    ]);
    await file.discard();
    expect(left().open).toBe(before);
    await expect(file.read()).rejects.toMatchObject(removed);
  });

  it("goes on on disk, where its pieces keep their order, though the budget has room for a small one", async () => {
    const file = new SpooledFile({ mimeType: "a/b" }, new MemoryBudget(2));
    for (const piece of ["abc", "d", "e"]) await file.append(letters(piece));
    expect((await file.read()).toString()).toBe("abcde");
    await file.discard();
  });

  it("has nothing to remove in memory", async () => {
    const file = new SpooledFile({ mimeType: "a/b" }, new MemoryBudget(2));
    await file.append(letters("a"));
    await file.discard();
    expect((await file.read()).toString()).toBe("a");
  });
});
