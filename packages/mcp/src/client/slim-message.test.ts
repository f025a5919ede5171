import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/client";
import { describe, expect, it, vi } from "vitest";
import { passSlimMessages, rawResultOf } from "./slim-message.ts";

function listen(transport: Transport, onmessage: Transport["onmessage"]): void {
  Object.assign(transport, { onmessage });
}

/** A transport that is made slim, and what its receiver and its server got. */
function startTransport() {
  const [got, sent, answered] = [[] as unknown[], [] as unknown[], [] as unknown[]];
  const send = vi.fn<(message: unknown, options?: unknown) => Promise<void>>(
    async (message, options) => void sent.push([message, options]),
  );
  const transport = { send, start: async () => {}, close: async () => {} } as unknown as Transport;
  passSlimMessages(transport, (id) => answered.push(id));
  listen(transport, (message) => void got.push(message));
  const receive = (message: object) => {
    const before = got.length;
    transport.onmessage?.({ jsonrpc: "2.0", ...message } as JSONRPCMessage);
    return got.slice(before);
  };
  return { transport, send, sent, answered, receive };
}

const passed = (message: object) => startTransport().receive(message);
/** An object that holds so many values: itself, and one field of a list. */
const ofValues = (count: number) => ({ list: Array.from({ length: count - 3 }, () => 1) });

describe("a result", () => {
  it.each(["tools", "resources", "resourceTemplates", "prompts", "contents", "messages", "content"])(
    "a result with %s comes to the library with an empty list, and as it was beside it",
    (field) => {
      const raw = { [field]: [{ a: 1 }], nextCursor: "n", _meta: { a: 1 } };
      expect(passed({ id: 7, result: raw })).toStrictEqual([
        { jsonrpc: "2.0", id: 7, result: { content: [], [field]: [], "troupe/raw": raw } },
      ]);
    },
  );

  it("a result with structured content keeps what the library needs of it", () => {
    const raw = {
      structuredContent: { a: 1 },
      resultType: "complete",
      isError: false,
      ttlMs: 0,
      cacheScope: "private",
    };
    const { structuredContent: _, ...kept } = raw;
    expect(passed({ id: "a", result: raw })).toStrictEqual([
      { jsonrpc: "2.0", id: "a", result: { content: [], ...kept, "troupe/raw": raw } },
    ]);
    expect(passed({ id: "a", result: { structuredContent: undefined } })).toHaveLength(1);
  });

  it("a result without large fields is passed on up to 1,000 values, and refused beyond", () => {
    const small = { jsonrpc: "2.0", id: 0, result: { tools: {}, ...ofValues(998) } };
    expect(passed(small)).toStrictEqual([small]);
    const large = { id: 0, result: ofValues(1001) };
    expect(passed(large)).toStrictEqual([
      {
        jsonrpc: "2.0",
        id: 0,
        error: { code: -32_000, message: "The answer is too large.", data: "troupe.answer-too-large" },
      },
    ]);
    const exact = { jsonrpc: "2.0", id: 0, result: ofValues(1000) };
    expect(passed(exact)).toStrictEqual([exact]);
  });

  it("is got back as it came", () => {
    const raw = { content: [{ type: "text", text: "Hi." }], isError: true };
    const [message] = passed({ id: 7, result: raw }) as [{ result: object }];
    expect(rawResultOf(message.result)).toBe(raw);
    expect(rawResultOf(raw)).toBe(raw);
  });
});

