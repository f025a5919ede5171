import type { Exchange } from "@troupe/core/transport";
import { describe, expect, it, vi } from "vitest";
import { chooseEncoding, sendTagged } from "./send-tagged.ts";

describe("chooseEncoding", () => {
  it.each<[string | undefined, string | undefined]>([
    [undefined, undefined],
    ["", undefined],
    ["br", "br"],
    ["gzip", "gzip"],
    ["BR", "br"],
    ["br, gzip", "br"],
    ["gzip, deflate, br, zstd", "gzip"],
    ["gzip;q=0.5, br", "br"],
    ["gzip;q=1.0, br;q=0.9", "gzip"],
    ["gzip;q=0.5, br;q=0.5", "gzip"],
    ["br;q=0, gzip", "gzip"],
    ["br;q=0, gzip;q=0", undefined],
    ["gzip ; q=0.2", "gzip"],
    ["gzip;q=many", undefined],
    ["gzip;q=2", undefined],
    ["identity", undefined],
    ["identity, br", undefined],
    ["identity;q=0.5, br", "br"],
    ["identity;q=0, br;q=0.1", "br"],
    ["*", "br"],
    ["*;q=0.5, gzip", "gzip"],
    ["*, gzip", "gzip"],
    ["*;q=0", undefined],
    ["deflate", undefined],
  ])("of the header %j chooses %j", (header, encoding) => {
    expect(chooseEncoding(header)).toBe(encoding);
  });
});

const tag = 'W/"2-dGMZt/TXIiCjqKDCJP9rENgXqXU"';

/** Sends "Hi" to a client with these headers, and returns the status and the headers. */
function send(headers: Record<string, string>) {
  const sent = vi.fn<Exchange["send"]>();
  sendTagged({ headers, send: sent } as unknown as Exchange, {
    type: "text/plain",
    headers: { "Cache-Control": "no-cache" },
    body: Buffer.from("Hi"),
  });
  const [status, answered, body] = sent.mock.calls[0] ?? [];
  return { status, answered, body, tag: String(answered?.["ETag"]) };
}

describe("sendTagged", () => {
  it("sends the bytes with their length and a weak tag", () => {
    const { status, answered, body, tag: own } = send({});
    expect(status).toBe(200);
    expect(answered).toEqual({
      "Cache-Control": "no-cache",
      "Content-Type": "text/plain",
      "Content-Length": 2,
      ETag: own,
    });
    expect(own).toMatch(/^W\/"2-[\w+/]{27}"$/);
    expect(String(body)).toBe("Hi");
  });

  it.each([
    ["the tag", (own: string) => own],
    ["the tag among others", (own: string) => `"x", ${own}`],
    ["the tag as a strong one", (own: string) => own.slice(2)],
    ["any", () => "*"],
  ])("sends 304 and no bytes to a client that has %s", (_, known) => {
    const { tag: own } = send({});
    const { status, answered, body } = send({ "if-none-match": known(own) });
    expect([status, body]).toEqual([304, undefined]);
    expect(answered).toEqual({ "Cache-Control": "no-cache", ETag: own });
  });

  it("sends the bytes to a client that has others, or wants them anew", () => {
    const { tag: own } = send({});
    expect(send({ "if-none-match": tag.replace("2-", "3-") }).status).toBe(200);
    for (const directive of ["no-cache", "max-age=0, no-cache", "no-cache, max-age=0"]) {
      expect(send({ "if-none-match": own, "cache-control": directive }).status).toBe(200);
    }
    expect(send({ "if-none-match": own, "cache-control": "max-age=0" }).status).toBe(304);
  });
});
