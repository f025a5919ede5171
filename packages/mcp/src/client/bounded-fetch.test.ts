import { describe, expect, it } from "vitest";
import { boundedFetch } from "./bounded-fetch.ts";
import { ServerProblem } from "./server-problem.ts";

const message = JSON.stringify({ jsonrpc: "2.0", id: 1, result: { text: "aé€😀" } });

/** The bytes whole, cut in two at each place, also within characters, and byte by byte. */
function divisions(bytes: Buffer): Buffer[][] {
  const cuts = Array.from({ length: bytes.length - 1 }, (_, at) => [bytes.subarray(0, at + 1), bytes.subarray(at + 1)]);
  return [[bytes], ...cuts, Array.from(bytes, (byte) => Buffer.of(byte))];
}

/** Reads a reply in these pieces, and returns its text or the problem with it. */
async function read(pieces: readonly Buffer[], type: string, maxBytes: number): Promise<string> {
  const problem = new ServerProblem();
  const body = ReadableStream.from(pieces.map((piece) => new Uint8Array(piece)));
  const send = async () => new Response(body, { headers: { "content-type": type } });
  const reply = await boundedFetch(send, { maxBytes, problem })("http://127.0.0.1/");
  return await reply.text().catch(() => problem.text ?? "failed");
}

describe("a reply of a server", () => {
  it.each([
    ["application/json", message, message.length],
    ["text/event-stream", `data: ${message}\n\n: more\n\ndata: ${message}\n\n`, "data: ".length + message.length],
    ["text/event-stream; charset=utf-8", `data: ${message}\n\ndata: ${message}\n\n`, "data: ".length + message.length],
  ])(
    "a reply of a server of %s may have as many bytes as maxMessageBytes, however they are divided",
    async (type, text, characters) => {
      const most = characters - message.length + Buffer.byteLength(message);

      for (const pieces of divisions(Buffer.from(text))) {
        expect(await read(pieces, type, most)).toBe(text);
        expect(await read(pieces, type, most - 1)).toContain(`sent a message of more than ${most - 1} bytes`);
      }
    },
  );

  it.each(["[", " [", "\r\n\t[", "\uFEFF[", "\uFEFF\n["])(
    "may not be an array of messages, which begins with %j",
    async (start) => {
      for (const pieces of divisions(Buffer.from(`${start}${message}]`))) {
        expect(await read([Buffer.alloc(0), ...pieces], "application/json", 1000)).toContain("an array of messages");
      }
    },
  );

  it("may have maxMessageBytes in all where it does not say that it is a stream", async () => {
    const problem = new ServerProblem();
    const send = async () => new Response(ReadableStream.from([new TextEncoder().encode("a\nb\n")]));
    const readWith = async (maxBytes: number) =>
      await (await boundedFetch(send, { maxBytes, problem })("http://127.0.0.1/")).text();
    expect(await readWith(4)).toBe("a\nb\n");
    await expect(readWith(3)).rejects.toThrow(
      "The server sent a message of more than 3 bytes. If you trust it, raise maxMessageBytes.",
    );
  });

  it("a reply of a server without a body is passed on as it is, and one with a body keeps what it says of itself", async () => {
    const problem = new ServerProblem();
    const asked: unknown[] = [];
    const empty = new Response(null, { status: 202 });
    const init = { method: "POST" };
    const fetchOf = (reply: Response) => {
      const send = async (...given: unknown[]) => {
        asked.push(given);
        return await Promise.resolve(reply);
      };
      return boundedFetch(send, { maxBytes: 9, problem });
    };
    expect(await fetchOf(empty)("http://127.0.0.1/a", init)).toBe(empty);
    const told = new Response("Hi.", { status: 201, statusText: "Made", headers: { "x-a": "b" } });
    Object.defineProperties(told, { url: { value: "http://127.0.0.1/b" }, redirected: { value: true } });
    const { status, statusText, headers, url, redirected } = await fetchOf(told)("http://127.0.0.1/a", init);
    expect([status, statusText, headers.get("x-a"), url, redirected]).toEqual([
      201,
      "Made",
      "b",
      "http://127.0.0.1/b",
      true,
    ]);
    expect(asked).toEqual([
      ["http://127.0.0.1/a", init],
      ["http://127.0.0.1/a", init],
    ]);
    expect(problem.text).toBeUndefined();
  });

  it("may have an array within its message", async () => {
    for (const pieces of divisions(Buffer.from(' {"result":[1]}'))) {
      expect(await read(pieces, "application/json", 1000)).toBe(' {"result":[1]}');
    }
  });

  describe.each(["application/json", "text/event-stream"])("of %s", (type) => {
    /** A reply of endless lines, of which a reader takes as many as it wants, and what its server sees. */
    async function endless(maxBytes: number) {
      const seen = { pulls: 0, cancels: 0 };
      const source = new ReadableStream<Uint8Array>(
        {
          pull: (controller) => {
            seen.pulls += 1;
            controller.enqueue(new TextEncoder().encode(seen.pulls % 2 === 0 ? "" : "data: more"));
          },
          cancel: () => void (seen.cancels += 1),
        },
        { highWaterMark: 0 },
      );
      const send = async () => new Response(source, { headers: { "content-type": type } });
      const reply = await boundedFetch(send, { maxBytes, problem: new ServerProblem() })("http://127.0.0.1/");
      if (reply.body === null) throw new Error("The reply has no body.");
      return { seen, body: reply.body };
    }

    it("is read only as far as the library reads, and ended when it reads no further", async () => {
      const { seen, body } = await endless(1000);
      expect(seen).toEqual({ pulls: 0, cancels: 0 });
      const reader = body.getReader();
      await reader.read();
      expect(seen).toEqual({ pulls: 1, cancels: 0 });
      await reader.cancel();
      expect(seen).toEqual({ pulls: 1, cancels: 1 });
    });

    it("is ended when it is refused", async () => {
      const { seen, body } = await endless(25);
      await expect(new Response(body).text()).rejects.toThrow("more than 25 bytes");
      expect(seen.cancels).toBe(1);
    });

    it("fails with the reason of a connection that breaks off", async () => {
      const reason = new Error("The connection is gone.");
      const source = new ReadableStream({ pull: (controller) => controller.error(reason) });
      const send = async () => new Response(source, { headers: { "content-type": type } });
      const reply = await boundedFetch(send, { maxBytes: 9, problem: new ServerProblem() })("http://127.0.0.1/");
      await expect(reply.text()).rejects.toBe(reason);
    });
  });
});