describe("another message", () => {
  it.each<[string, object]>([
    ["an error without data", { id: 7, error: { code: -1, message: "No." } }],
    ["an error with a little data", { id: 7, error: { code: -1, message: "No.", data: ofValues(1000) } }],
    ["a small request", { id: 7, method: "ping", params: ofValues(1000) }],
    ["a request without parameters", { id: 7, method: "ping" }],
    ["a notification, however large", { method: "notifications/message", params: ofValues(2000) }],
  ])("is passed on as it is: %s", (_, message) => {
    expect(passed(message)).toStrictEqual([{ jsonrpc: "2.0", ...message }]);
  });

  it("loses what is too large", () => {
    expect(passed({ id: 7, error: { code: -1, message: "No.", data: ofValues(1001) } })).toStrictEqual([
      { jsonrpc: "2.0", id: 7, error: { code: -1, message: "No." } },
    ]);
    expect(passed({ error: { code: -1, message: "No.", data: ofValues(1001) } })).toStrictEqual([
      { jsonrpc: "2.0", error: { code: -1, message: "No." } },
    ]);
    expect(passed({ id: 0, method: "sampling/createMessage", params: ofValues(1001) })).toStrictEqual([
      { jsonrpc: "2.0", id: 0, method: "troupe/too-large-request" },
    ]);
  });

  it("is told by its id where it answers a request", () => {
    const { receive, answered } = startTransport();
    receive({ id: 1, result: {} });
    receive({ id: "2", error: { code: -1, message: "No." } });
    receive({ id: 3, method: "ping" });
    receive({ method: "notifications/message" });
    expect(answered).toEqual([1, "2"]);
  });
});

describe("the requests of a server", () => {
  const request = (id: number | string) => ({ id, method: "ping" });

  it.each<[string, (from: ReturnType<typeof startTransport>) => Promise<void>]>([
    ["a result", async ({ transport }) => await transport.send({ jsonrpc: "2.0", id: 5, result: {} })],
    [
      "an error",
      async ({ transport }) => await transport.send({ jsonrpc: "2.0", id: 5, error: { code: 1, message: "" } }),
    ],
    [
      "an answer that could not be sent",
      async ({ transport, send }) => {
        send.mockRejectedValueOnce(new Error("It is away."));
        await expect(transport.send({ jsonrpc: "2.0", id: 5, result: {} })).rejects.toThrow("It is away.");
      },
    ],
    [
      "a cancel",
      async ({ receive }) => {
        const cancel = { method: "notifications/cancelled", params: { requestId: 5 } };
        expect(receive(cancel)).toStrictEqual([{ jsonrpc: "2.0", ...cancel }]);
      },
    ],
  ])("are passed over beyond 32, until %s", async (_, end) => {
    const started = startTransport();
    const { receive, transport } = started;
    for (let id = 0; id < 32; id++) expect(receive(request(id))).toHaveLength(1);
    expect(receive(request(32))).toEqual([]);
    expect(receive({ method: "notifications/message" })).toHaveLength(1);
    expect(receive({ id: 1, result: {} })).toHaveLength(1);
    await transport.send({ jsonrpc: "2.0", id: 6, method: "tools/list" });
    await transport.send({ jsonrpc: "2.0", id: "5", result: {} });
    receive({ method: "notifications/cancelled" });
    expect(receive(request(33))).toEqual([]);
    await end(started);

    expect(receive(request(34))).toHaveLength(1);
    expect(receive(request(35))).toEqual([]);
  });
});

describe("the transport", () => {
  it("gives a message to the receiver of that moment, with what is known of it", () => {
    const { transport } = startTransport();
    const first = vi.fn<(message: unknown, extra: unknown) => void>();
    listen(transport, first);
    const { onmessage } = transport;
    listen(transport, () => expect.unreachable());
    onmessage?.({ jsonrpc: "2.0", method: "a" }, { request: undefined } as never);
    expect(first).toHaveBeenCalledExactlyOnceWith({ jsonrpc: "2.0", method: "a" }, { request: undefined });
    listen(transport, undefined);
    expect(transport.onmessage).toBeUndefined();
  });

  it("sends what it is given, with its options", async () => {
    const { transport, sent } = startTransport();
    const batch: JSONRPCMessage[] = [{ jsonrpc: "2.0", id: 1, result: {} }];
    await transport.send(batch as never, { relatedRequestId: 1 });
    expect(sent).toStrictEqual([[batch, { relatedRequestId: 1 }]]);
  });
});
