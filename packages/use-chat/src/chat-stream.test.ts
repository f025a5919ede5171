import { createRouter, createService } from "@troupe/core/service";
import { http } from "@troupe/http";
import { describe, expect, it } from "vitest";
import { scripted, talker } from "../test/runnables.ts";
import { serve } from "../test/serve.ts";
import { chatStream } from "./chat-stream.ts";
import type { ChatStreamOptions } from "./chat-stream.ts";

const refused = (message: string) =>
  expect.objectContaining({ code: "invalid_config", message: expect.stringContaining(message) as string }) as Error;

describe("chatStream", () => {
  it.each<[options: object, message: string]>([
    [{ onDisconnect: "stay" }, "onDisconnect"],
    [{ ondisconnect: "cancel" }, "ondisconnect"],
    [{ files: true }, "files"],
    [{ sdk: 5 }, "sdk"],
    [{ files: { maxFileSize: 0 } }, "files.maxFileSize"],
    [{ files: { allowedMimeTypes: ["image"] } }, "files.allowedMimeTypes[0]"],
    [{ files: { maxFiles: 1 } }, "maxFiles"],
  ])("refuses the options %j", (options, message) => {
    expect(() => chatStream(options as ChatStreamOptions)).toThrow(refused(message));
  });

  it("is refused twice on one server, and takes no path of HTTP", () => {
    const service = createService({ agents: { a: talker() } });
    expect(() => createRouter(service, [chatStream(), chatStream()])).toThrow(
      refused("use-chat and use-chat both answer POST /agents/:name/ui."),
    );
    expect(() => createRouter(service, [chatStream(), http()])).not.toThrow();
    expect(() => createRouter(service, [http(), chatStream()])).not.toThrow();
  });

  it.each([
    ["names the path of a run where HTTP is spoken too", [chatStream(), http()], true],
    ["names no path of a run where it is spoken alone", [chatStream()], false],
  ])("%s", async (_, protocols, isServed) => {
    const service = await serve({ agents: { a: talker() } }, { protocols });
    const message = { role: "user", parts: [{ type: "text", text: "Hi." }] };

    const { status, headers, text } = await service.post("/agents/a/ui", { id: "c1", message });

    expect([status, headers.get("x-session-id")]).toEqual([200, "c1"]);
    expect(text).toContain("Hello.");
    expect(headers.get("content-location")).toBe(isServed ? `/runs/${headers.get("x-run-id")}` : null);
  });

  it("gives the functions of the host its name, and the user whom they return", async () => {
    const asked: unknown[] = [];
    const service = await serve({
      agents: { a: talker() },
      authenticate: ({ protocol, path }) => {
        asked.push([protocol, path]);
        return { userId: "ada" };
      },
      runOptions: ({ protocol, principal }) => void asked.push([protocol, principal]),
    });
    const message = { role: "user", parts: [{ type: "text", text: "Hi." }] };

    expect((await service.post("/agents/a/ui", { id: "c1", message })).status).toBe(200);
    expect(asked).toEqual([
      ["use-chat", "/agents/a/ui"],
      ["use-chat", { userId: "ada" }],
    ]);
  });

  it("refuses a file over its limits in a message, and in what begins a session", async () => {
    const { agent, model } = scripted("A picture.", "Another.");
    const files = { maxFileSize: 6, allowedMimeTypes: ["image/*"] };
    const service = await serve({ agents: { a: agent } }, { chat: { files } });
    const user = (mediaType: string, data: string) => {
      const url = `data:${mediaType};base64,${Buffer.from(data).toString("base64")}`;
      return { role: "user", parts: [{ type: "file", mediaType, url }] };
    };
    const said = { role: "user", parts: [{ type: "text", text: "And?" }] };
    const post = async (id: string, ...messages: object[]) => await service.post("/agents/a/ui", { id, messages });

    const large = await post("c1", user("image/png", "1234567"));
    const wrong = await post("c1", user("text/html", "1"));
    const earlier = await post("c1", user("text/html", "1"), said);
    expect(large).toMatchObject({ status: 413, json: { error: { code: "payload_too_large" } } });
    expect(large.text).toContain("input[0].data must have at most 6 bytes.");
    expect(wrong).toMatchObject({ status: 415, json: { error: { code: "unsupported_media_type" } } });
    expect(earlier.text).toContain("messages[0].content[0].data has type");
    expect(model.calls).toHaveLength(0);

    expect((await post("c1", user("image/png", "123456"))).status).toBe(200);
    // The session has turns now, so that what the page sends of it is not used.
    expect((await post("c1", user("text/html", "1"), said)).status).toBe(200);
    expect(model.calls).toHaveLength(2);
  });
});
