import { describe, expect, it } from "vitest";
import { runNamespaces } from "../../agents/journal/log-entry.ts";
import { InMemoryStorage } from "../../sessions/storage/in-memory-storage.ts";
import { inputKeys, isLongInput, readInput, removeInput, writeInput } from "./run-input.ts";
import type { RunInput } from "./run-input.ts";
import type { RunRecord } from "./run-record.ts";
import { newRecord } from "./test/run-records.ts";

const options = {};

/** A storage that answers reads and writes of one batch in the opposite order, and counts those that are under way. */
class SlowestFirst extends InMemoryStorage {
  most = 0;
  #waiting: (() => void)[] = [];

  override async get(namespace: string, key: string) {
    const value = await super.get(namespace, key);
    if (namespace === runNamespaces.input) await this.#turn();
    return value;
  }

  override async set(...args: Parameters<InMemoryStorage["set"]>) {
    if (args[0] === runNamespaces.input) await this.#turn();
    await super.set(...args);
  }

  async #turn(): Promise<void> {
    const turn = new Promise<void>((resolve) => this.#waiting.push(resolve));
    this.most = Math.max(this.most, this.#waiting.length);
    if (this.#waiting.length === 1) setImmediate(() => this.#release());
    await turn;
  }

  #release(): void {
    const waiting = this.#waiting.toReversed();
    this.#waiting = [];
    for (const resolve of waiting) resolve();
  }
}

const record = (given: Partial<RunInput> = {}, runId = "run/é"): RunRecord =>
  newRecord({ runId, createdAt: 1, input: "Hi", options, ...given });

/** Numbers one after another: no two pieces are alike. */
function numbersOf(length: number): string {
  let text = "";
  for (let number = 0; text.length < length; number++) text += `${number},`;
  return text.slice(0, length);
}

/** The length of the piece that a storage gets at most, and that of what stands around a text in the pieces. */
const pieceLength = 262_144;
const around = JSON.stringify({ input: "", options }).length;

describe("isLongInput", () => {
  const longest = 32_768;
  const text = (length: number) => "é".repeat(length);

  it.each<[name: string, ...row: [input: string, extra: unknown, isLong: boolean]]>([
    ["nothing", "", [], false],
    ["a text of the longest length", text(longest), [], false],
    ["one more character", text(longest + 1), [], true],
    ["two texts of the longest length together", text(longest - 10), text(10), false],
    ["two texts and one more character", text(longest - 10), text(11), true],
    ["as many numbers", "", Array(longest).fill(0), false],
    ["one more number", "", Array(longest + 1).fill(0), true],
    ["as many flags and nulls", "", [null, true, ...Array(longest - 2).fill(false)], false],
    ["one more flag", "", [null, true, ...Array(longest - 1).fill(false)], true],
    ["a text in arrays in objects", "", { a: [{ b: [text(longest)] }, {}] }, false],
    ["a text in arrays in objects, and one more", "", { a: [{ b: [text(longest)] }, { c: "x" }] }, true],
  ])("weighs %s", (_name, ...[input, extra, isLong]) => {
    expect(isLongInput({ input, options: { extra } as RunInput["options"] })).toBe(isLong);
  });

  it("counts an input that is left out as one character", () => {
    expect(isLongInput({ options: { model: text(longest - 1) } as RunInput["options"] })).toBe(false);
    expect(isLongInput({ options: { model: text(longest) } as RunInput["options"] })).toBe(true);
  });
});

describe("an input in pieces", () => {
  it.each([
    ["empty", ""],
    ["short", "Hi"],
    ["one piece but for a character", numbersOf(pieceLength - around - 1)],
    ["one full piece", numbersOf(pieceLength - around)],
    ["a piece and one character", numbersOf(pieceLength - around + 1)],
    ["four pieces", numbersOf(4 * pieceLength - around)],
    ["five pieces", numbersOf(4 * pieceLength - around + 1)],
    ["eleven pieces", numbersOf(10 * pieceLength + 5)],
    ["escapes", '"\\\n\u2028'.repeat(100_000)],
    ["characters of two units at each even place", "😀".repeat(pieceLength)],
    ["characters of two units at each odd place", `a${"😀".repeat(pieceLength)}`],
  ])("comes back the same: %s", async (_name, input) => {
    const storage = new SlowestFirst();
    const given = { input, options: { model: "m", maxSteps: 3 } } as RunInput;
    const stored = await writeInput(storage, record(given));
    expect([stored.input, stored.options]).toEqual([undefined, {}]);

    // Not by `toEqual`, which would print megabytes.
    const read = await readInput(storage, stored);
    expect(read.options).toEqual(given.options);
    expect(read.input === input).toBe(true);
  });

  it("has pieces that a storage takes, numbered from 0, at most four of them under way", async () => {
    const storage = new SlowestFirst();
    // Each boundary lies within a character.
    const odd = around % 2 === 0 ? "a" : "";
    const stored = await writeInput(storage, record({ input: odd + "😀".repeat(pieceLength) }));
    const entries = await storage.list(runNamespaces.input);
    const texts = entries.map(({ value }) => (value as { text: string }).text);

    expect(texts.length).toBe(stored.inputPieces?.count);
    expect(texts.every((text) => text.isWellFormed() && text.length <= pieceLength)).toBe(true);
    expect(entries.map(({ key }) => key)).toEqual(
      texts.map((_text, index) => `run%2F%C3%A9/${stored.inputPieces?.id}/00000000000${index}`),
    );

    await writeInput(storage, record({ input: "a".repeat(6 * pieceLength) }));
    expect(storage.most).toBe(4);
  });

  it("keeps all but the input and options in the record, and leaves the given one as it was", async () => {
    const given = record({ input: "Hi", options: { maxSteps: 2 } as RunRecord["options"] });
    const { input: _input, options: _options, ...rest } = given;
    const before = structuredClone(given);
    const stored = await writeInput(new InMemoryStorage(), given);

    expect(given).toEqual(before);
    expect(stored).toEqual({ ...rest, options: {}, inputPieces: { id: stored.inputPieces?.id, count: 1 } });
  });

  it("is read from the record when it lies there", async () => {
    const read = await readInput(new InMemoryStorage(), record({ input: "Hi" }));
    expect([read.input, read.options]).toEqual(["Hi", {}]);
  });

  it("is damaged when a piece is missing, is no text, or is another one", async () => {
    const storage = new InMemoryStorage();
    const stored = await writeInput(storage, record({ input: numbersOf(2 * pieceLength) }));
    const [first, second] = await inputKeys(storage, "run/é");
    const pieces = await storage.list(runNamespaces.input);
    for (const value of [null, { v: 1 }, { v: 1, text: 7 }, "text", { v: 1, text: pieces[2]?.value ?? "" }]) {
      await storage.set(runNamespaces.input, second ?? "", value);
      const error = { code: "storage_corrupt", fields: { namespace: "run-input", key: second } };
      await expect(readInput(storage, stored)).rejects.toMatchObject(error);
    }

    // A piece that is there twice: what is put together is no JSON.
    const firstPiece = await storage.get(runNamespaces.input, first ?? "");
    await storage.set(runNamespaces.input, second ?? "", firstPiece);
    await expect(readInput(storage, stored)).rejects.toMatchObject({
      code: "storage_corrupt",
      fields: { namespace: "run-input", key: "run%2F%C3%A9" },
    });
  });

  it("is removed alone, by its write or with all writes of its run", async () => {
    const storage = new InMemoryStorage();
    const [first, second, other] = [
      await writeInput(storage, record({ input: numbersOf(2 * pieceLength) }, "run")),
      await writeInput(storage, record({ input: "second" }, "run")),
      await writeInput(storage, record({ input: "other" }, "run1")),
    ];
    expect(await inputKeys(storage, "run")).toHaveLength(4);
    expect(await inputKeys(storage, "ru")).toEqual([]);

    await removeInput(storage, "run", first.inputPieces?.id);
    expect(await inputKeys(storage, "run")).toHaveLength(1);
    expect((await readInput(storage, second)).input).toBe("second");

    await writeInput(storage, record({ input: "third" }, "run"));
    await removeInput(storage, "run");
    expect(await inputKeys(storage, "run")).toEqual([]);
    expect((await readInput(storage, other)).input).toBe("other");
  });
});
