import type { SubscribedEvent } from "@troupe/core/runs";
import { describe, expect, it } from "vitest";
import type { PushConfig } from "../wire/push-config.ts";
import { PushForm } from "./push-form.ts";
import { PushSigner } from "./push-signer.ts";

const url = "https://hooks.example/a2a";
const signer = new PushSigner(undefined, undefined);
const form = new PushForm({ allowPrivateHosts: [], timeoutMs: 1, maxPerTask: 1 }, signer);
const ended = {
  event: { id: "3.0", type: "end", output: null },
  run: { runId: "t", sessionId: "s", kind: "agent", name: "a", status: "completed", createdAt: 1, attempts: 1 },
  attempt: 1,
} as SubscribedEvent;

const requestsOf = (version: string, config: Partial<PushConfig> = {}, given = ended) =>
  form.notify(given, { version, config: { id: "c", url, ...config } }).map((write) => write("n-1"));

describe("a request of a push notification", () => {
  it.each<[Partial<PushConfig>, string | undefined, string | undefined]>([
    [{}, undefined, undefined],
    [{ token: "tok" }, undefined, "tok"],
    [{ credentials: "abc" }, "Bearer abc", undefined],
    [{ scheme: "Basic", credentials: "abc" }, "Basic abc", undefined],
    [{ scheme: "Basic" }, undefined, undefined],
  ])("has the headers of its config %j", (config, authorization, token) => {
    const [request] = requestsOf("1.0", config);
    const signature = request?.headers["X-A2A-Notification-Signature"];
    expect(signature).toMatch(/^[\w-]+\.[\w-]+\.[\w-]+$/);
    expect(request?.url).toBe(url);
    expect(request?.headers["Authorization"]).toBe(authorization ?? `Bearer ${String(signature)}`);
    expect(request?.headers["X-A2A-Notification-Token"]).toBe(token);
  });

  it.each([
    ["0.3", "application/json", "kind"],
    ["1.0", "application/a2a+json", "statusUpdate"],
  ])("has the body of the version %s", (version, type, name) => {
    const [request] = requestsOf(version);
    expect(request?.headers["Content-Type"]).toBe(type);
    expect(JSON.parse(request?.body ?? "")).toHaveProperty(name);
  });

  it("is none for artifacts in 0.x, whose task has them", () => {
    const { run } = ended;
    const given = { ...ended, run: { ...run, output: { text: "Grüße" } } };
    expect([requestsOf("0.3", {}, given).length, requestsOf("1.0", {}, given).length]).toEqual([1, 2]);
  });
});
