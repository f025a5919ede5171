import { describe, expect, it } from "vitest";
import type { A2AMessage } from "../wire/task.ts";
import type { RemoteInterface } from "./remote-interfaces.ts";
import { writeCall } from "./write-call.ts";
import type { RemoteCall } from "./write-call.ts";

const message: A2AMessage = { messageId: "m", role: "user", parts: [{ kind: "text", text: "Hi" }], contextId: "c" };
const message0 = {
  kind: "message",
  messageId: "m",
  role: "user",
  parts: [{ kind: "text", text: "Hi" }],
  contextId: "c",
};
const message1 = { messageId: "m", role: "ROLE_USER", parts: [{ text: "Hi" }], contextId: "c" };
const id = "a/b ü";

function at(fields: Partial<Omit<RemoteInterface, "url">> = {}, url = "https://far.example/a2a"): RemoteInterface {
  return { binding: "JSONRPC", version: "1.0", ...fields, url: new URL(url) };
}

const whole = "application/json";
const streamed = "text/event-stream, application/json";
const later = { configuration: { returnImmediately: true } };
const configuration = { blocking: false };
const textModes = { acceptedOutputModes: ["text/plain", "application/json"] };

describe("a call over JSON-RPC", () => {
  it.each<[RemoteCall, string, object, string]>([
    [{ op: "send", message }, "SendMessage", { message: message1, ...later }, whole],
    [
      { op: "stream", message, outputModes: ["a/b"] },
      "SendStreamingMessage",
      { message: message1, ...later },
      streamed,
    ],
    [{ op: "get", id }, "GetTask", { id }, whole],
    [{ op: "cancel", id }, "CancelTask", { id }, whole],
    [{ op: "subscribe", id }, "SubscribeToTask", { id }, streamed],
  ])("of 1.0 is written in full: %j", (...[call, method, params, accept]) => {
    const to = at();
    const { body, ...rest } = writeCall(call, to, "r-1");
    const headers = { accept, "content-type": "application/json", "a2a-version": "1.0" };
    expect(rest).toEqual({ url: to.url, method: "POST", headers });
    expect(JSON.parse(body ?? "")).toEqual({ jsonrpc: "2.0", id: "r-1", method, params });

    const ofTenant = writeCall(call, at({ tenant: "north sea" }), "r-1");
    expect(JSON.parse(ofTenant.body ?? "")).toMatchObject({ params: { ...params, tenant: "north sea" } });
    expect(ofTenant.url).toEqual(to.url);
  });

  it.each<[RemoteInterface["version"], RemoteCall, string, object, string]>([
    ["0.3", { op: "send", message, outputModes: ["a/b"] }, "message/send", { message: message0, configuration }, whole],
    ["0.3", { op: "stream", message }, "message/stream", { message: message0, configuration }, streamed],
    ["0.3", { op: "get", id }, "tasks/get", { id }, whole],
    ["0.2", { op: "cancel", id }, "tasks/cancel", { id }, whole],
    ["0.2", { op: "subscribe", id }, "tasks/resubscribe", { id }, streamed],
    [
      "0.2",
      { op: "send", message },
      "message/send",
      { message: message0, configuration: { ...textModes, ...configuration } },
      whole,
    ],
    [
      "0.2",
      { op: "stream", message, outputModes: ["a/b"] },
      "message/stream",
      { message: message0, configuration: { acceptedOutputModes: ["a/b"], ...configuration } },
      streamed,
    ],
  ])("of %s is written in full: %j", (...[version, call, method, params, accept]) => {
    const to = at({ version, tenant: "unknown there" });
    const { body, ...rest } = writeCall(call, to, "r-1");
    expect(rest).toEqual({ url: to.url, method: "POST", headers: { accept, "content-type": "application/json" } });
    expect(JSON.parse(body ?? "")).toEqual({ jsonrpc: "2.0", id: "r-1", method, params });
  });
});

describe("a call over HTTP+JSON", () => {
  const task = "/tasks/a%2Fb%20%C3%BC";
  it.each<[RemoteCall, string, string, object | undefined, string]>([
    [{ op: "send", message }, "POST", "/message:send", { message: message1, ...later }, whole],
    [{ op: "stream", message }, "POST", "/message:stream", { message: message1, ...later }, streamed],
    [{ op: "get", id }, "GET", task, undefined, whole],
    [{ op: "cancel", id }, "POST", `${task}:cancel`, {}, whole],
    [{ op: "subscribe", id }, "POST", `${task}:subscribe`, {}, streamed],
  ])("is written in full: %j", (...[call, method, path, sent, accept]) => {
    const to = at({ binding: "HTTP+JSON" }, "https://far.example/rest//?key=1");
    const { body, url, ...rest } = writeCall(call, to, "r-1");
    const typed = sent === undefined ? {} : { "content-type": "application/json" };
    expect(url.href).toBe(`https://far.example/rest${path}?key=1`);
    expect(rest).toEqual({
      method,
      headers: { accept: `${accept}, application/a2a+json`, "a2a-version": "1.0", ...typed },
    });
    expect(body === undefined ? undefined : JSON.parse(body)).toEqual(sent);
    expect(to.url.href).toBe("https://far.example/rest//?key=1");
  });

  it("has the tenant in its path, and in its body where it has one", () => {
    const to = at({ binding: "HTTP+JSON", tenant: "north/sea" }, "https://far.example/");
    const asked = writeCall({ op: "get", id: "t" }, to, "r-1");
    const cancelled = writeCall({ op: "cancel", id: "t" }, to, "r-1");

    expect([asked.url.href, asked.body]).toEqual(["https://far.example/north%2Fsea/tasks/t", undefined]);
    expect([cancelled.url.href, cancelled.body]).toEqual([
      "https://far.example/north%2Fsea/tasks/t:cancel",
      '{"tenant":"north/sea"}',
    ]);
  });
});
