import { describe, expect, it } from "vitest";
import { namedAgent } from "./call.ts";
import type { A2ACall } from "./call.ts";

const send = (ofMessage?: unknown): A2ACall => {
  const metadata = ofMessage === undefined ? {} : { metadata: { agent: ofMessage } };
  return { op: "send", waits: true, message: { messageId: "m", role: "user", parts: [], ...metadata } };
};
const get: A2ACall = { op: "get", id: "t" };

describe("the agent that a call names", () => {
  it.each<[A2ACall, string | undefined]>([
    [get, undefined],
    [{ ...get, tenant: "a" }, "a"],
    [{ ...get, metadata: { agent: "b" } }, "b"],
    [{ ...get, tenant: "a", metadata: { agent: "b" } }, "a"],
    [send(), undefined],
    [send("c"), "c"],
    [{ ...send("c"), op: "stream" } as A2ACall, "c"],
    [{ ...send("c"), metadata: { agent: "b" } }, "c"],
    [{ ...send("c"), tenant: "a" }, "a"],
    [{ ...send(), metadata: { agent: "b" } }, "b"],
    [{ ...send(null), metadata: { agent: "b" } }, "b"],
    [{ ...send(1), metadata: { agent: "b" } }, undefined],
    [send(""), undefined],
    [send(["c"]), undefined],
    [{ ...get, metadata: { agent: {} } }, undefined],
  ])("in %j is %s", (call, agent) => {
    expect(namedAgent(call)).toBe(agent);
  });
});
