import { Agent, Team, Workflow } from "@troupe/core";
import type { StreamChunk } from "@troupe/core";
import { ScriptedModel } from "@troupe/core/testing";
import { describe, expect, it } from "vitest";
import { card1, fakeRemote, piece1, sendFrames, sendJson, sendResult, status1, task1 } from "../../test/fake-remote.ts";
import type { Answer } from "../../test/fake-remote.ts";
import { problems1Open } from "../../test/schemas.ts";
import { scriptedAgent, serveA2A } from "../../test/serve-a2a.ts";
import { generateAgentCard } from "../card/agent-card.ts";
import type { AgentCard } from "../card/agent-card.ts";
import { A2ARemoteAgent } from "./remote-agent.ts";
import { readRemoteAgentOptions } from "./remote-agent-options.ts";

const completes: Answer = (asked, response) => sendResult(asked, response, { task: task1("COMPLETED", "Rain.") });

async function chunksOf(stream: AsyncIterable<StreamChunk>): Promise<StreamChunk[]> {
  return await Array.fromAsync(stream);
}

describe("the options of a remote agent", () => {
  it("url is the base URL of the agent, whose card is found below it, then at its origin [remote.url]", async () => {
    const { url, asked } = await fakeRemote((request, response) => {
      if (request.path === "/.well-known/agent.json") sendJson(response, { name: "old", url: `/rpc` });
      else sendJson(response, {}, 404);
    }, null);
    const agent = new A2ARemoteAgent({ url: `${url}/agents/one/` });

    expect((await agent.discover()).name).toBe("old");
    expect(asked.map(({ path }) => path)).toEqual([
      "/agents/one/.well-known/agent-card.json",
      "/agents/one/.well-known/agent.json",
      "/.well-known/agent-card.json",
      "/.well-known/agent.json",
    ]);
  });

  it("url may be that of the card itself", async () => {
    const { url, asked } = await fakeRemote((_request, response) => sendJson(response, card1({ name: "there" })));

    expect((await new A2ARemoteAgent({ url: `${url}/cards/mine.json?v=2` }).discover()).name).toBe("there");
    expect(asked.map(({ path }) => path)).toEqual(["/cards/mine.json?v=2"]);
  });

  it.each([
    [{}, "url must be"],
    [{ url: "agents.example" }, "url must be"],
    [{ url: "ftp://agents.example" }, "url must be"],
    [{ url: "https://me:pw@agents.example" }, "url must be"],
    [{ url: "https://agents.example", timeoutMs: 0 }, "timeoutMs must be"],
    [{ url: "https://agents.example", headers: { host: "x" } }, "headers must not set host"],
    [{ url: "https://agents.example", headers: { authorization: "a\nb" } }, "headers must be"],
    [{ url: "https://agents.example", name: " " }, "name must be"],
    [{ url: "https://agents.example", trustedOrigins: ["https://b.example/path"] }, "trustedOrigins[0] must be"],
    [{ url: "https://agents.example", effect: "never" }, "effect must be"],
    [{ url: "https://agents.example", timeout: 5 }, 'Unknown option "timeout"'],
  ])("refuses %o", (options, sentence) => {
    const error = (() => new A2ARemoteAgent(options as never)) as () => unknown;
    expect(error).toThrow(
      expect.objectContaining({ code: "invalid_config", message: expect.stringContaining(sentence) }),
    );
  });

  it("headers go with the card and with each call [remote.headers]", async () => {
    const { url, asked } = await fakeRemote(completes);
    await new A2ARemoteAgent({ url, headers: { authorization: "Bearer canary" } }).run("Umbrella?");

    expect(asked.map(({ headers }) => headers.authorization)).toEqual(["Bearer canary", "Bearer canary"]);
  });

  it("headers may be a function, which is given the context of the run", async () => {
    const { url, asked } = await fakeRemote(completes);
    const headers = (context?: { userId?: string }) => ({ "x-user": context?.userId ?? "nobody" });
    const agent = new A2ARemoteAgent({ url, headers });
    await agent.discover();
    await agent.run("Umbrella?", { userId: "ann" });
    await agent.run("Umbrella?", { userId: "ben" });

    expect(asked.map((each) => each.headers["x-user"])).toEqual(["nobody", "ann", "ben"]);
  });

  it("name overrides the discovered name; before the card is known it is the host [remote.name]", async () => {
    const { url } = await fakeRemote(completes);
    const [named, unnamed] = [new A2ARemoteAgent({ url, name: "sky" }), new A2ARemoteAgent({ url })];
    const before = [named.name, unnamed.name];
    await Promise.all([named.discover(), unnamed.discover()]);

    expect(before).toEqual(["sky", new URL(url).host]);
    expect([named.name, unnamed.name, unnamed.description]).toEqual(["sky", "weather", "Knows the weather."]);
    expect((await named.run("Umbrella?")).agentName).toBe("sky");
  });

  it.each([undefined, "", null, 7])("has no description if the card's is %j", async (description) => {
    const { url } = await fakeRemote(completes, card1({ description }));
    const agent = new A2ARemoteAgent({ url });
    await agent.discover();

    expect(agent.description).toBeUndefined();
  });

  it("a request may take timeoutMs, 60000 by default [remote.timeout]", async () => {
    const { url } = await fakeRemote(() => undefined);
    const error = await new A2ARemoteAgent({ url, name: "sky", timeoutMs: 30 })
      .run("Umbrella?")
      .catch((thrown) => thrown);

    expect(error).toMatchObject({ code: "timeout", message: expect.stringContaining("did not answer in 30 ms") });
    expect(readRemoteAgentOptions({ url }).timeoutMs).toBe(60_000);
  });
});

