import type { IncomingMessage, ServerResponse } from "node:http";
import { describe, expect, it } from "vitest";
import { requestIdOf } from "./request-id.ts";

/** Asks for the id of a request, and returns it with the header that the response has then. */
function idOf(sent: unknown, { given, headersSent = false }: { given?: unknown; headersSent?: boolean } = {}) {
  const headers = new Map<string, unknown>(given === undefined ? [] : [["X-Request-Id", given]]);
  const response = {
    headersSent,
    getHeader: (name: string) => headers.get(name),
    setHeader: (name: string, value: unknown) => headers.set(name, value),
  } as unknown as ServerResponse;
  const request = { headers: { "x-request-id": sent } } as unknown as IncomingMessage;
  const id = requestIdOf(request, response);
  return { id, header: headers.get("X-Request-Id"), again: requestIdOf(request, response) };
}

describe("requestIdOf", () => {
  it.each(["a", "A_z.0:9-", "x".repeat(128)])("takes the id of the client: %j", (sent) => {
    expect(idOf(sent)).toEqual({ id: sent, header: sent, again: sent });
  });

  it.each([undefined, "", "x".repeat(129), "a b", "a\n", "é", "a/b", '"', ["a"]])(
    "makes an id in place of %j",
    (sent) => {
      const { id, header, again } = idOf(sent);

      expect(id).toMatch(/^[\w-]{16,}$/);
      expect([header, again]).toEqual([id, id]);
      expect(idOf(sent).id).not.toBe(id);
    },
  );

  it("takes the id that the host has set, whatever it is, before that of the client", () => {
    expect(idOf("client", { given: "of the host" })).toMatchObject({ id: "of the host", header: "of the host" });
    expect(idOf("client", { given: 7 })).toMatchObject({ id: "client", header: "client" });
  });

  it("sets no header of an answer that has begun", () => {
    expect(idOf("client", { headersSent: true })).toMatchObject({ id: "client", header: undefined });
  });
});
