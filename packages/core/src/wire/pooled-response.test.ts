import { describe, expect, it, vi } from "vitest";
import { readText, stall, startPooled } from "../../test/pooled.ts";

const bodyOf = async (response: Promise<Response>) => {
  const { body } = await response;
  if (body === null) throw new Error("There is no body.");
  return body;
};

const textOf = async (bytes: AsyncIterable<Uint8Array>) => {
  const chunks: Uint8Array[] = [];
  for await (const chunk of bytes) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
};

describe("a pooled response", () => {
  it("has its headers as Headers, also repeated and unusual ones", async () => {
    const { fetch, url } = await startPooled((_, response) => {
      response.writeHead(201, "Made", [
        "x-one",
        "1",
        "X-One",
        "2",
        "set-cookie",
        "a",
        "set-cookie",
        "b",
        "__proto__",
        "c",
      ]);
      response.end();
    });

    const { status, ok, headers } = await fetch(url);

    expect([status, ok]).toEqual([201, true]);
    expect([headers.get("x-one"), headers.getSetCookie(), headers.get("__proto__")]).toEqual(["1, 2", ["a", "b"], "c"]);
    expect(new Headers(headers).get("x-one")).toBe("1, 2");
  });

  it("can be read once in every way of a Response", async () => {
    const { fetch, url } = await startPooled((_, response) => {
      response.setHeader("content-type", "application/x-www-form-urlencoded");
      response.end("a=1");
    });
    const bytes = [97, 61, 49];

    expect(await (await fetch(url)).text()).toBe("a=1");
    expect([...new Uint8Array(await (await fetch(url)).arrayBuffer())]).toEqual(bytes);
    expect([...(await (await fetch(url)).bytes())]).toEqual(bytes);
    expect(await (await (await fetch(url)).blob()).text()).toBe("a=1");
    expect((await (await fetch(url)).formData()).get("a")).toBe("1");
    const response = await fetch(url);
    expect([response.bodyUsed, await response.text(), response.bodyUsed]).toEqual([false, "a=1", true]);
    await expect(response.text()).rejects.toThrow(TypeError);
    expect(() => response.clone()).toThrow(TypeError);
  });

  it("removes a byte order mark from its text", async () => {
    const { fetch, url } = await startPooled((_, response) => response.end('\uFEFF{"a":1}'));

    expect(await (await fetch(url)).json()).toEqual({ a: 1 });
  });

  it("can be read as a web stream", async () => {
    const { fetch, url } = await startPooled((_, response) => response.end("héllo"));

    const reader = (await bodyOf(fetch(url))).getReader();
    expect(Buffer.from((await reader.read()).value ?? []).toString()).toBe("héllo");
    expect(await reader.read()).toEqual({ done: true, value: undefined });
    expect(await textOf((await bodyOf(fetch(url))).pipeThrough(new TransformStream()))).toBe("héllo");
    const [one, other] = (await bodyOf(fetch(url))).tee();
    expect([await textOf(one), await textOf(other)]).toEqual(["héllo", "héllo"]);
    expect(await new Response(await bodyOf(fetch(url))).text()).toBe("héllo");
    const written: Uint8Array[] = [];
    await (await bodyOf(fetch(url))).pipeTo(new WritableStream({ write: (chunk) => void written.push(chunk) }));
    expect(Buffer.concat(written).toString()).toBe("héllo");
  });

  it("has one reader at a time", async () => {
    const { fetch, url } = await startPooled((_, response) => response.end("héllo"));
    const body = await bodyOf(fetch(url));
    const reader = body.getReader();

    expect(body.locked).toBe(true);
    expect(() => body.getReader()).toThrow(TypeError);
    reader.releaseLock();
    expect(await textOf(body)).toBe("héllo");
  });

  it("closes the connection when the reader leaves early, and the next request gets a new one", async () => {
    const { fetch, url, server } = await startPooled((request, response) => {
      if (request.url === "/stall") response.write("first");
      else response.end("ok");
    });

    for await (const chunk of await bodyOf(fetch(`${url}/stall`))) {
      expect(Buffer.from(chunk).toString()).toBe("first");
      break;
    }
    await vi.waitFor(() => expect(server.open()).toBe(0));

    expect(await readText(fetch(url))).toBe("ok");
    expect(server.connections()).toBe(2);
  });

  it("closes the connection when the body, its reader or a web stream over it is cancelled", async () => {
    const { fetch, url, server } = await startPooled(stall);

    await (await bodyOf(fetch(url))).cancel();
    await (await bodyOf(fetch(url))).getReader().cancel();
    await (await bodyOf(fetch(url))).pipeThrough(new TransformStream()).cancel();

    await vi.waitFor(() => expect(server.open()).toBe(0));
  });

  it("keeps the connection when it is read to its end", async () => {
    const { fetch, url, server } = await startPooled((_, response) => {
      response.write("one");
      setImmediate(() => response.end("two"));
    });

    for (let index = 0; index < 3; index++) expect(await readText(fetch(url))).toBe("onetwo");

    expect(server.connections()).toBe(1);
  });

  it.each([204, 205, 304])("has no body with status %i", async (status) => {
    const { fetch, url } = await startPooled((_, response) => response.writeHead(status).end());

    const response = await fetch(url);

    expect([response.status, response.body, await response.text()]).toEqual([status, null, ""]);
  });
});
