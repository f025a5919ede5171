import { createServer } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { describe, expect, it } from "vitest";
import { findErrorCode } from "./find-error-code.ts";

const withCode = (code: unknown, cause?: unknown) => Object.assign(new Error("text", { cause }), { code });

/** Returns the error that `fetch` throws at a server that treats its connections like this. */
async function fetchFailure(treat: (socket: Socket) => void): Promise<unknown> {
  const server = createServer((request) => treat(request.socket));
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  try {
    return await fetch(`http://127.0.0.1:${port}/`).catch((error: unknown) => error);
  } finally {
    server.close();
  }
}

describe("findErrorCode", () => {
  it("finds the code that fetch hides when the peer resets the connection", async () => {
    const error = await fetchFailure((socket) => socket.resetAndDestroy());

    expect(error).not.toHaveProperty("code");
    expect(findErrorCode(error)).toBe("ECONNRESET");
  });

  it("treats a connection closed without an answer as reset", async () => {
    expect(findErrorCode(await fetchFailure((socket) => socket.destroy()))).toBe("ECONNRESET");
  });

  it.each([
    ["EPIPE", "ECONNRESET"],
    ["UND_ERR_SOCKET", "ECONNRESET"],
    ["UND_ERR_CONNECT_TIMEOUT", "ETIMEDOUT"],
    ["UND_ERR_HEADERS_TIMEOUT", "ETIMEDOUT"],
    ["UND_ERR_BODY_TIMEOUT", "ETIMEDOUT"],
    ["ECONNREFUSED", "ECONNREFUSED"],
    ["ENOTFOUND", "ENOTFOUND"],
    ["EAI_AGAIN", "EAI_AGAIN"],
  ])("returns the code %s as %s", (code, found) => {
    expect(findErrorCode(withCode(code))).toBe(found);
  });

  it("skips numeric codes, vendor codes and Node's ERR_ codes, and looks at the cause", () => {
    const reset = withCode("ECONNRESET");

    expect(findErrorCode(withCode(20, reset))).toBe("ECONNRESET");
    expect(findErrorCode(withCode("insufficient_quota", reset))).toBe("ECONNRESET");
    expect(findErrorCode(withCode("ERR_STREAM_PREMATURE_CLOSE", reset))).toBe("ECONNRESET");
    expect(findErrorCode(new DOMException("aborted", "AbortError"))).toBeUndefined();
  });

  it("prefers the network code that a provider has found", () => {
    expect(findErrorCode({ networkCode: "ETIMEDOUT", cause: withCode("ECONNRESET") })).toBe("ETIMEDOUT");
  });

  it("finds a code six causes deep, and stops in a cycle", () => {
    let error = withCode("ECONNRESET");
    for (let depth = 0; depth < 6; depth++) error = withCode(undefined, error);
    const cyclic: { cause?: unknown } = {};
    cyclic.cause = { cause: cyclic };

    expect(findErrorCode(error)).toBe("ECONNRESET");
    expect(findErrorCode(withCode(undefined, error))).toBeUndefined();
    expect(findErrorCode(cyclic)).toBeUndefined();
  });

  it.each([undefined, null, "ECONNRESET", 5, {}])("finds nothing in %s", (value) => {
    expect(findErrorCode(value)).toBeUndefined();
  });
});
