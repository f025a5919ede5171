import { checkInterleavings } from "@troupe-internal/interleavings";
import type { HeldCalls, Scene } from "@troupe-internal/interleavings";
import { expect, it } from "vitest";
import { readMcpOptions } from "./mcp-options.ts";
import { ToolMaker } from "./make-tools.ts";
import { ToolList } from "./tool-list.ts";

it("the tools of an MCP server are those of its newest list, whichever answer comes first, and are listed again after a failure [async.interleavings]", async () => {
  await checkInterleavings(listTools, { seed: 38_106 });
});

function listTools(held: HeldCalls): Scene {
  const settings = readMcpOptions({ name: "s", transport: "http", url: "http://localhost:1/mcp" });
  const maker = new ToolMaker(settings, () => Promise.reject(new Error("No tool is called here.")));
  let asked = 0;
  let newest = 0;
  let isForgotten = false;
  const list = new ToolList(maker, async () => {
    const version = (asked += 1);
    isForgotten = false;
    return await held.hold(`list ${version}`, () => [
      { name: `v${version}`, description: "", inputSchema: { type: "object" }, isReadOnly: true, isIdempotent: true },
    ]);
  });
  const versionOf = (tools: readonly { name: string }[]): number => Number(/v(\d+)$/.exec(tools[0]?.name ?? "v0")?.[1]);
  const read = async (): Promise<void> => {
    const before = asked;
    const mustAsk = isForgotten;
    const tools = await list.read();
    held.check(!mustAsk || versionOf(tools) > before, "a list from before it was forgotten");
  };
  return {
    operations: {
      read,
      "read again": read,
      "the server says that they changed": () => {
        isForgotten = true;
        list.forget();
      },
    },
    always: () => {
      const known = versionOf(list.known);
      expect(known, "the tools that are known").toBeGreaterThanOrEqual(newest);
      newest = known;
    },
    again: read,
    afterwards: () => expect(list.find(`v${versionOf(list.known)}`)).toBeDefined(),
  };
}
