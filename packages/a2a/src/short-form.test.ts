import type { AddressInfo } from "node:net";
import { createLogger } from "@troupe/core";
import { createRouter, createService } from "@troupe/core/service";
import express from "express";
import { describe, expect, it, onTestFinished } from "vitest";
import { madeAgent, message0, message1, routerOf } from "../test/serve-a2a.ts";
import { a2a } from "./a2a.ts";

const silent = createLogger({ level: "silent" });

/** Replaces what differs in each answer: ids and times. */
function plain(text: string): string {
  return text
    .replaceAll(/[\da-f]{8}-[\da-f-]{27}/g, "<id>")
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "<time>")
    .replaceAll(/127\.0\.0\.1:\d+/g, "<host>");
}

describe("the short form", () => {
  it("answers as the service does, byte for byte", async () => {
    const own = { version: "2.0.0", provider: { organization: "Ada" }, mayAnswerByMessage: ["helper"] } as const;
    const bases: string[] = [];
    const greeter = madeAgent(async function* () {
      yield { type: "text", text: "Good day." };
      // The text is sent before the end, and not with it.
      await new Promise((resolve) => setTimeout(resolve, 300));
      return { text: "Good day." };
    });
    const make = () => ({
      agents: { helper: greeter },
      logger: silent,
      runOptions: () => ({ metadata: { by: "host" } }),
    });
    const short = express().use(routerOf({ ...make(), ...own }));
    const service = createService(make());
    onTestFinished(async () => await service.close());
    const long = express().use(createRouter(service, [a2a({ basePath: "/", ...own })]));
    for (const app of [short, long]) {
      const server = app.listen(0, "127.0.0.1");
      await new Promise((resolve) => server.once("listening", resolve));
      onTestFinished(() => server.close().closeAllConnections());
      bases.push(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    }
    const rpc = (method: string, params: object) => ({
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
    });
    const asked: [string, RequestInit][] = [
      ["/.well-known/agent-card.json", {}],
      ["/.well-known/agent.json", {}],
      ["/agents/helper", {}],
      ["/agents/nobody", {}],
      ["/", rpc("message/send", message0("Hi", { messageId: "m" }))],
      ["/", rpc("SendMessage", message1("Hi", { messageId: "m" }))],
      ["/agents/helper", rpc("message/stream", message0("Hi", { messageId: "m" }))],
      ["/rest/message:stream", { ...rpc("", {}), body: JSON.stringify(message1("Hi", { messageId: "m" })) }],
      ["/", rpc("tasks/get", { id: "unknown" })],
      ["/", rpc("tasks/resubscribe", { id: "unknown" })],
      ["/", { ...rpc("", {}), body: "{" }],
      ["/", { method: "PUT" }],
      ["/rest/tasks", { method: "PUT" }],
      ["/rest/none", {}],
    ];
    for (const [path, init] of asked) {
      const [one, other] = await Promise.all(
        bases.map(async (base) => {
          const response = await fetch(base + path, init);
          const headers = [...response.headers].filter(([name]) => !["date", "etag", "last-modified"].includes(name));
          return plain(JSON.stringify([response.status, headers, await response.text()]));
        }),
      );
      expect(one).toBe(other);
    }
  });
});
