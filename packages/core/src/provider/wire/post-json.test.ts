import { describe, expect, it } from "vitest";
import type { HttpReply } from "./http-reply.ts";
import { postJson, readJson } from "./post-json.ts";

/** A reply whose body has so many pieces of 1 MB, and the number of those that were read before it was left. */
function replyOf(count: number, { status = 200, piece = Buffer.alloc(1_048_576, " ") } = {}) {
  const seen = { read: 0, isLeft: false };
  async function* body(): AsyncGenerator<Uint8Array, undefined> {
    try {
      for (; seen.read < count; seen.read++) yield piece;
    } finally {
      seen.isLeft = seen.read < count;
    }
    return undefined;
  }
  const reply: HttpReply = { status, headers: new Headers(), bytes: body(), text: () => expect.unreachable() };
  return { reply, seen };
}

describe("readJson", () => {
  it("leaves an answer of more than 64 MB, and does not ask again", async () => {
    const { reply, seen } = replyOf(1000);
    const error: unknown = await readJson(reply).catch((thrown: unknown) => thrown);

    expect(error).toMatchObject({ happened: "sent an answer of more than 67108864 bytes" });
    expect(error).not.toHaveProperty("code");
    expect(seen).toEqual({ read: 64, isLeft: true });
  });

  it("reads one of fewer", async () => {
    const { reply, seen } = replyOf(2, { piece: Buffer.from("1") });

    expect([await readJson(reply), seen]).toEqual([11, { read: 2, isLeft: false }]);
  });
});

describe("postJson", () => {
  it("leaves the body of an error of more than 1 MB, and takes its status", async () => {
    const { reply, seen } = replyOf(1000, { status: 500 });
    const send = { send: async () => reply };
    const toError = (body: unknown, { status }: { status: number }) => new Error(`${status}: ${JSON.stringify(body)}`);

    await expect(
      postJson(send, { url: "http://localhost", body: {}, call: { providerId: "p" }, toError }),
    ).rejects.toThrow('500: ""');
    expect(seen).toEqual({ read: 1, isLeft: true });
  });
});
