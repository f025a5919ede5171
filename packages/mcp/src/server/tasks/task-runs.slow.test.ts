import { ErrorCode } from "@modelcontextprotocol/sdk/types.js";
import type { RequestHandler } from "express";
import { describe, expect, it } from "vitest";
import { serveHttp } from "../../../test/serve-http.ts";
import { connectFirst, headersOf, ModernClient, startTask, userOfHeader } from "../../../test/task-clients.ts";

const invalidParams = { code: ErrorCode.InvalidParams };

describe("a task among many", () => {
  it("is listed on pages, and a cursor that is none is refused [mcp-server.task-owner]", async () => {
    const { url } = await serveHttp({}, [userOfHeader]);
    const ada = await connectFirst(url, { headers: { "x-user": "ada" } });
    const started = new Set<string>();
    for (let count = 0; count < 60; count++) started.add(await startTask(ada, "tea"));
    const { tasks } = ada.experimental;
    const found: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await tasks.listTasks(cursor);
      found.push(...page.tasks.map(({ taskId }) => taskId));
      cursor = page.nextCursor;
    } while (cursor !== undefined);

    expect([found.length, new Set(found)]).toEqual([60, started]);
    await expect(tasks.listTasks("2.x")).rejects.toMatchObject(invalidParams);
    await expect(tasks.listTasks("1.nonsense")).rejects.toMatchObject(invalidParams);
  });

  it("beyond the open runs that the service bounds is refused until another one is over [mcp-server.task-bounds]", async () => {
    const { url } = await serveHttp({}, [userOfHeader]);
    const ada = await connectFirst(url, { headers: { "x-user": "ada" } });
    const taskIds: string[] = [];
    for (let count = 0; count < 100; count++) taskIds.push(await startTask(ada, "hang"));
    await expect(startTask(ada, "tea")).rejects.toThrow("This user has 100 open runs");
    const modern = new ModernClient(url, { headers: { "x-user": "ada" } });
    expect(await modern.call("ask_helper", { message: "tea" })).toMatchObject({ isError: true });
    // Tenants are users of their own, who neither free nor take the other's share.
    const other = await connectFirst(url, { headers: headersOf({ userId: "ada", tenantId: "t" }) });
    expect(await startTask(other, "hang")).not.toBe("");
    const [taskId = ""] = taskIds;
    await expect(other.experimental.tasks.cancelTask(taskId)).rejects.toMatchObject(invalidParams);
    await expect(startTask(ada, "tea")).rejects.toThrow("This user has 100 open runs");

    await ada.experimental.tasks.cancelTask(taskId);
    await expect.poll(async () => await startTask(ada, "hang").catch(() => "")).not.toBe("");
  });

  it("counts each address apart where these are trusted [mcp-server.task-bounds]", async () => {
    const from: RequestHandler = (request, _response, next) => {
      Object.defineProperty(request, "ip", { value: request.headers["x-from"] });
      next();
    };
    const { url } = await serveHttp({ trustAddresses: true }, [from]);
    const at = async (address: string) => await connectFirst(url, { headers: { "x-from": address } });
    const [one, two] = [await at("2001:db8::1"), await at("192.0.2.1")];
    for (let count = 0; count < 100; count++) await startTask(one, "hang");
    await expect(startTask(await at("2001:db8::2"), "tea")).rejects.toThrow("This address has 100 open runs");
    expect(await startTask(two, "hang")).not.toBe("");
  });
});
