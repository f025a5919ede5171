import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { expect } from "./tour.ts";
import type { Tour } from "./tour.ts";

/** Drives the MCP server with the official client: agents, teams and workflows are its tools. */
export async function visitMcp(tour: Tour, url: string): Promise<void> {
  tour.begin("MCP, with @modelcontextprotocol/client");
  const client = new Client({ name: "tour", version: "1" });
  await tour.step("connect", async () => {
    await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`)));
    return JSON.stringify(client.getServerVersion());
  });
  await tour.step("tools/list", async () => {
    const names = (await client.listTools()).tools.map(({ name }) => name);
    for (const wanted of ["ask_assistant", "ask_travel-desk", "run_morning-briefing"])
      expect(names.includes(wanted), names);
    return names.join(", ");
  });
  const calls = [
    ["ask_assistant", { message: "What is the weather in Oslo?" }, /9 °C with rain/],
    ["ask_travel-desk", { message: "What is the weather in Tokyo?" }, /17 °C/],
    ["run_morning-briefing", { input: { city: "Bergen" } }, /umbrella/],
  ] as const;
  for (const [name, args, answer] of calls) {
    await tour.step(`tools/call ${name}`, async () => {
      const result = JSON.stringify(await client.callTool({ name, arguments: args }));
      expect(answer.test(result) && !result.includes('"isError":true'), result);
      return result;
    });
  }
  await client.close();
}
