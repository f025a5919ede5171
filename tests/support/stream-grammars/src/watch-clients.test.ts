import { describe, expect, it } from "vitest";
import { takeBreaches } from "./breaches.ts";
import { watchSocket, watchTransport } from "./watch-clients.ts";

describe("watchSocket", () => {
  it("keeps the breaches of what a client receives, and lets it attach to a run again", () => {
    type Listener = (name: string, payload: Record<string, unknown>) => void;
    const [received, sent]: [Listener[], Listener[]] = [[], []];
    watchSocket({ onAny: (each: Listener) => received.push(each), onAnyOutgoing: (each: Listener) => sent.push(each) });
    const end = () => received[0]?.("agent.done", { runId: "r", name: "a", sessionId: "s" });

    end();
    sent[0]?.("agent.attach", { runId: "r" });
    end();
    expect(takeBreaches()).toEqual([]);
    end();
    expect(takeBreaches()[0]?.message).toContain("breaks the rule after-end");
  });
});

describe("watchTransport", () => {
  it("keeps the breaches of what a client receives, and hands on all that comes and goes", async () => {
    const [got, gone]: [unknown[], unknown[]] = [[], []];
    const transport = watchTransport({
      onmessage: (message: object) => void got.push(message),
      send: async (message: object) => void (await Promise.resolve(gone.push(message))),
    });
    const request = { jsonrpc: "2.0", id: 1, method: "tools/call" };
    const response = { jsonrpc: "2.0", id: 1, result: {} };

    await transport.send(request);
    transport.onmessage?.(response);
    expect(takeBreaches()).toEqual([]);
    transport.onmessage?.(response);
    expect(takeBreaches()[0]?.message).toContain("breaks the rule one-response");
    expect([got, gone]).toEqual([[response, response], [request]]);
  });
});
