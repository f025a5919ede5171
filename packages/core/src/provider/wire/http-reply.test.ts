import { describe, expect, it, vi } from "vitest";
import { readText, stall, startPooled } from "../../../test/pooled.ts";
import { readBodyText } from "./http-reply.ts";

describe("a reply of a pool", () => {
  it("has its headers by name, also repeated and unusual ones", async () => {
    const { send, url } = await startPooled((_, response) => {
      response.writeHead(201, ["x-one", "1", "X-One", "2", "__proto__", "c"]).end();
    });

    const { status, headers } = await send(url);

    expect([status, headers.get("x-one"), headers.get("__proto__"), headers.get("x-two")]).toEqual([
      201,
      "1, 2",
      "c",
      null,
    ]);
    expect(new Headers([...headers]).get("x-one")).toBe("1, 2");
  });

  it("removes a byte order mark from its text", async () => {
    const { send, url } = await startPooled((_, response) => response.end('\uFEFF{"a":1}'));

    expect(await (await send(url)).text()).toBe('{"a":1}');
  });

  it("closes the connection when the reader leaves early, and the next request gets a new one", async () => {
    const { send, url, server } = await startPooled((request, response) => {
      if (request.url === "/stall") response.write("first");
      else response.end("ok");
    });

    for await (const chunk of (await send(`${url}/stall`)).bytes) {
      expect(Buffer.from(chunk).toString()).toBe("first");
      break;
    }
    await vi.waitFor(() => expect(server.open()).toBe(0));

    expect(await readText(send(url))).toBe("ok");
    expect(server.connections()).toBe(2);
  });

  it("closes the connection when its bytes are left unread", async () => {
    const { send, url, server } = await startPooled(stall);

    await (await send(url)).bytes.return?.();

    await vi.waitFor(() => expect(server.open()).toBe(0));
  });

  it("keeps the connection when it is read to its end", async () => {
    const { send, url, server } = await startPooled((_, response) => {
      response.write("one");
      setImmediate(() => response.end("two"));
    });

    for (let index = 0; index < 3; index++) expect(await readText(send(url))).toBe("onetwo");

    expect(server.connections()).toBe(1);
  });

  it.each([204, 205, 304])("has an empty text with status %i", async (status) => {
    const { send, url } = await startPooled((_, response) => response.writeHead(status).end());

    const reply = await send(url);

    expect([reply.status, await reply.text()]).toEqual([status, ""]);
  });
});

describe("readBodyText", () => {
  const bytesOf = async function* (...parts: string[]) {
    for (const part of parts) yield await Promise.resolve(Buffer.from(part));
  };

  it("reads exactly maxBytes, with those that were read before, and refuses one more", async () => {
    const first = Buffer.from("é");

    expect(await readBodyText(bytesOf("a", "b"), { first, maxBytes: 4 })).toBe("éab");
    await expect(readBodyText(bytesOf("a", "b"), { first, maxBytes: 3 })).rejects.toMatchObject({
      code: "invalid_value",
      message: "The body has more than 3 bytes.",
    });
    await expect(readBodyText(bytesOf(), { first, maxBytes: 1 })).rejects.toMatchObject({ code: "invalid_value" });
  });

  it("joins characters that were cut, and removes one byte order mark at the beginning alone", async () => {
    const [mark, cut] = ["\uFEFF", Buffer.from("é")];
    const cutBytes = async function* () {
      yield await Promise.resolve(cut.subarray(0, 1));
      yield cut.subarray(1);
    };

    expect(await readBodyText(cutBytes())).toBe("é");
    expect(await readBodyText(bytesOf(`${mark}${mark}a${mark}`))).toBe(`${mark}a${mark}`);
    expect(await readBodyText(bytesOf())).toBe("");
  });

  it("throws the error of its caller, with the limit", async () => {
    const tooLarge = (maxBytes: number) => new RangeError(`at most ${maxBytes}`);

    await expect(readBodyText(bytesOf("abc"), { maxBytes: 2, tooLarge })).rejects.toThrow("at most 2");
  });
});
