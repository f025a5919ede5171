import type { ToolDef, ToolSource } from "../../src/agents/run/tool.ts";
import type { ToolSourceSubject } from "../../src/testing/conformance/tool-source-cases.ts";
import { sleep } from "../../src/base/async/sleep.ts";
import { altered } from "./altered.ts";

const echo: ToolDef = {
  name: "echo",
  description: "Says it again",
  parameters: { type: "object", properties: { text: { type: "string" } } },
  execute: ({ text }) => String(text),
};

const wait: ToolDef = {
  name: "wait",
  description: "Waits for an hour",
  parameters: { type: "object" },
  async execute(_args, { signal }) {
    await sleep(3_600_000, signal);
    return "done";
  },
};

/** Returns a correct source of two tools with some members replaced. */
export function sourceBut(change: (right: ToolSource) => Partial<ToolSource> = () => ({})): ToolSourceSubject {
  const right: ToolSource = { getTools: async () => [echo, wait], close: async () => {} };
  return {
    source: altered<ToolSource>(right, change),
    call: { tool: "echo", args: { text: "hello", deep: { list: [1] } } },
    endlessCall: { tool: "wait", args: {} },
  };
}
