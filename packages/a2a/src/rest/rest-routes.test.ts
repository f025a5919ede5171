import { describe, expect, it } from "vitest";
import { findRoute, pathBelow } from "./rest-routes.ts";

const push = "tasks/t/pushNotificationConfigs";

describe("findRoute", () => {
  it.each<[string, string, string, object]>([
    ["POST", "message:send", "send", {}],
    ["POST", "message:stream", "stream", {}],
    ["GET", "tasks", "list", {}],
    ["GET", "tasks/t", "get", { id: "t" }],
    ["POST", "tasks/t:cancel", "cancel", { id: "t" }],
    ["GET", "tasks/t:subscribe", "subscribe", { id: "t" }],
    ["POST", "tasks/t:subscribe", "subscribe", { id: "t" }],
    ["GET", push, "list-push", { taskId: "t" }],
    ["POST", push, "set-push", { taskId: "t" }],
    ["GET", `${push}/c`, "get-push", { taskId: "t", id: "c" }],
    ["DELETE", `${push}/c`, "delete-push", { taskId: "t", id: "c" }],
    ["GET", "extendedAgentCard", "extended-card", {}],
  ])("%s %s is %s, also of a tenant", (...[method, path, operation, params]) => {
    expect(findRoute(method, path)).toMatchObject({ operation, params });
    expect(findRoute(method, `acme/${path}`)).toMatchObject({ operation, params: { ...params, tenant: "acme" } });
  });

  it.each([
    ["tasks/message:send", "send", { tenant: "tasks" }],
    // The paths without a tenant come first.
    ["tasks/tasks", "get", { id: "tasks" }],
    ["tasks/tasks/tasks", "get", { tenant: "tasks", id: "tasks" }],
    ["tasks/extendedAgentCard", "get", { id: "extendedAgentCard" }],
    ["tasks/a%2Fb%3Ac", "get", { id: "a/b:c" }],
    ["a%20b/tasks/Zo%C3%AB", "get", { tenant: "a b", id: "Zoë" }],
    ["tasks/__proto__", "get", { id: "__proto__" }],
    ["constructor/tasks/a+b", "get", { tenant: "constructor", id: "a+b" }],
  ])("%s names %s with %j", (path, operation, params) => {
    const method = operation === "send" ? "POST" : "GET";
    const found = findRoute(method, path);

    expect([found.operation, found.params]).toEqual([operation, params]);
  });

  it.each([
    [
      "tasks",
      ["contextId", "status", "pageSize", "pageToken", "historyLength", "statusTimestampAfter", "includeArtifacts"],
    ],
    ["tasks/t", ["historyLength"]],
    [push, ["pageSize", "pageToken"]],
    [`${push}/c`, []],
    ["tasks/t:subscribe", []],
    ["extendedAgentCard", []],
  ])("lets the query of %s have tenant and %j", (path, names) => {
    expect(findRoute("GET", path).query).toEqual(["tenant", ...names]);
  });

  it.each([
    "",
    "/",
    "task",
    "Tasks",
    "tasks/",
    "message",
    "message:",
    "message:sendx",
    "xmessage:send",
    "message/send",
    "tasks/t:",
    "tasks/:cancel",
    "tasks/t:delete",
    "tasks/t:cancel:cancel",
    "tasks/t/cancel",
    `${push}/`,
    `${push}/c/d`,
    `a/b/${push}/c`,
    "a:b/tasks",
    "/tasks",
    "extendedAgentCard/x/y",
    "tasks\n",
  ])("does not know the path %j", (path) => {
    expect(() => findRoute("GET", path)).toThrow(
      expect.objectContaining({ kind: "method-not-found", message: "This path is not one of A2A 1.0.", fields: {} }),
    );
  });

  it.each([
    ["GET", "message:send", "POST"],
    ["DELETE", "tasks", "GET"],
    ["get", "tasks", "GET"],
    ["HEAD", "tasks/t", "GET"],
    ["constructor", "tasks/t:subscribe", "GET, POST"],
    ["PUT", push, "GET, POST"],
    ["POST", `acme/${push}/c`, "GET, DELETE"],
  ])("refuses %s for %s, which takes %s", (method, path, allow) => {
    const message = `This path takes another HTTP method: ${allow}.`;
    const refused = expect.objectContaining({ kind: "method-not-found", message, fields: { allow } }) as Error;

    expect(() => findRoute(method, path)).toThrow(refused);
  });

  it.each([
    ["tasks/%", "params.id"],
    ["tasks/%ff", "params.id"],
    ["%c3/tasks/t", "params.tenant"],
    ["tasks/%zz/pushNotificationConfigs", "params.taskId"],
  ])("refuses %s, which is no UTF-8, by the name %s", (path, field) => {
    expect(() => findRoute("GET", path)).toThrow(
      expect.objectContaining({
        kind: "invalid-params",
        message: `${field} must be percent-encoded UTF-8.`,
        fields: { field },
      }),
    );
  });
});

it.each([
  ["/rest", "/rest", ""],
  ["/rest", "/rest/", ""],
  ["/rest", "/rest/tasks", "tasks"],
  ["/rest", "/rest/tasks/", "tasks"],
  ["/rest", "/rest/tasks/t:cancel", "tasks/t:cancel"],
  ["/rest", "/rest/rest/tasks", "rest/tasks"],
  ["/rest", "/rest//tasks", "/tasks"],
  ["/agents/:agent/rest", "/agents/helper/rest/tasks", "tasks"],
  ["/agents/:agent/rest", "/agents/my%20helper/rest", ""],
  ["/agents/:agent/rest", "/agents/rest/rest/x", "x"],
  ["/a2a/rest", "/a2a/rest/tasks", "tasks"],
  ["/a2a/agents/:agent/rest", "/a2a/agents/helper/rest/tasks", "tasks"],
])("below %s, the path %s goes on by %j", (root, path, below) => {
  expect(pathBelow(path, root)).toBe(below);
});
