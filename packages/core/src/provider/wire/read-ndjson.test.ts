import { readFileSync } from "node:fs";
import { getEventListeners } from "node:events";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readNdjson } from "./read-ndjson.ts";

const transcript = readFileSync(new URL("__fixtures__/ollama-thinking-tool.ndjson", import.meta.url));

async function* chunksOf(...chunks: (string | Buffer)[]) {
  for (const chunk of chunks) yield Buffer.from(chunk);
}

async function readAll(values: AsyncIterable<unknown>): Promise<unknown[]> {
  const all: unknown[] = [];
  for await (const value of values) all.push(value);
  return all;
}

function read(...chunks: (string | Buffer)[]): Promise<unknown[]> {
  return readAll(readNdjson(chunksOf(...chunks)));
}

describe("readNdjson", () => {
  it("yields the value of each line", async () => {
    const lines = transcript.toString().trim().split("\n");

    expect(await read(transcript)).toEqual(lines.map((line) => JSON.parse(line)));
  });

  it("yields the same values for every cut in two, and byte by byte", async () => {
    const bytes = Buffer.concat([Buffer.from('\uFEFF"é😀"\r\n\r\n  \n{"a":\r1}\n'), transcript.subarray(0, -1)]);
    const whole = await read(bytes);

    expect(whole.slice(0, 2)).toEqual(["é😀", { a: 1 }]);
    expect(await read(...Array.from(bytes, (byte) => Buffer.of(byte)))).toEqual(whole);
    for (let place = 0; place <= bytes.length; place += 1) {
      expect(await read(bytes.subarray(0, place), bytes.subarray(place)), `cut at ${place}`).toEqual(whole);
    }
  });

  it("yields any values unchanged, with and without a last newline", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.json()), fc.boolean(), fc.nat(50), async (lines, isEnded, place) => {
        const bytes = Buffer.from(lines.join("\n") + (isEnded ? "\n" : ""));
        const values = await read(bytes.subarray(0, place), bytes.subarray(place));
        expect(values).toEqual(lines.map((line) => JSON.parse(line)));
      }),
    );
  });

  it.each(["{broken secret}\n", "secret", '{"a":"secret"'])("rejects %j and quotes nothing of it", async (line) => {
    const error = await read('{"a":1}\n', line).catch((reason: unknown) => reason);

    expect(error).toMatchObject({
      code: "invalid_value",
      message: "A line of the stream is not JSON. Each line must hold one whole JSON value.",
    });
    expect(error).not.toHaveProperty("cause");
    expect(String(error)).not.toContain("secret");
  });

  it("yields the values before a malformed line", async () => {
    const values = readNdjson(chunksOf("1\n2\n!\n3\n"));

    expect([await values.next(), await values.next()]).toMatchObject([{ value: 1 }, { value: 2 }]);
    await expect(values.next()).rejects.toThrow("not JSON");
  });

  it("rejects a line of more bytes than allowed, also before its end has come", async () => {
    const line = (length: number) => `"${"x".repeat(length - 2)}"`;
    const readLine = (text: string) => readAll(readNdjson(chunksOf("1\n", text), { maxEventBytes: 10 }));

    expect(await readLine(`${line(10)}\n`)).toHaveLength(2);
    await expect(readLine(`${line(11)}\n`)).rejects.toMatchObject({ code: "invalid_value" });
    await expect(readLine(line(11))).rejects.toThrow("maxEventBytes");
  });

  it("releases its source when the loop is left and when a line is malformed", async () => {
    const freed: string[] = [];
    async function* source(name: string) {
      try {
        for (;;) yield Buffer.from("1\n!\n");
      } finally {
        freed.push(name);
      }
    }

    for await (const value of readNdjson(source("left"))) if (value === 1) break;
    await readAll(readNdjson(source("broken"))).catch(() => undefined);

    expect(freed).toEqual(["left", "broken"]);
  });

  it("ends at an abort, also between two values of one chunk, and leaves no listener", async () => {
    const controller = new AbortController();
    const values = readNdjson(chunksOf("1\n2\n"), { signal: controller.signal });

    await values.next();
    controller.abort();

    await expect(values.next()).rejects.toMatchObject({ code: "cancelled" });
    expect(getEventListeners(controller.signal, "abort")).toEqual([]);
  });
});
