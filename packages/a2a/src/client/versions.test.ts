import { describe, expect, it } from "vitest";
import { card1, fakeRemote, sendError, sendFrames, sendJson, sendResult, task1 } from "../../test/fake-remote.ts";
import { scriptedAgent, serveA2A } from "../../test/serve-a2a.ts";
import { A2ARemoteAgent } from "./remote-agent.ts";

const task0 = {
  kind: "task",
  id: "t-1",
  contextId: "c-1",
  status: { state: "completed" },
  artifacts: [{ artifactId: "a", parts: [{ kind: "text", text: "Rain." }] }],
};

const rest = { url: "/rest", protocolBinding: "HTTP+JSON", protocolVersion: "1.0" };
const rpc1 = { url: "/a2a", protocolBinding: "JSONRPC", protocolVersion: "1.0" };
const rpc03 = { url: "/old", protocolBinding: "JSONRPC", protocolVersion: "0.3.0" };

describe("the card of a remote agent", () => {
  it.each<[string, object, string]>([
    ["1.0 over JSON-RPC", { supportedInterfaces: [rpc1, rest] }, "/a2a SendMessage"],
    ["1.0 over HTTP+JSON", { supportedInterfaces: [rest, rpc1] }, "/rest/message:send "],
    ["1.0 before 0.3", { supportedInterfaces: [rpc03, rpc1] }, "/a2a SendMessage"],
    ["a patch of 1.0", { supportedInterfaces: [{ ...rpc1, protocolVersion: "1.0.1" }] }, "/a2a SendMessage"],
    [
      "a binding that is not spoken",
      { supportedInterfaces: [{ ...rpc1, url: "/grpc", protocolBinding: "GRPC" }, rpc1] },
      "/a2a SendMessage",
    ],
    [
      "a version to come",
      { supportedInterfaces: [{ ...rpc1, url: "/two", protocolVersion: "2.0" }, rpc03] },
      "/old message/send",
    ],
    ["0.3", { supportedInterfaces: undefined, protocolVersion: "0.3.0", url: "/old" }, "/old message/send"],
    ["0.2", { supportedInterfaces: undefined, protocolVersion: "0.2.5", url: "/old" }, "/old message/send"],
    [
      "an address beside the card",
      { supportedInterfaces: undefined, protocolVersion: "0.3.0", url: "x" },
      "/.well-known/x message/send",
    ],
    [
      "JSON-RPC as a second transport",
      {
        supportedInterfaces: undefined,
        url: "/grpc",
        preferredTransport: "GRPC",
        additionalInterfaces: [{ url: "/old", transport: "JSONRPC" }],
      },
      "/old message/send",
    ],
    ["no address", { supportedInterfaces: undefined }, "/ message/send"],
  ])("decides what is spoken: %s [remote.versions]", async (_what, fields, called) => {
    const { url, asked } = await fakeRemote((request, response) => {
      if (request.path.startsWith("/rest")) sendJson(response, { task: task1("COMPLETED", "Rain.") });
      else
        sendResult(
          request,
          response,
          request.rpc.method === "SendMessage" ? { task: task1("COMPLETED", "Rain.") } : task0,
        );
    }, card1(fields));

    expect((await new A2ARemoteAgent({ url }).run("Umbrella?")).text).toBe("Rain.");
    const [, { path, rpc, headers } = { path: "", rpc: { method: "" }, headers: { "a2a-version": "" } }] = asked;
    expect(`${path} ${rpc.method}`).toBe(called);
    expect(headers["a2a-version"]).toBe(called.endsWith("message/send") ? undefined : "1.0");
  });

  it("tells 0.2 the media types of the answer, and each version not to wait [remote.versions]", async () => {
    const answer = async (card: object): Promise<unknown> => {
      const { url, asked } = await fakeRemote((request, response) => sendResult(request, response, task0), card1(card));
      const agent = new A2ARemoteAgent({ url });
      await agent.discover();
      await agent.run("Umbrella?");
      return asked[1]?.rpc.params["configuration"];
    };

    expect(await answer({ supportedInterfaces: undefined, url: "/", protocolVersion: "0.2.5" })).toEqual({
      acceptedOutputModes: ["text/plain"],
      blocking: false,
    });
    expect(await answer({ supportedInterfaces: undefined, url: "/", protocolVersion: "0.3.0" })).toEqual({
      blocking: false,
    });
    expect(await answer({})).toEqual({ returnImmediately: true });
  });

  it("has the tenant that calls bring back, in both bindings [remote.tenant]", async () => {
    const tenant = "north sea";
    const { url, asked } = await fakeRemote(
      (request, response) => {
        if (request.path.startsWith("/rest")) sendJson(response, {}, 404);
        else sendResult(request, response, { task: task1("COMPLETED", "Rain.") });
      },
      card1({
        supportedInterfaces: [
          { ...rest, tenant },
          { ...rpc1, tenant },
        ],
      }),
    );
    await new A2ARemoteAgent({ url }).run("Umbrella?");

    expect(asked[1]?.path).toBe("/rest/north%20sea/message:send");
    expect(asked[2]?.rpc.params["tenant"]).toBe(tenant);
  });
});

