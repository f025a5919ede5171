import type { SpanContext } from "@opentelemetry/api";
import type { ReadableSpan } from "@opentelemetry/sdk-trace";
import { A2ARemoteAgent, a2a } from "@troupe/a2a";
import { Agent } from "@troupe/core";
import { createService, serve } from "@troupe/core/service";
import { ScriptedModel } from "@troupe/core/testing";
import { McpToolServer, mcp } from "@troupe/mcp";
import { afterEach, describe, expect, it } from "vitest";
import { Recorder, tokensIn, tokensOf } from "../test/recorder.ts";

const ends: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const end of ends.splice(0).toReversed()) await end();
});

/** Serves an agent with telemetry of its own, as another team's service does. Returns the service's URL. */
async function serveGuide(protocol: Parameters<typeof serve>[1][number], recorder: Recorder): Promise<string> {
  const guide = new Agent({ name: "guide", description: "Knows capitals.", model: new ScriptedModel("Oslo.") });
  const { telemetry } = recorder;
  const service = createService({ agents: { guide }, telemetry, allowedHosts: ["127.0.0.1"] });
  const { url, server } = await serve(service, [protocol], { port: 0, host: "127.0.0.1" });
  ends.push(async () => {
    // The clients of a test send nothing more: their idle connections need not be waited for.
    server.closeAllConnections();
    await service.close();
  });
  return url;
}

function newAsker(recorder: Recorder, tools: ConstructorParameters<typeof Agent>[0]["tools"], call: object): Agent {
  const model = new ScriptedModel({ toolCalls: [call as never] }, "It is Oslo.");
  return new Agent({ name: "asker", model, tools, telemetry: recorder.telemetry });
}

async function find(recorder: Recorder, name: string): Promise<ReadableSpan> {
  const found = (await recorder.spans()).find((span) => span.name === name);
  if (found === undefined) throw new Error(`No span is called ${name}.`);
  return found;
}

const idOf = (context: SpanContext | undefined): string => `${context?.traceId}-${context?.spanId}`;

/** Says where the first span of the server belongs, in relation to the client's span. */
function placeOf(served: ReadableSpan, client: ReadableSpan): object {
  const [own, at] = [served.spanContext(), client.spanContext()];
  return {
    isSameTrace: own.traceId === at.traceId,
    isChild: idOf(served.parentSpanContext) === idOf(at),
    isLinked: served.links.map(({ context }) => idOf(context)).join(" ") === idOf(at),
  };
}

describe.each([true, false])("a service of others, which trusts its callers: %s", (trusts) => {
  const place = { isSameTrace: trusts, isChild: trusts, isLinked: !trusts };

  it("continues the call of its tool over MCP", async () => {
    const [client, server] = [new Recorder(), new Recorder({ trustCallers: trusts })];
    const tools = new McpToolServer({
      name: "far",
      transport: "http",
      url: `${await serveGuide(mcp(), server)}/mcp`,
    });
    ends.push(() => tools.close());
    const call = { name: "far__ask_guide", arguments: { message: "Norway?" } };
    await newAsker(client, [tools], call).run("What is the capital of Norway?");

    expect(await client.tree()).toBe(
      [
        "invoke_agent asker",
        "  chat scripted-1",
        "  execute_tool far__ask_guide",
        "    tools/call ask_guide",
        "  chat scripted-1",
      ].join("\n"),
    );
    expect(await server.tree()).toBe(
      ["tools/call ask_guide", "  invoke_agent guide", "    chat scripted-1"].join("\n"),
    );
    expect(placeOf(await find(server, "tools/call ask_guide"), await find(client, "tools/call ask_guide"))).toEqual(
      place,
    );
    const labels = { "mcp.method.name": "tools/call", "gen_ai.tool.name": "ask_guide", "network.transport": "tcp" };
    expect(await client.metric("mcp.client.operation.duration")).toMatchObject([{ labels, count: 1 }]);
    expect(await server.metric("mcp.server.operation.duration")).toMatchObject([{ labels, count: 1 }]);
  });

  it("continues the run of its agent over A2A, whose tokens are on the client's span too", async () => {
    const [client, server] = [new Recorder(), new Recorder({ trustCallers: trusts })];
    const remote = new A2ARemoteAgent({ url: await serveGuide(a2a(), server) });
    await remote.discover();
    const call = { name: "ask_guide", arguments: { input: "Norway?" } };
    const { usage } = await newAsker(client, [remote.asTool()], call).run("What is the capital of Norway?");

    expect(await client.tree()).toBe(
      [
        "invoke_agent asker",
        "  chat scripted-1",
        "  execute_tool ask_guide",
        "    invoke_agent guide",
        "  chat scripted-1",
      ].join("\n"),
    );
    expect(await server.tree()).toBe(["accept_run guide", "  invoke_agent guide", "    chat scripted-1"].join("\n"));
    expect(placeOf(await find(server, "accept_run guide"), await find(client, "invoke_agent guide"))).toEqual(place);
    expect(tokensOf(await client.spans())).toEqual(tokensIn(usage));
  });
});

describe("a session of MCP", () => {
  const sessionsOf = async (recorder: Recorder, side: "client" | "server") =>
    (await recorder.metric(`mcp.${side}.session.duration`)).map(({ labels, count }) => ({ labels, count }));
  const tcp = { "network.transport": "tcp" };
  const spoken = { ...tcp, "mcp.protocol.version": "2025-11-25" };

  it("is measured on both sides when it has ended", async () => {
    const [client, server] = [new Recorder(), new Recorder()];
    const url = `${await serveGuide(mcp({ extend: () => undefined }), server)}/mcp`;
    const tools = new McpToolServer({ name: "far", transport: "http", url, protocol: "legacy" });
    await newAsker(client, [tools], { name: "far__ask_guide", arguments: { message: "Norway?" } }).run("Where?");
    expect([await sessionsOf(client, "client"), await sessionsOf(server, "server")]).toEqual([[], []]);
    await tools.close();

    expect(await sessionsOf(client, "client")).toEqual([{ labels: spoken, count: 1 }]);
    expect(await sessionsOf(server, "server")).toEqual([{ labels: tcp, count: 1 }]);
  });

  it("is not measured in a revision without sessions", async () => {
    const [client, server] = [new Recorder(), new Recorder()];
    const url = `${await serveGuide(mcp({ extend: () => undefined }), server)}/mcp`;
    const tools = new McpToolServer({ name: "far", transport: "http", url, protocol: "2026-07-28" });
    await newAsker(client, [tools], { name: "far__ask_guide", arguments: { message: "Norway?" } }).run("Where?");
    await tools.close();

    expect(await client.metric("mcp.client.operation.duration")).toHaveLength(1);
    expect([await sessionsOf(client, "client"), await sessionsOf(server, "server")]).toEqual([[], []]);
  });

  it("has an error type if its connection was lost", async () => {
    const client = new Recorder();
    const url = `${await serveGuide(mcp({ extend: () => undefined }), new Recorder())}/mcp`;
    const tools = new McpToolServer({ name: "far", transport: "http", url, protocol: "legacy" });
    ends.push(() => tools.close());
    const call = { name: "far__ask_guide", arguments: { message: "Norway?" } };
    await newAsker(client, [tools], call).run("Where?");
    await ends[0]?.();
    await newAsker(client, [tools], call).run("Where?");

    const labels = { ...spoken, "error.type": "connection_lost" };
    await expect.poll(() => sessionsOf(client, "client")).toEqual([{ labels, count: 1 }]);
  });
});
