import { Readable } from "node:stream";
import { createLogger } from "@troupe/core";
import { describe, expect, it } from "vitest";
import { watchTemporaryFiles } from "../../test/temporary-files.ts";
import { WrittenResponse } from "@troupe-internal/fake-responses";
import { NodeExchange } from "@troupe/core/transport";
import type { NodeRequest } from "@troupe/core/transport";
import { ByteSemaphore } from "./byte-semaphore.ts";
import { readLargeBody } from "./read-large-body.ts";

const settle = async () => await new Promise((resolve) => setTimeout(resolve, 0));

/** A request whose body the test pushes. */
function requestOf(headers: Record<string, string> = {}) {
  const body = new Readable({ read: () => undefined });
  body.on("error", () => undefined);
  return Object.assign(body, { headers, complete: false }) as unknown as NodeRequest;
}

const toExchange = (request: NodeRequest, response: WrittenResponse) =>
  new NodeExchange(request, response.asResponse, createLogger());

type Limits = { maxBytes?: number; maxTextBytes?: number; free?: number };

function read(
  request: NodeRequest,
  { maxBytes = 100, maxTextBytes = 40, free = 100 }: Limits = {},
  response = new WrittenResponse(),
) {
  const acquired: unknown[] = [];
  const memory = new ByteSemaphore(free);
  const rules = {
    maxBytes,
    maxTextBytes,
    memory: Object.assign(memory, {
      acquire: async (...asked: Parameters<ByteSemaphore["acquire"]>) => {
        acquired.push(asked[0]);
        await ByteSemaphore.prototype.acquire.apply(memory, asked);
      },
    }),
  };
  return { done: readLargeBody(toExchange(request, response), rules), acquired, response, memory };
}

function readWhole(pieces: (string | Buffer)[], limits?: Limits, headers?: Record<string, string>) {
  const request = requestOf(headers);
  for (const piece of pieces) request.push(piece);
  request.push(null);
  return { request, ...read(request, limits) };
}

/** A body whose content part has this many bytes of data, and 33 others. */
const withData = (bytes: number): string => `{"input":[{"data":"${"x".repeat(bytes)}"}]}`;
const textBytes = Buffer.byteLength(withData(0));
const tooLong = {
  code: "payload_too_large",
  message: "The body must have at most 100 bytes. Send fewer or smaller files.",
};
const tooMuchText = {
  code: "payload_too_large",
  message: `The body must have at most 40 bytes beside the data of its content parts. Shorten the text, or send it as a file.`,
};
const disconnected = { code: "cancelled", message: "The client disconnected before the end of the body." };

describe("readLargeBody", () => {
  it.each<[number, number[]]>([
    [40 - textBytes, []],
    [41 - textBytes, [41]],
    [100 - textBytes, [100]],
  ])("reads a body with %i bytes of data, and takes memory %j for what exceeds the text", async (bytes, expected) => {
    const left = watchTemporaryFiles();
    const { done, acquired } = readWhole([withData(bytes).slice(0, 20), withData(bytes).slice(20)]);
    expect((await done).toString()).toBe(withData(bytes));
    expect([acquired, left()]).toEqual([expected, { named: [], open: 0 }]);
  });

  it.each<[string, (string | Buffer)[], Record<string, string> | undefined, object]>([
    ["is one byte too long", [withData(101 - textBytes)], undefined, tooLong],
    ["has one byte of text too much", ["a".repeat(41)], undefined, tooMuchText],
    ["has characters of more bytes than it may", ["é".repeat(21)], undefined, tooMuchText],
    ["says that it is too long", [], { "content-length": "101" }, tooLong],
  ])(
    "refuses a body that %s, leaves no file and does not end its connection",
    async (_, ...[pieces, headers, error]) => {
      const left = watchTemporaryFiles();
      const { done, request, acquired } = readWhole(pieces, {}, headers);
      await expect(done).rejects.toMatchObject(error);
      expect([request.destroyed, acquired, left()]).toEqual([false, [], { named: [], open: 0 }]);
    },
  );

  it("reads a body that says to be as long as it may be, and one whose pieces are strings", async () => {
    const request = requestOf({ "content-length": "100" });
    request.setEncoding("utf8");
    request.push(Buffer.from('{"a":"é"}'));
    request.push(null);
    const bytes = await read(request).done;
    expect([Buffer.isBuffer(bytes), bytes.toString()]).toEqual([true, '{"a":"é"}']);
  });

  it("reads a body with as much text as it may have, piece by piece", async () => {
    const { done, acquired } = readWhole(["a".repeat(39), "b"]);
    expect([(await done).length, acquired]).toEqual([40, []]);
  });

  it("refuses too much text before the rest of the body has come", async () => {
    const request = requestOf();
    request.push("a".repeat(41));
    await expect(read(request).done).rejects.toMatchObject(tooMuchText);
  });

  it("is cancelled when the client leaves in the middle, and leaves no file", async () => {
    const left = watchTemporaryFiles();
    const request = requestOf();
    const { done } = read(request);
    request.push(withData(60).slice(0, 70));
    await settle();
    request.destroy(new Error("aborted"));
    await expect(done).rejects.toMatchObject(disconnected);
    expect(left()).toEqual({ named: [], open: 0 });
  });

  it("rejects with a failure of another kind as it is", async () => {
    const request = requestOf();
    const failure = new Error("planned");
    Object.assign(request, { complete: true });
    const { done } = read(request);
    request.destroy(failure);
    await expect(done).rejects.toBe(failure);
  });

  it("waits for memory with its file, and is cancelled when the client leaves meanwhile", async () => {
    const left = watchTemporaryFiles();
    const request = requestOf();
    request.push(withData(60));
    request.push(null);
    const { done, response, acquired } = read(request, { free: 10 });
    done.catch(() => undefined);
    await expect.poll(() => acquired, { interval: 1 }).toEqual([60 + textBytes]);
    await expect.poll(() => left().open, { interval: 1 }).toBe(1);
    response.leave();
    await expect(done).rejects.toMatchObject(disconnected);
    expect(left()).toEqual({ named: [], open: 0 });
  });
});