describe("a remote agent", () => {
  it("discover returns the card with the fields of all versions, and those that are not known [remote.discover]", async () => {
    const card = card1({ vendor: { own: [1] } });
    const { url } = await fakeRemote(completes, card);

    const found: AgentCard = await new A2ARemoteAgent({ url }).discover();
    expect(found).toMatchObject({ ...card, url: "/a2a", preferredTransport: "JSONRPC", protocolVersion: "1.0" });
  });

  it("discover returns the card of our own server as it was sent, whichever version it is in [remote.discover]", async () => {
    const made = generateAgentCard(scriptedAgent([]), "https://agents.example/a2a");
    const { url } = await fakeRemote(completes, made);
    expect(await new A2ARemoteAgent({ url }).discover()).toEqual(made);
  });

  it("discover returns the interface of a card of 0.2 as one of 1.0 too [remote.discover]", async () => {
    const { url } = await fakeRemote(completes, { name: "old", url: "/rpc" });
    const { supportedInterfaces, ...card } = await new A2ARemoteAgent({ url }).discover();
    expect(supportedInterfaces).toEqual([{ url: "/rpc", protocolBinding: "JSONRPC", protocolVersion: "0.2" }]);
    expect(card).toMatchObject({ description: "", skills: [], capabilities: { streaming: false } });
  });

  it("discover returns a card of its type, whatever is wrong in the one that came [remote.discover]", async () => {
    const wrong = {
      description: 1,
      version: null,
      url: {},
      provider: { organization: "" },
      skills: [null, 1, { id: 7, name: "cook", tags: "none" }, { id: "ask", tags: [1, "a"] }],
      supportedInterfaces: [{ url: 1 }, { url: "/a2a", protocolBinding: "JSONRPC" }],
      capabilities: "all",
      defaultInputModes: ["text/plain", 1],
      securitySchemes: { a: 1 },
      security: [{ a: ["x"] }, { b: 1 }],
      securityRequirements: [{ schemes: { a: { list: [1, "x"] } } }, 5],
    };
    const { url } = await fakeRemote(completes, { name: "Größe", ...wrong });
    const card = await new A2ARemoteAgent({ url }).discover();
    expect(
      problems1Open("AgentCard", { ...card, description: "d", version: "1", defaultOutputModes: ["a/b"] }),
    ).toEqual([
      "/skills/0/description must NOT have fewer than 1 characters",
      "/skills/0/tags must NOT have fewer than 1 items",
      "/skills/1/description must NOT have fewer than 1 characters",
    ]);
    expect(card).toMatchObject({
      name: "Größe",
      description: "",
      version: "",
      url: "/a2a",
      skills: [
        { id: "cook", name: "cook", description: "", tags: [] },
        { id: "ask", name: "ask", description: "", tags: ["a"] },
      ],
      supportedInterfaces: [{ url: "/a2a", protocolBinding: "JSONRPC", protocolVersion: "1.0" }],
      defaultInputModes: ["text/plain"],
      security: [{ a: ["x"] }],
      securityRequirements: [{ schemes: { a: { list: ["x"] } } }],
    });
    for (const field of ["provider", "securitySchemes"]) expect(card).not.toHaveProperty(field);
  });

  it("getAgentCard returns the card that was fetched, which runs do not fetch again [remote.cached-card]", async () => {
    const { url, asked } = await fakeRemote(completes);
    const agent = new A2ARemoteAgent({ url });
    expect(agent.getAgentCard()).toBeUndefined();
    await Promise.all([agent.run("1"), agent.run("2")]);
    await agent.run("3");

    expect(agent.getAgentCard()).toMatchObject(card1());
    expect(asked.filter(({ verb }) => verb === "GET")).toHaveLength(1);
    expect(await agent.discover()).toEqual(agent.getAgentCard());
  });

  it("run sends the input and returns the answer [remote.run]", async () => {
    const { url, asked } = await fakeRemote(completes);
    const output = await new A2ARemoteAgent({ url }).run("Umbrella?");

    expect(output).toMatchObject({ text: "Rain.", status: "completed", agentName: "weather" });
    const [, call] = asked;
    expect(call?.headers).toMatchObject({ "a2a-version": "1.0", "content-type": "application/json" });
    expect(call).toMatchObject({ path: "/a2a", rpc: { jsonrpc: "2.0", method: "SendMessage" } });
    expect(call?.rpc.params.message).toEqual({
      messageId: output.runId,
      role: "ROLE_USER",
      parts: [{ text: "Umbrella?" }],
    });
  });

  it("stream yields the texts of the agent as they come, and then finish [remote.stream]", async () => {
    const { url } = await fakeRemote(
      (asked, response) => {
        sendFrames(
          asked,
          response,
          { task: task1("WORKING") },
          piece1("Ra", false),
          piece1("in"),
          piece1("."),
          status1("COMPLETED"),
        );
      },
      card1({ capabilities: { streaming: true } }),
    );
    const stream = new A2ARemoteAgent({ url }).stream("Umbrella?");
    const chunks = await chunksOf(stream);

    expect(chunks.map((chunk) => (chunk.type === "text" ? chunk.text : chunk.type))).toEqual([
      "Ra",
      "in",
      ".",
      "finish",
    ]);
    expect((await stream.output).text).toBe("Rain.");
  });

  it("asTool makes a tool by which a model asks the agent, described by its card [remote.as-tool]", async () => {
    const skills = [{ id: "s", name: "rain", description: "Tells if it rains.", tags: [] }];
    const { url, asked } = await fakeRemote(completes, card1({ skills }));
    const remote = new A2ARemoteAgent({ url });
    await remote.discover();
    const tool = remote.asTool();
    const call = { id: "c", name: tool.name, arguments: { input: "Umbrella?" } };
    const model = new ScriptedModel({ toolCalls: [call] }, "Take one.");
    const output = await new Agent({ name: "guide", model, tools: [tool] }).run("Shall I?");

    expect(tool.name).toBe("ask_weather");
    expect(tool.description).toBe("Knows the weather.\nSkills:\n- rain: Tells if it rains.");
    expect(output.toolCalls).toMatchObject([{ toolName: "ask_weather", result: "Rain." }]);
    expect(asked.at(-1)?.rpc.params.message.parts).toEqual([{ text: "Umbrella?" }]);
  });

  it("runs as a member of a team and as a step of a workflow [remote.runnable]", async () => {
    const { url } = await fakeRemote(completes);
    const remote = new A2ARemoteAgent({ url, name: "weather" });
    const members = [remote, scriptedAgent(["unused"])];
    const model = new ScriptedModel({ structured: { member: "weather" } });
    const team = new Team({ name: "team", mode: "route", model, members });
    const workflow = new Workflow({
      name: "flow",
      initialState: { text: "" },
      steps: [{ name: "ask", agent: remote, inputFrom: () => "Umbrella?" }],
    });

    expect((await team.run("Umbrella?")).text).toBe("Rain.");
    expect((await workflow.asRunnable().run({})).text).toBe("Rain.");
  });

  it("can be served itself: its answer goes through a second service [remote.runnable]", async () => {
    const { url: far } = await serveA2A({ agents: { helper: scriptedAgent(["Rain."]) } });
    const { url: near } = await serveA2A({ agents: { relay: new A2ARemoteAgent({ url: far, name: "relay" }) } });

    expect((await new A2ARemoteAgent({ url: near }).run("Umbrella?")).text).toBe("Rain.");
  });

  it.each(["messages", "modelOptions", "instructions"] as const)(
    "refuses %s, which has no effect [remote.options]",
    async (name) => {
      const { url, asked } = await fakeRemote(completes);
      const values = {
        messages: [{ role: "user", content: "Hi" }],
        modelOptions: { seed: 1 },
        instructions: "Be kind.",
      } as const;
      const error = await new A2ARemoteAgent({ url })
        .run("Umbrella?", { [name]: values[name] })
        .catch((thrown) => thrown);

      expect(error).toMatchObject({
        code: "invalid_request",
        message: expect.stringContaining(`${name} has no effect`),
      });
      expect(asked).toEqual([]);
    },
  );
});
