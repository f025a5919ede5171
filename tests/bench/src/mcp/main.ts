import { startChild, stopChild } from "../child.ts";
import { measureInProcess, toInProcessTable } from "../measure-in-process.ts";

/** `pnpm --filter @troupe-internal/bench mcp`: measures a call of an MCP server's tool beside the official library alone. */
const server = await startChild("mcp/serve-tool.ts", 1);
try {
  const candidates = ["library", "troupe"].map((name) => ({
    name,
    file: new URL("call-tool.ts", import.meta.url),
    env: { BENCH_CANDIDATE: name, BENCH_SERVER_URL: `${server.url}/mcp` },
  }));
  const costs = await measureInProcess({ candidates, baseline: "library", rounds: 9, unitsPerRound: 200, warmUps: 2 });
  console.log(toInProcessTable(costs, "call"));
} finally {
  stopChild(server);
}
