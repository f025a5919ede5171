import { describe, expect, it } from "vitest";
import { errorOf, message0, message1, neutral, parse, request } from "../../test/requests.ts";
import { namedAgent } from "./call.ts";

describe("parameters [a2a.params]", () => {
  const sends: [params: unknown, field: string][] = [
    [{}, "params.message"],
    [{ message: "hi" }, "params.message"],
    [{ message: [] }, "params.message"],
    [{ message: { ...message1, messageId: undefined } }, "params.message.messageId"],
    [{ message: { ...message1, messageId: " " } }, "params.message.messageId"],
    [{ message: { ...message1, messageId: 1 } }, "params.message.messageId"],
    [{ message: { ...message1, role: undefined } }, "params.message.role"],
    [{ message: { ...message1, role: "system" } }, "params.message.role"],
    [{ message: { ...message1, parts: undefined } }, "params.message.parts"],
    [{ message: { ...message1, parts: [] } }, "params.message.parts"],
    [{ message: { ...message1, parts: {} } }, "params.message.parts"],
    [{ message: { ...message1, parts: ["hi"] } }, "params.message.parts[0]"],
    [{ message: { ...message1, parts: [null] } }, "params.message.parts[0]"],
    [{ message: { ...message1, contextId: 1 } }, "params.message.contextId"],
    [{ message: { ...message1, taskId: {} } }, "params.message.taskId"],
    [{ message: { ...message1, metadata: [] } }, "params.message.metadata"],
    [{ message: { ...message1, extensions: [1] } }, "params.message.extensions"],
    [{ message: message1, configuration: [] }, "params.configuration"],
    [{ message: message1, configuration: { historyLength: -1 } }, "params.configuration.historyLength"],
    [{ message: message1, configuration: { historyLength: 1.5 } }, "params.configuration.historyLength"],
    [{ message: message1, configuration: { acceptedOutputModes: "text" } }, "params.configuration.acceptedOutputModes"],
    [{ message: message1, metadata: "x" }, "params.metadata"],
  ];

  it.each(sends)("parameters of a message are checked in every version: %j is a wrong %s", (params, field) => {
    const as0 = JSON.parse(
      JSON.stringify(params).replaceAll("ROLE_USER", "user").replaceAll('{"text":"hi"}', '{"kind":"text","text":"hi"}'),
    );
    for (const [method, given] of [
      ["SendMessage", params],
      ["message/stream", as0],
    ] as const) {
      const { code, message } = errorOf(request(method, given));
      expect(code).toBe(-32602);
      expect(message).toContain(`${field} must be`);
    }
  });

  it.each([
    [{ kind: "text" }, "text"],
    [{ kind: "text", text: 1 }, "text"],
    [{ kind: "video", text: "a" }, "kind"],
    [{}, "kind"],
    [{ kind: "file" }, "file"],
    [{ kind: "file", file: {} }, "file.bytes"],
    [{ kind: "file", file: { bytes: "AQID", uri: "https://example.org" } }, "file.bytes"],
    [{ kind: "file", file: { bytes: "*" } }, "file.bytes"],
    [{ kind: "file", file: { bytes: "https://example.org" } }, "file.bytes"],
    [{ kind: "file", file: { uri: "file:///etc/passwd" } }, "file.uri"],
    [{ kind: "file", file: { uri: "https://ada:pw@example.org" } }, "file.uri"],
    [{ kind: "data", data: 1 }, "data"],
    [{ kind: "data" }, "data"],
  ])("a part of 0.x that is %j is refused by its %s", (part, field) => {
    const { code, message } = errorOf(request("message/send", { message: { ...message0, parts: [part] } }));
    expect(code).toBe(-32602);
    expect(message).toContain(`params.message.parts[0].${field} `);
  });

  it.each([
    [{}, ""],
    [{ kind: "text" }, ""],
    [{ text: null }, ""],
    [{ text: "a", data: null }, ""],
    [{ text: "a", url: "https://example.org" }, ""],
    [{ text: 1 }, ".text"],
    [{ raw: "*" }, ".raw"],
    [{ raw: "" }, ".raw"],
    [{ url: "ftp://example.org" }, ".url"],
    [{ text: "a", mediaType: 1 }, ".mediaType"],
    [{ text: "a", metadata: 1 }, ".metadata"],
  ])("a part of 1.0 that is %j is refused [a2a.part-one-content]", (part, field) => {
    const { code, message } = errorOf(request("SendMessage", { message: { ...message1, parts: [part] } }));
    expect(code).toBe(-32602);
    expect(message).toContain(`params.message.parts[0]${field} must `);
  });

  it("the wait and the history are read as each version has them [a2a.waits]", () => {
    const callOf = (method: string, configuration?: object) => {
      const message = method === "SendMessage" ? message1 : message0;
      return parse(request(method, { message, configuration })).call;
    };
    expect(callOf("message/send")).toMatchObject({ waits: true });
    expect(callOf("message/send", { blocking: true })).toMatchObject({ waits: true });
    expect(callOf("message/send", { blocking: false, historyLength: 2 })).toMatchObject({
      waits: false,
      historyLength: 2,
    });
    expect(callOf("SendMessage", { returnImmediately: false })).toMatchObject({ waits: true });
    expect(callOf("SendMessage", { returnImmediately: true, historyLength: 0 })).toMatchObject({
      waits: false,
      historyLength: 0,
    });
  });

  it("a client that wants to be notified is told that it cannot be [a2a.no-push]", () => {
    const url = "https://example.org/hook";
    for (const body of [
      request("message/send", { message: message0, configuration: { pushNotificationConfig: { url } } }),
      request("SendMessage", { message: message1, configuration: { taskPushNotificationConfig: { url } } }),
      request("tasks/pushNotificationConfig/set", {}),
      request("CreateTaskPushNotificationConfig"),
      request("ListTaskPushNotificationConfigs", { taskId: "t" }),
    ]) {
      expect(errorOf(body).code).toBe(-32003);
    }
  });

  it("the extended card is a call of both versions", () => {
    const params = { tenant: "a", metadata: {} };
    expect(parse(request("GetExtendedAgentCard", params)).call).toEqual({ op: "extended-card", ...params });
    expect(parse(request("agent/getAuthenticatedExtendedCard")).call).toEqual({ op: "extended-card" });
  });

  it("the id of a task is required", () => {
    for (const method of [
      "tasks/get",
      "tasks/cancel",
      "tasks/resubscribe",
      "GetTask",
      "CancelTask",
      "SubscribeToTask",
    ]) {
      for (const params of [undefined, {}, { id: "" }, { id: " " }, { id: 1 }, { id: null }]) {
        expect(errorOf(request(method, params))).toMatchObject({ code: -32602 });
      }
    }
    expect(errorOf(request("tasks/get", { id: "t", historyLength: -1 })).code).toBe(-32602);
    expect(parse(request("GetTask", { id: "t", historyLength: "3" })).call).toEqual({
      op: "get",
      id: "t",
      historyLength: 3,
    });
  });

  it("a listing has bounds and defaults [a2a.list-params]", () => {
    expect(parse(request("ListTasks")).call).toEqual({ op: "list", pageSize: 50, hasArtifacts: false });
    const params = {
      contextId: "c",
      status: "TASK_STATE_INPUT_REQUIRED",
      pageSize: 100,
      pageToken: "p",
      historyLength: 0,
      statusTimestampAfter: "2026-01-31T12:00:00.5+01:00",
      includeArtifacts: true,
      tenant: "helper",
    };
    expect(parse(request("ListTasks", params)).call).toEqual({
      op: "list",
      contextId: "c",
      state: "input-required",
      pageSize: 100,
      pageToken: "p",
      historyLength: 0,
      since: Date.UTC(2026, 0, 31, 11, 0, 0, 500),
      hasArtifacts: true,
      tenant: "helper",
    });
    for (const wrong of [
      { pageSize: 0 },
      { pageSize: 101 },
      { pageSize: "many" },
      { status: "working" },
      { status: "constructor" },
      { statusTimestampAfter: "yesterday" },
      { statusTimestampAfter: "2026-13-31T12:00:00Z" },
      { includeArtifacts: 1 },
      { pageToken: 1 },
    ]) {
      const { code, message } = errorOf(request("ListTasks", wrong));
      expect(code).toBe(-32602);
      expect(message).toContain(`params.${Object.keys(wrong)[0]} must be`);
    }
  });

  it("fields that no version knows are ignored [a2a.unknown-fields]", () => {
    const message = { ...message1, generation: 3, parts: [{ text: "hi", emphasis: true }] };
    const params = { message, configuration: { ifGenerationMatch: "3" }, newField: {} };
    expect(parse(request("SendMessage", params)).call).toEqual({ op: "send", message: neutral, waits: true });
  });

  it("an agent is named by the tenant, else by the metadata of the message or the call [a2a.named-agent]", () => {
    const named = (params: object) => {
      const { call } = parse(request("SendMessage", params));
      return call && namedAgent(call);
    };
    expect(named({ message: message1 })).toBeUndefined();
    expect(named({ message: message1, metadata: { agent: "b" } })).toBe("b");
    expect(named({ message: { ...message1, metadata: { agent: "a" } }, metadata: { agent: "b" } })).toBe("a");
    expect(named({ tenant: "t", message: { ...message1, metadata: { agent: "a" } } })).toBe("t");
    expect(named({ message: { ...message1, metadata: { agent: 1 } } })).toBeUndefined();
  });
});
