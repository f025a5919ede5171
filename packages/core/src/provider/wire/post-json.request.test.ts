import { describe, expect, it } from "vitest";
import { ResponseError, TruncatedResponseError } from "../../base/errors/vendor-error.ts";
import type { HttpInit } from "./http-sender.ts";
import type { HttpReply } from "./http-reply.ts";
import { mergeHeaders, postJson, readAnswer, readJson } from "./post-json.ts";

function replyOf(status: number, ...pieces: readonly (string | Error)[]): HttpReply {
  async function* bytes(): AsyncGenerator<Uint8Array, undefined> {
    for (const piece of pieces) {
      if (piece instanceof Error) throw piece;
      yield Buffer.from(piece);
    }
    return undefined;
  }
  return { status, headers: new Headers({ "retry-after": "5" }), bytes: bytes(), text: () => expect.unreachable() };
}

/** Posts to a sender with this reply, and notes what it sent. */
async function post(reply: HttpReply, request: object = {}) {
  const sent: [url: unknown, init: HttpInit | undefined][] = [];
  const errors: unknown[][] = [];
  const sender = { send: async (url: unknown, init?: HttpInit) => (sent.push([url, init]), reply) };
  const result = await postJson(sender as never, {
    url: "http://vendor.example/v1",
    body: { é: [1] },
    call: { providerId: "p" },
    toError: (...args) => (errors.push(args), new Error("refused")),
    ...request,
  }).catch((error: unknown) => error);
  return { sent, errors, result };
}

describe("a JSON request to a vendor", () => {
  it("is a POST of JSON under the name of this library, with its headers, times and the signal of its call", async () => {
    const { signal } = new AbortController();
    const reply = replyOf(200);
    const { sent, result } = await post(reply, {
      headers: { authorization: "Bearer k" },
      call: { providerId: "p", signal },
      headersTimeoutMs: 5,
      idleTimeoutMs: 6,
    });
    expect(sent).toEqual([
      [
        "http://vendor.example/v1",
        {
          method: "POST",
          headers: { "content-type": "application/json", "user-agent": "troupe", authorization: "Bearer k" },
          body: '{"é":[1]}',
          signal,
          headersTimeoutMs: 5,
          idleTimeoutMs: 6,
        },
      ],
    ]);
    expect(result).toBe(reply);
  });

  it("has the headers of the provider over ours, and those of the user over all", async () => {
    const { sent } = await post(replyOf(200), {
      headers: { "user-agent": "sdk", authorization: "Bearer k", "x-one": "1" },
      call: { providerId: "p", headers: { Authorization: "Mine", "X-ONE": null, "x-two": "2", "x-three": null } },
    });
    expect(sent[0]?.[1]?.headers).toEqual({
      "content-type": "application/json",
      "user-agent": "sdk",
      Authorization: "Mine",
      "x-two": "2",
    });
  });

  it.each([200, 201, 299])("a JSON request to a vendor with the status %d in its reply is answered", async (status) => {
    const reply = replyOf(status, "body");
    const { result, errors } = await post(reply);
    expect(result).toBe(reply);
    expect(errors).toEqual([]);
  });

  it.each([199, 300, 304, 400, 429, 500])(
    "a JSON request to a vendor with the status %d in its reply has failed",
    async (status) => {
      const reply = replyOf(status, '{"error":', "1}");
      const { result, errors } = await post(reply);
      expect(result).toEqual(new Error("refused"));
      expect(errors).toEqual([[{ error: 1 }, reply]]);
    },
  );

  it.each([
    [["not JSON"], "not JSON"],
    [[], ""],
    [['{"error":'], '{"error":'],
    [["{", new Error("cut")], ""],
  ])("has the error of %j as %j", async (pieces, body) => {
    const { errors } = await post(replyOf(500, ...pieces));
    expect(errors.map(([given]) => given)).toEqual([body]);
  });
});

describe("the whole answer of a vendor", () => {
  it("is read as JSON, also behind bytes that were read before", async () => {
    expect(await readJson(replyOf(200, "\u{feff}[1,", '"é"]'))).toEqual([1, "é"]);
    expect(await readAnswer(replyOf(200, '"é"]').bytes, Buffer.from("[1,"))).toEqual([1, "é"]);
  });

  it.each([
    [[], "sent an empty answer"],
    [["{"], "sent an answer that is cut or not JSON"],
    [["<html>"], "sent an answer that is cut or not JSON"],
  ])("the whole answer of a vendor of %j is a lost connection, in words", async (pieces, happened) => {
    const error = await readJson(replyOf(200, ...pieces)).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(TruncatedResponseError);
    expect(error).toMatchObject({ happened, code: "ECONNRESET" });
  });

  it("the whole answer of a vendor of one byte more than 64 MB is refused, with the bytes that were read before", async () => {
    const most = 67_108_864;
    const error = await readAnswer(replyOf(200, "1 ").bytes, Buffer.alloc(most - 1)).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ResponseError);
    expect(error).not.toBeInstanceOf(TruncatedResponseError);
    expect(error).toMatchObject({ happened: `sent an answer of more than ${most} bytes` });
  });
});

it.each([
  [{ a: "1" }, undefined, { a: "1" }],
  [{ a: "1" }, {}, { a: "1" }],
  [{ A: "1", b: "2" }, { a: "3" }, { a: "3", b: "2" }],
  [{ a: "1" }, { A: null }, {}],
  [{ a: "1" }, { b: null }, { a: "1" }],
  [{ a: "1" }, { a: "" }, { a: "" }],
])("the headers %j with those of the user, %j, are %j", (ours, users, merged) => {
  const before = { ...ours };
  expect(mergeHeaders(ours as Record<string, string>, users as never)).toEqual(merged);
  expect(ours).toEqual(before);
});