describe("a card that promises too much", () => {
  it.each([-32601, -32009])(
    "is fallen back from when the agent does not know 1.0, once (error %i) [remote.overpromise]",
    async (code) => {
      const { url, methods } = await fakeRemote((asked, response) => {
        if (asked.rpc.method === "message/send") sendResult(asked, response, task0);
        else sendError(asked, response, code);
      });
      const agent = new A2ARemoteAgent({ url });

      expect((await agent.run("Umbrella?")).text).toBe("Rain.");
      expect((await agent.run("Umbrella?")).text).toBe("Rain.");
      expect(methods).toEqual(["SendMessage", "message/send", "message/send"]);
    },
  );

  it("is fallen back from when the agent knows only 1.0 [remote.overpromise]", async () => {
    const { url, methods } = await fakeRemote(
      (asked, response) => {
        if (asked.rpc.method === "SendMessage") sendResult(asked, response, { task: task1("COMPLETED", "Rain.") });
        else sendError(asked, response, -32601);
      },
      card1({ supportedInterfaces: undefined, url: "/", protocolVersion: "0.3.0" }),
    );

    expect((await new A2ARemoteAgent({ url }).run("Umbrella?")).text).toBe("Rain.");
    expect(methods).toEqual(["message/send", "SendMessage"]);
  });

  it.each([-32601, -32004])(
    "is fallen back from when there are no streams (error %i) [remote.overpromise]",
    async (code) => {
      const { url, methods } = await fakeRemote(
        (asked, response) => {
          if (asked.rpc.method === "SendMessage") sendResult(asked, response, { task: task1("COMPLETED", "Rain.") });
          else sendError(asked, response, code);
        },
        card1({ capabilities: { streaming: true } }),
      );

      expect((await new A2ARemoteAgent({ url }).run("Umbrella?")).text).toBe("Rain.");
      expect(methods).toEqual(["SendStreamingMessage", "SendMessage"]);
    },
  );

  it("is fallen back from when a binding is not there [remote.overpromise]", async () => {
    const { url } = await fakeRemote(
      (asked, response) => {
        if (asked.path === "/a2a") sendResult(asked, response, { task: task1("COMPLETED", "Rain.") });
        else response.writeHead(404).end("no such page");
      },
      card1({ supportedInterfaces: [rest, rpc1] }),
    );

    expect((await new A2ARemoteAgent({ url }).run("Umbrella?")).text).toBe("Rain.");
  });

  it("does no harm when the answer has the form of another version, or is no stream [remote.overpromise]", async () => {
    const { url } = await fakeRemote(
      (asked, response) => sendResult(asked, response, task0),
      card1({ capabilities: { streaming: true } }),
    );
    const message = { kind: "message", messageId: "m", role: "agent", parts: [{ kind: "text", text: "Rain." }] };
    const other = await fakeRemote(
      (asked, response) => sendFrames(asked, response, message),
      card1({ capabilities: { streaming: true } }),
    );

    expect((await new A2ARemoteAgent({ url }).run("Umbrella?")).text).toBe("Rain.");
    expect((await new A2ARemoteAgent({ url: other.url }).run("Umbrella?")).text).toBe("Rain.");
  });

  it("a card that promises too much that names an endpoint under another name of this machine means the host of url [remote.loopback]", async () => {
    const here: { port?: string } = {};
    const { url } = await fakeRemote((asked, response) => {
      if (asked.verb === "GET")
        sendJson(response, card1({ supportedInterfaces: [{ ...rpc1, url: `http://0.0.0.0:${here.port}/a2a` }] }));
      else sendResult(asked, response, { task: task1("COMPLETED", "Rain.") });
    }, null);
    here.port = new URL(url).port;

    expect((await new A2ARemoteAgent({ url, headers: { "x-key": "k" } }).run("Umbrella?")).text).toBe("Rain.");
  });
});

it("a remote agent of our own server speaks 1.0 with it, by name and behind a base path [remote.versions]", async () => {
  const other = scriptedAgent(["Never."]);
  const { url } = await serveA2A({ agents: { other, helper: scriptedAgent(["Rain."]) }, basePath: "/a2a" });

  expect((await new A2ARemoteAgent({ url: `${url}/a2a/agents/helper` }).run("Umbrella?")).text).toBe("Rain.");
});
